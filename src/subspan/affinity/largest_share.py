"""The largest coefficients of each point, as many as make a share of their sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# Rows that are sorted together.
ROWS_PER_BLOCK = 1024


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
