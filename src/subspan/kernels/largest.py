"""Which correlations are the largest, and which entries of each row of a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


@part
def is_below(scores: NDArray[np.floating], i: int, j: int) -> bool:
    """Whether atom `i` is a worse candidate than atom `j`; ties go to the lowest index."""
    one, other = abs(scores[i]), abs(scores[j])
    return one < other or (one == other and i > j)


@part
def sift(scores: NDArray[np.floating], heap: NDArray[np.int32], n: int, place: int) -> None:
    """Restore the order of a heap, worst candidate first, after the entry at `place` has changed."""
    while True:
        child = 2 * place + 1
        if child >= n:
            return
        if child + 1 < n and is_below(scores, heap[child + 1], heap[child]):
            child += 1
        if is_below(scores, heap[place], heap[child]):
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@part
def largest(scores: NDArray[np.floating], above: float, most: int, heap: NDArray[np.int32]) -> int:
    """Fill `heap` with the `most` atoms of largest magnitude, if it exceeds `above`; returns their number."""
    n = 0
    for i in range(scores.shape[0]):
        if abs(scores[i]) <= above:
            continue
        if n < most:
            heap[n] = i
            n += 1
            # From here on an atom has to beat the worst of the heap.
            if n == most:
                for place in range(n // 2 - 1, -1, -1):
                    sift(scores, heap, n, place)
                above = abs(scores[heap[0]])
        else:
            heap[0] = i
            sift(scores, heap, n, 0)
            above = abs(scores[heap[0]])
    return n


@kernel
def largest_magnitudes(
    correlations: NDArray[np.floating], own: NDArray[np.int64], n_atoms: int, out: NDArray[np.float64]
) -> None:
    """Fill `out` with the largest magnitude of each point's correlations with atoms other than itself."""
    for j in range(out.shape[0]):
        best = correlations.dtype.type(0)
        row = correlations[j]
        for i in range(np.uint64(n_atoms)):
            magnitude = abs(row[i])
            if magnitude > best and i != own[j]:
                best = magnitude
        out[j] = best


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
