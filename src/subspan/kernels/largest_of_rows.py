"""The largest entries of the rows of a matrix that is made a few rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.largest import largest


@kernel
def keep_largest(
    scores: NDArray[np.floating],
    first: int,
    heap: NDArray[np.int32],
    columns: NDArray[np.int32],
    values: NDArray[np.floating],
    counts: NDArray[np.int64],
) -> None:
    """Keep the entries of the largest magnitude of each row, the diagonal excepted.

    Row j of `scores` is row ``first + j`` of the matrix; it loses its diagonal entry here. Zeros are not
    kept, so a row may have fewer entries than `columns` has room for: `counts` has their number. The order
    of columns is that of the heap; ties go to the lowest column.
    """
    for j in range(scores.shape[0]):
        scores[j, first + j] = 0
        n = largest(scores[j], 0.0, columns.shape[1], heap)
        for place in range(n):
            columns[j, place] = heap[place]
            values[j, place] = scores[j, heap[place]]
        counts[j] = n
