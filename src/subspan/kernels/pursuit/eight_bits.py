"""Inner products of rows as numbers of 8 bits.

Each row is split into its projection onto a few common directions and a rest. The 8-bit numbers are inner
products of the rests only, so they are smaller and rounded less. Every row of numbers has its own unit,
chosen so that the largest number is LARGEST. Two numbers share a word of 16 bits, lower + 256 upper, for the
atoms i and half + i of a dictionary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part

LARGEST = 127
# Words of a cache line.
WORDS_PER_LINE = 32


def words_length(n_atoms: int) -> int:
    """Words of a row: an odd number of cache lines, so that rows use different sets of the cache.

    Examples
    --------
    >>> words_length(4000), words_length(4096)
    (2016, 2080)
    """
    n_lines = -(-n_atoms // (2 * WORDS_PER_LINE))
    return (n_lines + 1 - n_lines % 2) * WORDS_PER_LINE


@kernel
def round_rows(
    products: NDArray[np.float32],
    bits: NDArray[np.int32],
    own: NDArray[np.int64],
    row_means: NDArray[np.float32],
    means: NDArray[np.float32],
    weights: NDArray[np.float32],
    largest: NDArray[np.float32],
    out: NDArray[np.int8],
) -> None:
    """Fill `out` with inner products of some rows with all atoms, in units of `largest` / LARGEST.

    Parameters
    ----------
    products : IN, overwritten
        Inner products of the rows as they are.
    bits : IN
        The same memory as integers. Without the sign bit they have the same order, and compare faster.
    own : IN
        The column of each row that is never used, or -1.
    row_means, means : IN
        Inner products with the common directions: of rows, (., N_COMMON), and of atoms, (N_COMMON, .).
    weights : IN
        Factors of the columns.
    largest : OUT
        Largest magnitude in each row.
    out : OUT
    """
    n = np.uint64(products.shape[1])
    magnitude = np.int32(0x7FFFFFFF)
    largest_bits = largest.view(np.int32)
    for i in range(products.shape[0]):
        row, row_bits, numbers = products[i], bits[i], out[i]
        for common in range(means.shape[0]):
            mean, others = row_means[i, common], means[common]
            for c in range(n):
                row[c] -= mean * others[c]
        for c in range(n):
            row[c] *= weights[c]
        if own[i] >= 0:
            row[own[i]] = 0
        top = np.int32(0)
        for c in range(n):
            top = max(top, row_bits[c] & magnitude)
        largest_bits[i] = top
        scale = np.float32(0)
        if top > 0:
            scale = np.float32(LARGEST) / largest[i]
        for c in range(n):
            numbers[c] = np.int8(np.rint(row[c] * scale))


@part
def pack_row(numbers: NDArray[np.int8], columns: NDArray[np.int32], out: NDArray[np.int16]) -> None:
    """Fill the words of a row with the numbers in some columns, then zeros."""
    half = np.uint64(out.shape[0])
    n = np.uint64(columns.shape[0])
    n_pairs = n - half if n > half else np.uint64(0)
    n_lower = min(n, half)
    for i in range(n_pairs):
        upper = np.int16(numbers[np.uint32(columns[half + i])])
        out[i] = np.int16(numbers[np.uint32(columns[i])]) + upper * np.int16(256)
    for i in range(n_pairs, n_lower):
        out[i] = numbers[np.uint32(columns[i])]
    for i in range(n_lower, half):
        out[i] = 0


@kernel
def pack_words(
    numbers: NDArray[np.int8],
    rows: NDArray[np.int64],
    columns: NDArray[np.int32],
    places: NDArray[np.int64],
    out: NDArray[np.int16],
) -> None:
    """Fill the rows `places` of `out` with the words of the rows `rows`."""
    for i in range(rows.shape[0]):
        pack_row(numbers[rows[i]], columns, out[places[i]])
