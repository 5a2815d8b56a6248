"""What the coefficients leave unexplained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from subspan.plotting import fitted
from subspan.plotting.display import Display
from subspan.plotting.numbers import Residuals, residuals
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ResidualDisplay(Display):
    """Histogram of the norms of what is left of each point after its representation by others.

    Parameters
    ----------
    numbers : Residuals
        From `subspan.plotting.numbers.residuals`.

    Examples
    --------
    >>> from subspan import SSCOMP
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.plotting import ResidualDisplay
    >>> X, y = make_union_of_subspaces(3, 3, 30, 50, random_state=0)
    >>> model = SSCOMP(n_clusters=3, n_nonzero=3, random_state=0).fit(X)
    >>> bool(ResidualDisplay.from_estimator(model, X).numbers.median < 1e-6)
    True
    """

    numbers: Residuals

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Axes | None = None) -> Self:
        """Plot the residuals of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            A method with coefficients. In ESC every exemplar represents itself as well.
        X : array-like of shape (n_points, n_features), path or source
            The points it was fitted to.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        coefficients = fitted.coefficients_of(estimator)
        return cls.from_predictions(X, coefficients, normalize=estimator.normalize, ax=ax)

    @classmethod
    def from_predictions(
        cls, X: Any, coefficients: Any, *, normalize: bool = True, ax: Axes | None = None
    ) -> Self:
        """Plot the residuals of any coefficients.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features), path or source
            The points.
        coefficients : sparse matrix of shape (n_points, n_points), or Factors
            Row j represents point j.
        normalize : bool
            Whether the coefficients belong to points of unit norm.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(residuals(X, coefficients, normalize=normalize)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        ax.bar(found.edges[:-1], found.counts, np.diff(found.edges), align="edge", color=COLOURS[5])
        ax.axvline(found.median, color=COLOURS[4], linestyle="--", label=f"median {found.median:.3g}")
        ax.locator_params(axis="y", integer=True)
        ax.grid(alpha=0.3, axis="y")
        ax.legend()
        title = f"Half of the points keep a residual of {found.median:.3g} or less"
        label = "norm of the residual (points have unit norm)" if found.normalized else "norm of the residual"
        self._describe(ax, title, label, "number of points")
