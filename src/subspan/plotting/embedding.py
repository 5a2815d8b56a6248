"""The spectral embedding in two coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display, percent_label, short_name
from subspan.plotting.numbers import EmbeddingPlane, embedding_plane
from subspan.plotting.style import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A longer legend is taller than the plot.
MAX_IN_LEGEND = 40
ROWS_OF_LEGEND = 14


class EmbeddingDisplay(Display):
    """Points of the spectral embedding along the two directions in which they vary most.

    Points of one cluster lie in one place if the cut is clear. Two coordinates show little of many clusters:
    the title says how much of the variance is in them.

    Parameters
    ----------
    numbers : EmbeddingPlane
        From `subspan.plotting.numbers.embedding_plane`.

    Examples
    --------
    >>> from subspan import S3COMPC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.plotting import EmbeddingDisplay
    >>> X, y = make_union_of_subspaces(3, 3, 30, 50, random_state=0)
    >>> model = S3COMPC(n_clusters=3, random_state=0).fit(X)
    >>> EmbeddingDisplay.from_estimator(model).numbers.coordinates.shape
    (150, 2)
    """

    numbers: EmbeddingPlane

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the embedding of a fitted estimator, coloured by its clusters.

        Parameters
        ----------
        estimator : fitted estimator
            Any method of subspan.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(fitted.embedding_of(estimator), fitted.labels_of(estimator), ax=ax)

    @classmethod
    def from_predictions(cls, embedding: ArrayLike, labels: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Plot an embedding, coloured by any labels: clusters, or true classes.

        Parameters
        ----------
        embedding, labels
            As for `subspan.plotting.numbers.embedding_plane`.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(embedding_plane(embedding, labels)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        for number, name in enumerate(found.clusters.tolist()):
            x, y = found.coordinates[found.cluster == number].T
            # Every colour with one marker, then every colour with the next.
            marker = MARKERS[number // len(COLOURS) % len(MARKERS)]
            colour = COLOURS[number % len(COLOURS)]
            label = short_name(name)
            ax.scatter(x, y, s=12, marker=marker, color=colour, alpha=0.7, linewidths=0, label=label)
        if len(found.clusters) <= MAX_IN_LEGEND:
            _name_clusters(ax, len(found.clusters))
        ax.grid(alpha=0.3)
        n_shown, n_all = len(found.rows), found.n_embedded
        count = f"{n_shown}" if n_shown == n_all else f"{n_shown} of {n_all}"
        title = f"{count} points in the two widest directions of the embedding"
        first, second = (percent_label(share) for share in found.shares)
        self._describe(ax, title, f"direction 1 ({first} of the variance)", f"direction 2 ({second})")


def _name_clusters(ax: Axes, n_clusters: int) -> None:
    """A legend beside the points."""
    ax.legend(
        title="cluster",
        fontsize="small",
        ncols=-(-n_clusters // ROWS_OF_LEGEND),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        handletextpad=0.2,
        columnspacing=0.8,
    )
