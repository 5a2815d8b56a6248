"""Eigenvalues of the graph, with the gap that tells the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers import Spectrum, spectrum
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SpectrumDisplay(Display):
    """Leading eigenvalues of the normalised affinity, largest first, and their widest gap.

    As many eigenvalues close to 1 as there are clusters, then a gap: the graph agrees with the number of
    clusters. Eigenvalues behind the ones in use are found with less care and may be a little too small.

    Parameters
    ----------
    numbers : Spectrum
        From `subspan.plotting.numbers.spectrum`.

    Examples
    --------
    >>> from subspan.plotting import SpectrumDisplay
    >>> display = SpectrumDisplay.from_predictions([1.0, 0.99, 0.97, 0.4, 0.35], n_clusters=3)
    >>> display.ax_.get_title()
    'Widest gap, 0.57, after 3 eigenvalues'
    """

    numbers: Spectrum

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the eigenvalues of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            A method that cuts a graph.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(fitted.eigenvalues_of(estimator), estimator.n_clusters_, ax=ax)

    @classmethod
    def from_predictions(
        cls, eigenvalues: ArrayLike, n_clusters: int | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Plot eigenvalues, largest first, and where the number of clusters lies among them.

        Parameters
        ----------
        eigenvalues : array-like
            Descending.
        n_clusters : int, optional
            Number of clusters that was asked for.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(spectrum(eigenvalues, n_clusters)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        places = range(1, len(found.eigenvalues) + 1)
        ax.plot(places, found.eigenvalues, "o-", color=COLOURS[5], markersize=4, linewidth=1)
        upper, lower = found.eigenvalues[found.gap_after - 1 : found.gap_after + 1]
        ax.axhspan(lower, upper, color=COLOURS[1], alpha=0.3, label=f"widest gap: {found.gap:.3g}")
        if found.n_clusters is not None:
            label = f"n_clusters = {found.n_clusters}"
            ax.axvline(found.n_clusters + 0.5, color=COLOURS[0], linestyle="--", linewidth=1, label=label)
        ax.locator_params(axis="x", integer=True)
        ax.grid(alpha=0.3)
        ax.legend(loc="upper right")
        plural = "s" * (found.gap_after > 1)
        title = f"Widest gap, {found.gap:.3g}, after {found.gap_after} eigenvalue{plural}"
        self._describe(ax, title, "number of the eigenvalue", "eigenvalue of the normalised affinity")
