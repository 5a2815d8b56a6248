"""How many others represent each point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from subspan.handover import InputError

MAX_BARS = 50
# Rows looked at together, where the coefficients are on disk.
ROWS_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class SupportSizes:
    """How many others represent each point."""

    # Non-zero coefficients of every point.
    sizes: NDArray[np.intp]
    # A histogram of them. Edges lie at halves, so that a bar of width 1 is centred on its number.
    edges: NDArray[np.float64]
    counts: NDArray[np.intp]

    @property
    def n_empty(self) -> int:
        """Points that nothing represents."""
        return int((self.sizes == 0).sum())


def support_sizes(coefficients: Any) -> SupportSizes:
    """Count the non-zero coefficients of every point.

    Parameters
    ----------
    coefficients : sparse matrix of shape (n_points, n_points), or one on disk
        Row j represents point j.

    Examples
    --------
    >>> found = support_sizes(csr_array(np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])))
    >>> found.sizes.tolist(), found.counts.tolist(), found.n_empty
    ([2, 1, 0], [1, 1, 1], 1)
    """
    if not hasattr(coefficients, "tocsr"):
        raise InputError("coefficients: in dense ones, every point is represented by all others.")
    matrix = csr_array(coefficients) if issparse(coefficients) else coefficients
    starts = range(0, matrix.shape[0], ROWS_AT_ONCE)
    sizes = np.concatenate([_sizes(matrix[start : start + ROWS_AT_ONCE]) for start in starts])
    # As many whole numbers to a bar as keep the bars few.
    width = 1 + int(np.ptp(sizes)) // MAX_BARS
    edges = np.arange(sizes.min(), sizes.max() + width + 1, width) - 0.5
    return SupportSizes(sizes, edges, np.histogram(sizes, edges)[0])


def _sizes(rows: csr_array) -> NDArray[np.intp]:
    filled = np.concatenate([[0], np.cumsum(rows.data != 0)])
    sizes: NDArray[np.intp] = np.diff(filled[rows.indptr])
    return sizes
