"""Subspace-preserving representation error: how much of the coefficients lies on other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse, sparray, spmatrix

from subspan.handover import Factors, InputError
from subspan.metrics.checks import check_square, number_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

# Rows of a dense matrix looked at together: enough for speed, few enough not to copy the whole.
ROWS_AT_ONCE = 512


def subspace_preserving_error(
    coefficients: ArrayLike | sparray | spmatrix | Factors, labels_true: ArrayLike
) -> float:
    """Mean share of the l1 norm of a point's coefficients that lies on points of other classes.

    It is 0 if every point is represented by points of its own class only. A point that is represented
    by nothing counts as an error of 1; so does one whose coefficients are below the rounding error of
    the largest ones.

    Parameters
    ----------
    coefficients : sparse or dense matrix of shape (n_points, n_points), or Factors
        Row j represents point j. The signs do not matter, nor does a common factor. The product of factors
        is formed a few rows at a time.
    labels_true : array-like of shape (n_points,)
        True class of every point, of any type.

    Returns
    -------
    float
        Between 0 and 1; the paper's tables give it in per cent.

    Raises
    ------
    InputError
        If the matrix is not square, real, finite and of the same length as the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.metrics import subspace_preserving_error
    >>> coefficients = np.array([[0.0, 0.5, 0.0], [0.3, 0.0, -0.1], [0.2, 0.2, 0.0]])
    >>> subspace_preserving_error(coefficients, ["a", "a", "b"])
    0.4166...
    """
    _, classes = number_classes("labels_true", labels_true)
    across, total = _row_sums(coefficients, classes)
    filled = total > np.finfo(np.float64).eps * total.max()
    return float(np.where(filled, across / np.where(filled, total, 1.0), 1.0).mean())


RowSums = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _row_sums(coefficients: Any, classes: NDArray[np.intp]) -> RowSums:
    """L1 norm of every row on the columns of other classes, and on all columns."""
    if isinstance(coefficients, Factors):
        return _dense_row_sums(_checked_rows(coefficients, classes.size), classes)
    matrix = check_square("coefficients", coefficients, classes.size)
    if issparse(matrix):
        return _sparse_row_sums(matrix, classes)
    return _dense_row_sums(lambda start, stop: matrix[start:stop], classes)


def _checked_rows(factors: Factors, n_points: int) -> Callable[[int, int], NDArray[Any]]:
    if factors.shape != (n_points, n_points):
        raise InputError(f"coefficients has {factors.shape[0]} rows, but labels_true has {n_points} labels.")
    if not (np.isfinite(factors.left).all() and np.isfinite(factors.right).all()):
        raise InputError("coefficients holds NaN or infinity in one of its factors.")
    return factors.rows


def _sparse_row_sums(matrix: csr_array, classes: NDArray[np.intp]) -> RowSums:
    rows = np.repeat(np.arange(classes.size), np.diff(matrix.indptr))
    weights = np.abs(matrix.data.astype(np.float64))
    others = weights * (classes[rows] != classes[matrix.indices])
    across, total = (np.bincount(rows, values, classes.size) for values in (others, weights))
    return across.astype(np.float64), total.astype(np.float64)


def _dense_row_sums(rows_between: Callable[[int, int], NDArray[Any]], classes: NDArray[np.intp]) -> RowSums:
    across = np.empty(classes.size)
    total = np.empty(classes.size)
    for start in range(0, classes.size, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        weights = np.abs(rows_between(start, start + ROWS_AT_ONCE).astype(np.float64))
        total[rows] = weights.sum(axis=1)
        across[rows] = (weights * (classes[rows, None] != classes)).sum(axis=1)
    return across, total
