"""How low the dimension of each cluster is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display, percent_label, short_name
from subspan.plotting.numbers import SingularValues, singular_values
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The share of the energy whose dimension the title names.
SHARE = 0.95


class SingularValuesDisplay(Display):
    """Energy of each cluster in its leading directions: a curve that is high at once means a low dimension.

    The energy in d directions is the share of the d largest squared singular values of the cluster's points.
    A dimension well below the number of points and of features says that the cluster is near a subspace.

    Parameters
    ----------
    numbers : SingularValues
        From `subspan.plotting.numbers.singular_values`.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.plotting import SingularValuesDisplay
    >>> X, y = make_union_of_subspaces(3, 3, 30, 50, random_state=0)
    >>> SingularValuesDisplay.from_predictions(X, y).numbers.dimensions(0.999).tolist()
    [3, 3, 3]
    """

    numbers: SingularValues

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Axes | None = None) -> Self:
        """Plot the energy of the clusters of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            Any method of subspan.
        X : array-like of shape (n_points, n_features), path or source
            The points it was fitted to.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        labels = fitted.labels_of(estimator)
        return cls.from_predictions(X, labels, normalize=estimator.normalize, ax=ax)

    @classmethod
    def from_predictions(
        cls, X: Any, labels: ArrayLike, *, normalize: bool = True, ax: Axes | None = None
    ) -> Self:
        """Plot the energy within any labels: clusters, or true classes.

        Parameters
        ----------
        X, labels, normalize
            As for `subspan.plotting.numbers.singular_values`.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(singular_values(X, labels, normalize=normalize)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        places = range(1, found.energy.shape[1] + 1)
        few = len(found.clusters) <= len(COLOURS)
        if few:
            for name, colour, energy in zip(found.clusters, COLOURS, found.energy, strict=False):
                ax.plot(places, energy, color=colour, label=short_name(name))
        else:
            lines = ax.plot(places, found.energy.T, color="0.7", linewidth=0.8)
            lines[0].set_label("each cluster")
            ax.plot(places, np.median(found.energy, axis=0), color=COLOURS[5], linewidth=2, label="median")
        ax.axhline(SHARE, color=COLOURS[4], linestyle="--", linewidth=1)
        ax.set_ylim(top=1.02)
        ax.locator_params(axis="x", integer=True)
        ax.grid(alpha=0.3)
        ax.legend(title="cluster" if few else None, loc="lower right")
        title = f"Directions with {percent_label(SHARE)} of a cluster's energy: {self._dimensions()}"
        self._describe(ax, title, "leading directions", "share of the energy")

    def _dimensions(self) -> str:
        """The least and the largest dimension, as text."""
        dimensions = self.numbers.dimensions(SHARE)
        shown = [
            f"{number}" if number <= self.numbers.energy.shape[1] else f"over {number - 1}"
            for number in (dimensions.min(), dimensions.max())
        ]
        return shown[0] if shown[0] == shown[1] else " to ".join(shown)
