"""How the coefficients settle from one outer iteration to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.plotting.numbers.finite import finite_numbers


@dataclass(frozen=True, eq=False)
class Convergence:
    """Relative change of the coefficients at each outer iteration."""

    # 1, 2, ...
    iterations: NDArray[np.intp]
    changes: NDArray[np.float64]
    # The change at which the iteration was to end, if known.
    tol: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the last change is within the tolerance; None if that is not known."""
        return None if self.tol is None else bool(self.changes[-1] <= self.tol)


def convergence(changes: ArrayLike, tol: float | None = None) -> Convergence:
    """Number the iterations.

    Examples
    --------
    >>> found = convergence([1.0, 0.2, 0.01], tol=0.05)
    >>> found.iterations.tolist(), found.reached
    ([1, 2, 3], True)
    """
    values = finite_numbers("changes", changes, 1)
    return Convergence(np.arange(1, values.size + 1), values, tol)
