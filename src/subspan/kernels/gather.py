"""Compact copies of parts of a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel


@kernel
def gather_rows(
    matrix: NDArray[np.floating],
    columns: NDArray[np.int32],
    rows: NDArray[np.int64],
    out: NDArray[np.floating],
) -> None:
    """Fill some rows i of `out` with matrix[columns[i], columns[j]]; what is beyond becomes zero."""
    n = np.uint64(columns.shape[0])
    for i in rows:
        row = matrix[columns[i]]
        for j in range(n):
            out[i, j] = row[np.uint32(columns[j])]
        for j in range(n, np.uint64(out.shape[1])):
            out[i, j] = 0
