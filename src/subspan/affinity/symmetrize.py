"""The affinity graph of self-expressive coefficients."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.handover import InputError

# Rows that are sorted together.
ROWS_PER_BLOCK = 1024


def symmetric_affinity(coefficients: csr_array, scale: str | None = None, keep: float = 1.0) -> csr_array:
    """Affinity (|C| + |C|^T) / 2, with zero diagonal, no explicit zeros and sorted indices.

    Parameters
    ----------
    coefficients : csr_array of shape (n, n)
        Row j represents point j; float32 or float64, which is kept.
    scale : {None, "max", "l2"}
        Scale each row of |C| first: not at all, to largest entry 1, or to Euclidean length 1.
    keep : float
        Before that, keep of each row the largest entries that make this share of their sum.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> coefficients = csr_array(np.array([[0.0, -4.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> symmetric_affinity(coefficients, scale="max").toarray().tolist()
    [[0.0, 1.0, 0.25], [1.0, 0.0, 0.0], [0.25, 0.0, 0.0]]
    """
    half = halved_magnitudes(without_diagonal(coefficients), scale, keep)
    affinity = csr_array(half + half.T)
    affinity.eliminate_zeros()
    affinity.sort_indices()
    return affinity


def halved_magnitudes(rows: csr_array, scale: str | None, keep: float = 1.0) -> csr_array:
    """|C| / 2 for some rows of C, each cut and scaled first: what they add to the affinity on either side."""
    if scale not in (None, "max", "l2"):
        raise InputError("{scale}: must be None, 'max' or 'l2'", scale=scale)
    magnitudes = abs(largest_share(rows, keep))
    if scale is not None:
        _scale_rows(magnitudes, scale)
    # Halved before the sum: two large entries must not overflow.
    magnitudes.data *= magnitudes.dtype.type(0.5)
    return magnitudes


def without_diagonal(matrix: csr_array) -> csr_array:
    """A copy with duplicates summed, indices sorted, and neither a diagonal nor explicit zeros."""
    copy = matrix.copy()
    copy.sum_duplicates()
    copy.data[copy.indices == row_of_entry(copy)] = 0
    copy.eliminate_zeros()
    return copy


def row_of_entry(matrix: csr_array) -> NDArray[np.integer]:
    """Row index of every stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _scale_rows(magnitudes: csr_array, scale: str) -> None:
    """Divide each non-empty row by its largest entry, then, for "l2", by its Euclidean length."""
    filled = np.flatnonzero(np.diff(magnitudes.indptr))
    first = magnitudes.indptr[filled]
    lengths = np.diff(magnitudes.indptr)[filled]
    # By the maximum in any case, so that the squares neither overflow nor vanish.
    magnitudes.data /= np.repeat(np.maximum.reduceat(magnitudes.data, first), lengths)
    if scale == "l2":
        norms = np.sqrt(np.add.reduceat(magnitudes.data**2, first))
        magnitudes.data /= np.repeat(norms, lengths)


def largest_share(coefficients: csr_array, share: float) -> csr_array:
    """Of each row the entries of largest magnitude that make up `share` of the sum of magnitudes.

    As few of them as suffice; ties go to the entry that is stored first. A share of 1 keeps all.

    Examples
    --------
    >>> rows = csr_array(np.array([[5.0, -3.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]]))
    >>> largest_share(rows, 0.6).toarray().tolist()
    [[5.0, -3.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]]
    """
    if share >= 1:
        return coefficients
    n_rows, ends = coefficients.shape[0], coefficients.indptr
    kept = np.zeros(coefficients.nnz, bool)
    for start in range(0, n_rows, ROWS_PER_BLOCK):
        block = ends[start : start + ROWS_PER_BLOCK + 1]
        lengths = np.diff(block)
        listed = np.arange(lengths.max(initial=0)) < lengths[:, None]
        magnitudes = np.zeros(listed.shape)
        magnitudes[listed] = np.abs(coefficients.data[block[0] : block[-1]])
        kept[block[0] : block[-1]] = makes_share(magnitudes, share)[listed]
    counts = np.concatenate([[0], np.cumsum(kept)])[ends].astype(ends.dtype)
    return csr_array((coefficients.data[kept], coefficients.indices[kept], counts), shape=coefficients.shape)


def makes_share(magnitudes: NDArray[np.floating], share: float) -> NDArray[np.bool_]:
    """Which entries of each row are among the largest that make up `share` of its sum.

    Examples
    --------
    >>> makes_share(np.array([[1.0, 4.0, 3.0, 2.0]]), 0.5).tolist()
    [[False, True, True, False]]
    """
    order = np.argsort(-magnitudes, axis=1, kind="stable")
    falling = np.take_along_axis(magnitudes, order, axis=1).astype(np.float64)
    so_far = np.cumsum(falling, axis=1)
    # An entry is needed as long as those before it do not suffice.
    needed = so_far - falling < share * so_far[:, -1:]
    kept = np.empty_like(needed)
    np.put_along_axis(kept, order, needed & (falling > 0), axis=1)
    return kept
