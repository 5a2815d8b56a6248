"""The graph that links points whose coefficients are alike."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from subspan.affinity.symmetrize import row_of_entry
from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE
from subspan.handover import InputError
from subspan.kernels.neighbors import nearest_rows


def neighbor_affinity(coefficients: csr_array, n_neighbors: int = 3, *, threads: int = 1) -> csr_array:
    """Graph of nearest neighbours among the rows of coefficients, scaled to unit length.

    W_ij is 1 if row j is one of the `n_neighbors` nearest to row i, and the affinity is (W + W^T) / 2: EnSC's
    and ESC's own. Ties go to the lowest index. Only rows less than a right angle apart are linked, so a row
    with nothing in common with any other, or without any coefficient, has no edge. Equal rows, such as
    copies of one point have, count as one, and have the same neighbours.

    Parameters
    ----------
    coefficients : csr_array of shape (n, k)
        Row j represents point j, over whichever dictionary; float32 or float64, which is kept.
    n_neighbors : int
    threads : int
        They change nothing in the result.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> coefficients = csr_array(np.array([[2.0, 0.0], [1.0, 0.1], [-1.0, 1.0], [0.0, 3.0]]))
    >>> neighbor_affinity(coefficients, 1).toarray().tolist()
    [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """
    if n_neighbors < 1:
        raise InputError("{n_neighbors}: must be at least 1", n_neighbors=n_neighbors)
    first = first_equal_row(coefficients)
    originals, original = np.unique(first, return_inverse=True)
    nearest, count = _nearest(_unit_rows(coefficients[originals]), n_neighbors, threads)
    # Every row takes the neighbours of the first row that equals it.
    listed = np.arange(nearest.shape[1]) < count[original, None]
    n = coefficients.shape[0]
    indptr = np.concatenate([[0], np.cumsum(count[original])])
    columns = originals[nearest[original][listed]]
    halves = np.full(len(columns), 0.5, coefficients.dtype)
    links = csr_array((halves, columns, indptr), shape=(n, n))
    affinity = csr_array(links + links.T)
    affinity.sort_indices()
    return affinity


def first_equal_row(matrix: csr_array) -> NDArray[np.int64]:
    """Index of the first row that equals each row.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> first_equal_row(csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]))).tolist()
    [0, 1, 0]
    """
    sorted_matrix = matrix.copy()
    sorted_matrix.sum_duplicates()
    sorted_matrix.eliminate_zeros()
    seen: dict[tuple[bytes, bytes], int] = {}
    ends = sorted_matrix.indptr
    return np.array(
        [
            seen.setdefault((sorted_matrix.indices[a:b].tobytes(), sorted_matrix.data[a:b].tobytes()), row)
            for row, (a, b) in enumerate(pairwise(ends))
        ],
        np.int64,
    )


def _unit_rows(coefficients: csr_array) -> csr_array:
    """Rows of Euclidean length 1 in float64; rows without an entry stay empty."""
    rows = csr_array(coefficients, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    row = row_of_entry(rows)
    largest = np.zeros(rows.shape[0])
    np.maximum.at(largest, row, np.abs(rows.data))
    # By the largest entry first, so that squares neither overflow nor vanish.
    rows.data /= largest[row]
    rows.data /= np.sqrt(np.bincount(row, rows.data**2, rows.shape[0]))[row]
    return rows


def _nearest(rows: csr_array, n_neighbors: int, threads: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Neighbours of each row, most similar first, and their number."""
    n = rows.shape[0]
    columns = csc_array(rows)
    nearest = np.zeros((n, min(n_neighbors, n)), np.int32)
    count = np.zeros(n, np.int32)
    matrix = (
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data,
        columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data,
    )  # fmt: skip

    def search(start: int) -> None:
        products, similarity = np.empty(n), np.empty(nearest.shape[1])
        nearest_rows(start, min(start + TILE, n), *matrix, products, similarity, nearest, count)

    for _ in run_in_threads(search, range(0, n, TILE), threads, "tiles of points"):
        pass
    return nearest, count
