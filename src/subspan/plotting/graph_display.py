"""What displays of a graph and its clusters share: the two ways to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers.graph import Affinity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class GraphDisplay(Display):
    """A plot of numbers that an affinity and labels give."""

    # Makes the numbers of an affinity and labels.
    _measure: ClassVar[Any]

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the graph and the clusters of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            Any method of subspan that cuts a graph.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(fitted.affinity_of(estimator), fitted.labels_of(estimator), ax=ax)

    @classmethod
    def from_predictions(cls, affinity: Affinity, labels: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Plot a graph with any labels: clusters, or true classes.

        Parameters
        ----------
        affinity : sparse or dense matrix of shape (n_points, n_points)
            Symmetric, without negative entries.
        labels : array-like of shape (n_points,)
            Cluster of every point.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(cls._measure(affinity, labels)).plot(ax)
