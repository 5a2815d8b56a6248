"""How the coefficients settle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers import Convergence, convergence
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ConvergenceDisplay(Display):
    """Relative change of the coefficients from one outer iteration to the next, on a logarithmic scale.

    Parameters
    ----------
    numbers : Convergence
        From `subspan.plotting.numbers.convergence`.

    Examples
    --------
    >>> from subspan.plotting import ConvergenceDisplay
    >>> display = ConvergenceDisplay.from_predictions([1.0, 0.1, 0.02], tol=0.05)
    >>> display.ax_.get_title()
    'Change of 0.02 after 3 iterations: within the tolerance'
    """

    numbers: Convergence

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Plot how the coefficients of a fitted estimator settled.

        Parameters
        ----------
        estimator : fitted estimator
            A method that iterates over its coefficients, such as `S3COMPC`.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        changes = fitted.changes_of(estimator)
        return cls.from_predictions(changes, getattr(estimator, "tol", None), ax=ax)

    @classmethod
    def from_predictions(
        cls, changes: ArrayLike, tol: float | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Plot changes, and the tolerance at which the iteration was to end.

        Parameters
        ----------
        changes : array-like
            Relative change at each iteration.
        tol : float, optional
            Tolerance.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(convergence(changes, tol)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        ax.plot(found.iterations, found.changes, "o-", color=COLOURS[5], markersize=4, linewidth=1)
        # No change at all has no place on a logarithmic scale.
        if np.any(found.changes > 0):
            ax.set_yscale("log")
        if found.tol:
            ax.axhline(found.tol, color=COLOURS[4], linestyle="--", label=f"tolerance {found.tol:g}")
            ax.legend()
        ax.set_xticks(found.iterations[:: -(-len(found.iterations) // 20)])
        ax.grid(alpha=0.3)
        verdict = {None: "", True: ": within the tolerance", False: ": still above the tolerance"}
        title = f"Change of {found.changes[-1]:.3g} after {len(found.iterations)} iterations"
        self._describe(ax, title + verdict[found.reached], "outer iteration", "relative change")
