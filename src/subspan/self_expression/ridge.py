"""Least squares representation: every point by all others, with a penalty on the squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.handover import Factors
from subspan.self_expression.spectrum import principal_axes


def ridge_factors(
    points: NDArray[np.floating], regularization: float, *, zero_diagonal: bool, threads: int = 1
) -> Factors:
    """Coefficients that minimise ||X - C X||_F^2 + regularization ||C||_F^2, off the diagonal.

    With X = U S V^T, rows are points, the minimiser is the symmetric H = U S^2 (S^2 + regularization)^-1 U^T,
    a matrix of rank at most min(n_points, n_features). The minimiser among the C with zero diagonal is the
    same with row j divided by 1 - H_jj and the diagonal taken away.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        Points in rows.
    regularization : float
        Weight of the penalty, above zero.
    zero_diagonal : bool
        Whether a point may represent itself while the problem is solved (LSR2 of the literature, False) or
        not (LSR1, True). The diagonal is left out of the result in both cases.
    threads : int
        Threads; the result does not depend on it.

    Returns
    -------
    Factors
        In the type of the points.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> ridge_factors(points, 1.0, zero_diagonal=True).rows(0, 3).round(6).tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    spectrum = principal_axes(points, threads)
    # A small penalty would amplify directions that are only rounding errors.
    kept = spectrum.squares > np.finfo(np.float64).eps * len(points) * spectrum.squares[0]
    scores, squares = spectrum.scores[:, kept], spectrum.squares[kept]
    half = scores / np.sqrt(squares + regularization)
    right = half.astype(points.dtype)
    left = right
    if zero_diagonal:
        unexplained = _unexplained(scores**2 / squares, regularization / (squares + regularization))
        left = (half / unexplained[:, None]).astype(points.dtype)
    return Factors(left, right, np.arange(len(points)))


def _unexplained(leverages: NDArray[np.float64], held_back: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - H_jj without cancellation: what lies outside the directions, and what the penalty holds back."""
    unexplained: NDArray[np.float64] = np.maximum(1.0 - leverages.sum(axis=1), 0.0)
    unexplained += leverages @ held_back
    return unexplained
