"""Least squares representation of which every point keeps its largest coefficients only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, in_panels, tile_product
from subspan.handover import InputError
from subspan.kernels.largest import keep_largest
from subspan.self_expression.ridge import ridge_factors


def thresholded_ridge(
    rows: NDArray[np.floating],
    regularization: float,
    n_neighbors: int,
    *,
    zero_diagonal: bool = True,
    threads: int = 1,
    block_rows: int = TILE,
) -> csr_array:
    """Ridge coefficients of every point over all others, the largest of each row kept.

    The closed form is a product of two thin matrices, see `subspan.self_expression.ridge`. Its rows are made
    a block at a time, and what is not kept of them is forgotten: beyond the two factors the memory is that
    of one block for each thread.

    Parameters
    ----------
    rows : array of shape (n_points, n_features)
        Distinct points in rows, of unit length as a rule.
    regularization : float
        Weight of the squares of the coefficients, above zero.
    n_neighbors : int
        Coefficients of the largest magnitude that a point keeps. Zeros are never kept. Ties go to the lowest
        index.
    zero_diagonal : bool
        Whether a point is kept from representing itself while the problem is solved. The two forms differ by
        a factor for each row, so once rows are scaled they make the same graph.
    threads, block_rows : int
        How the work is split; they change no bit of the result.

    Returns
    -------
    csr_array of shape (n_points, n_points)
        In the type of the rows, indices sorted, nothing on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> thresholded_ridge(rows, 0.1, 1).toarray().round(2).tolist()
    [[0.0, 0.8, 0.0, 0.0], [0.48, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.8], [0.0, 0.0, 0.48, 0.0]]
    """
    if n_neighbors < 1:
        raise InputError("{n_neighbors}: must be at least 1.", n_neighbors=n_neighbors)
    if regularization <= 0:
        raise InputError("{regularization}: must be above 0.", regularization=regularization)
    n = len(rows)
    most = min(n_neighbors, n)
    factors = ridge_factors(rows, regularization, zero_diagonal=zero_diagonal, threads=threads)
    panels = in_panels(factors.right)
    columns, values = np.zeros((n, most), np.int32), np.zeros((n, most), rows.dtype)
    counts = np.zeros(n, np.int64)

    def fill(start: int) -> None:
        part = slice(start, start + block_rows)
        scores = tile_product(factors.left[part], panels)
        keep_largest(scores, start, np.zeros(most, np.int32), columns[part], values[part], counts[part])

    for _ in run_in_threads(fill, range(0, n, block_rows), threads, "blocks of rows"):
        pass
    return _joined(columns, values, counts)


def _joined(columns: NDArray[np.int32], values: NDArray[np.floating], counts: NDArray[np.int64]) -> csr_array:
    listed = np.arange(columns.shape[1]) < counts[:, None]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    n = len(counts)
    coefficients = csr_array((values[listed], columns[listed], indptr), shape=(n, n))
    coefficients.sort_indices()
    return coefficients
