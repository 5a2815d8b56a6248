"""The points that stand for each cluster, as images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.plotting import fitted
from subspan.plotting.display import Display, short_name
from subspan.plotting.numbers import Representatives, representatives, tiles
from subspan.plotting.numbers.graph import Affinity
from subspan.plotting.numbers.representatives import N_SHOWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Clusters in one picture.
MAX_CLUSTERS = 20
# Height in inches of a row of tiles, and of what surrounds them.
ROW_HEIGHT = 0.45
MARGIN = 0.9
# Pixels between tiles, as a share of their height.
GAP = 0.06


class Shown(TypedDict, total=False):
    """What may be chosen about the images, see `RepresentativesDisplay.from_predictions`."""

    image_order: Literal["C", "F"]
    n_shown: int
    ax: Axes | None


class RepresentativesDisplay(Display):
    """The points with the strongest links to their own cluster, as images; a row for each cluster.

    Of more than 20 clusters the largest are shown. Each image ranges from its darkest to its brightest value.

    Parameters
    ----------
    numbers : Representatives
        From `subspan.plotting.numbers.representatives`.
    images : list of ndarray
        The images of each cluster's representatives, from `subspan.plotting.numbers.tiles`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from subspan import SSCOMP
    >>> from subspan.plotting import RepresentativesDisplay
    >>> X, y = load_digits(n_class=3, return_X_y=True)
    >>> model = SSCOMP(n_clusters=3, random_state=0).fit(X)
    >>> display = RepresentativesDisplay.from_estimator(model, X, image_shape=(8, 8), n_shown=5)
    >>> [len(rows) for rows in display.numbers.rows]
    [5, 5, 5]
    """

    numbers: Representatives

    def __init__(self, numbers: Representatives, images: list[NDArray[np.float64]]) -> None:
        super().__init__(numbers)
        self.images = images

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        image_shape: tuple[int, ...],
        **shown: Unpack[Shown],
    ) -> Self:
        """Show the representatives of the clusters of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            Any method of subspan. Where no graph was cut, the points nearest to the mean direction of their
            cluster in the embedding are shown.
        X : array-like of shape (n_points, n_features), path or source
            The images, one in each row.
        image_shape : tuple
            (height, width), or (height, width, 3) for colours.
        **shown
            `image_order`, `n_shown` and `ax`, as for `from_predictions`.
        """
        closeness = fitted.closeness_of(estimator)
        labels = fitted.labels_of(estimator)
        return cls.from_predictions(X, closeness, labels, image_shape=image_shape, **shown)

    @classmethod
    def from_predictions(
        cls,
        X: Any,
        affinity: Affinity,
        labels: ArrayLike,
        *,
        image_shape: tuple[int, ...],
        image_order: Literal["C", "F"] = "C",
        n_shown: int = N_SHOWN,
        ax: Axes | None = None,
    ) -> Self:
        """Show the representatives of any labels: clusters, or true classes.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features), path or source
            The images, one in each row.
        affinity : sparse or dense matrix of shape (n_points, n_points)
            Symmetric, without negative entries.
        labels : array-like of shape (n_points,)
            Cluster of every point.
        image_shape : tuple
            (height, width), or (height, width, 3) for colours.
        image_order : {"C", "F"}
            Whether pixels are stored line by line, or column by column as MATLAB does.
        n_shown : int
            Most images of a cluster.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        found = representatives(affinity, labels, n_shown)
        images = [tiles(X, rows, image_shape, image_order=image_order) for rows in found.rows]
        return cls(found, images).plot(ax)

    def _figure_size(self) -> tuple[float, float]:
        return self._size[0], MARGIN + ROW_HEIGHT * min(len(self.images), MAX_CLUSTERS)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        shown = np.sort(np.argsort(-found.sizes, kind="stable")[:MAX_CLUSTERS])
        height = self.images[0].shape[1]
        mosaic, pitch = _mosaic([self.images[number] for number in shown])
        ax.imshow(mosaic, cmap="gray", vmin=0, vmax=1, interpolation="nearest", aspect="equal")
        # Pixels are centred on whole numbers.
        places = pitch * np.arange(len(shown)) + (height - 1) / 2
        names = [f"{short_name(found.clusters[number])} ({found.sizes[number]})" for number in shown]
        ax.set_yticks(places, names, fontsize="small")
        ax.set_xticks([])
        which = "Each cluster" if len(shown) == len(found.sizes) else f"The {len(shown)} largest clusters"
        title = f"{which} by the points with the strongest links inside"
        self._describe(ax, title, "most central points, from left to right", "cluster (its size)")


def _mosaic(images: list[NDArray[np.float64]]) -> tuple[NDArray[np.float64], int]:
    """All tiles in one white picture, and the distance between their rows."""
    height, width, *colours = images[0].shape[1:]
    gap = max(1, round(GAP * height))
    shape = (len(images) * (height + gap), max(map(len, images)) * (width + gap), *colours)
    mosaic = np.ones(shape)
    for row, tiles_of_row in enumerate(images):
        for column, tile in enumerate(tiles_of_row):
            top, left = row * (height + gap), column * (width + gap)
            mosaic[top : top + height, left : left + width] = tile
    return mosaic[:-gap, :-gap], height + gap
