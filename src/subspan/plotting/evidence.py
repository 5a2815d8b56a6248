"""The evidence for each number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers import NumberEvidence, number_evidence
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from subspan.tuning import NumberOfClusters


class EvidenceDisplay(Display):
    """What the members of `SubspaceClustering` know in common, for every number of clusters that was tried.

    The evidence is the shared bits less the cost of those in doubt. The three numbers with the most evidence
    are framed.

    Parameters
    ----------
    numbers : NumberEvidence
        From `subspan.plotting.numbers.number_evidence`.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.plotting import EvidenceDisplay
    >>> from subspan.tuning import estimate_n_clusters
    >>> X, _ = make_union_of_subspaces(3, 3, 30, 40, random_state=0)
    >>> display = EvidenceDisplay.from_predictions(estimate_n_clusters(X, (2, 5), random_state=0))
    >>> display.ax_.get_title()
    'The data show 3 clusters.'
    """

    numbers: NumberEvidence

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot what a fitted `SubspaceClustering` has tried.

        Parameters
        ----------
        estimator : fitted SubspaceClustering
            One that had to find the number of clusters.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(fitted.numbers_tried(estimator), ax=ax)

    @classmethod
    def from_predictions(cls, found: NumberOfClusters, *, ax: Axes | None = None) -> Self:
        """Plot what `subspan.tuning.estimate_n_clusters` has found.

        Parameters
        ----------
        found : NumberOfClusters
            What was tried.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(number_evidence(found)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        ax.plot(found.tried, found.shared, "s:", color=COLOURS[3], markersize=4, label="bits shared")
        ax.plot(found.tried, found.cost_of_doubt, "D:", color=COLOURS[4], markersize=4, label="cost of doubt")
        ax.plot(found.tried, found.evidence, "o-", color=COLOURS[5], markersize=5, label="evidence")
        ax.plot(
            found.tried[found.best],
            found.evidence[found.best],
            "o",
            markersize=11,
            markerfacecolor="none",
            color=COLOURS[0],
            label="best three",
        )
        if found.n_clusters in found.tried:
            ax.axvline(found.n_clusters, color=COLOURS[0], linestyle="--", linewidth=1, zorder=0)
        ax.locator_params(axis="x", integer=True)
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
        self._describe(ax, found.verdict, "number of clusters", "bits about a point's cluster")
