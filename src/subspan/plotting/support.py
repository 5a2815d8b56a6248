"""How many others represent each point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers import SupportSizes, support_sizes
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SupportDisplay(Display):
    """Histogram of the number of points that represent each point.

    Parameters
    ----------
    numbers : SupportSizes
        From `subspan.plotting.numbers.support_sizes`.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from subspan.plotting import SupportDisplay
    >>> coefficients = csr_array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> display = SupportDisplay.from_predictions(coefficients)
    >>> [int(bar.get_height()) for bar in display.ax_.patches]
    [2, 1]
    """

    numbers: SupportSizes

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot the sizes of the supports of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            A method with sparse coefficients. In ESC every exemplar represents itself as well.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(fitted.sparse_coefficients_of(estimator), ax=ax)

    @classmethod
    def from_predictions(cls, coefficients: Any, *, ax: Axes | None = None) -> Self:
        """Plot the sizes of the supports of any sparse coefficients.

        Parameters
        ----------
        coefficients : sparse matrix of shape (n_points, n_points)
            Row j represents point j.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(support_sizes(coefficients)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        ax.bar(
            found.edges[:-1],
            found.counts,
            np.diff(found.edges),
            align="edge",
            color=COLOURS[5],
            edgecolor="w",
        )
        median = float(np.median(found.sizes))
        ax.axvline(median, color=COLOURS[4], linestyle="--", label=f"median {median:g}")
        ax.locator_params(axis="x", integer=True)
        ax.locator_params(axis="y", integer=True)
        ax.grid(alpha=0.3, axis="y")
        ax.legend()
        empty = f"; {found.n_empty} by none" if found.n_empty else ""
        title = f"Half of the points are represented by {median:g} others or more{empty}"
        self._describe(ax, title, "points that represent a point", "number of points")
