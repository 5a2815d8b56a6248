"""Inner products of rows as numbers of 8 bits, and the look at them: a combination of rows of such numbers.

Each row is split into its projection onto a few common directions and a rest. The 8-bit numbers are inner
products of the rests only, so they are smaller and rounded less. Every row of numbers has its own unit,
chosen so that the largest number is LARGEST. Two numbers share a word of 16 bits, lower + 256 upper, for the
atoms i and half + i of a dictionary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part, passage
from subspan.kernels.pursuit.state import (
    N_ATOMS,
    N_COMMON,
    QUAD,
    QUERY,
    EightBitProducts,
    Problem,
    Scratch,
    State,
    Words,
)

LARGEST = 127
# Factors of rows are 16-bit integers.
LARGEST_FACTOR = 32767.0
# Sums are 16-bit integers too; this leaves room for rounding.
LARGEST_SUM = 32000.0


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


@part
def upper_half(word: np.int16, factor: np.int16) -> np.int16:
    """Product of two words, in units of 2^16, rounded down."""
    return np.int16((np.int32(word) * np.int32(factor)) >> 16)


@passage
def sum_of_four(a: Any, b: Any, c: Any, d: Any, fa: Any, fb: Any, fc: Any, fd: Any) -> Any:
    """Sum of the products of four words with their factors."""
    return np.int16(upper_half(a, fa) + upper_half(b, fb) + upper_half(c, fc) + upper_half(d, fd))


@part
def lower_byte(word: np.int16) -> np.int16:
    """The lower number of a word, in the place of the upper one."""
    return np.int16(word << 8)


@passage
def row_of(r: int, words: Words, scratch: Scratch) -> Words:
    """Words of the query, or of one of its atoms."""
    row = scratch.rows[r]
    return words[row] if row >= 0 else scratch.query_words


@part
def combine(n_rows: int, words: Words, scratch: Scratch) -> None:
    """Fill `scratch.scores` with the sum of rows times factors / 256, each product rounded.

    The number of rows is filled up to a multiple of QUAD with zero factors. Intermediate sums may wrap
    around, but the results are in range, so they are right.
    """
    half = np.uint64(words.shape[1])
    factors = scratch.factors
    lower, upper = scratch.scores[:half], scratch.scores[half : half + half]
    # Every product is rounded down, so half a unit for each is added first.
    start = np.int16(n_rows // 2)
    for i in range(half):
        lower[i] = start
        upper[i] = start
    for r in range(0, n_rows, QUAD):
        a, b = row_of(r, words, scratch), row_of(r + 1, words, scratch)
        c, d = row_of(r + 2, words, scratch), row_of(r + 3, words, scratch)
        fa, fb, fc, fd = factors[r], factors[r + 1], factors[r + 2], factors[r + 3]
        for i in range(half):
            lower[i] += sum_of_four(
                lower_byte(a[i]), lower_byte(b[i]), lower_byte(c[i]), lower_byte(d[i]), fa, fb, fc, fd
            )
            upper[i] += sum_of_four(a[i], b[i], c[i], d[i], fa, fb, fc, fd)
    # A word is lower + 256 upper, so the upper sums hold 1 / 256 of the lower ones.
    for i in range(half):
        upper[i] -= np.int16(np.int16(lower[i] - start) >> np.int16(8))


@part
def add_common(unit: float, numbers: EightBitProducts, scratch: Scratch) -> float:
    """Add what the common directions contribute to the scores; returns a bound on the error of that."""
    offsets, scores, factors, means = numbers.offsets, scratch.scores, scratch.mean_factors, scratch.means
    first = 0.0
    # Rounding of four factors and products, and of the first term.
    error = 4 * unit
    for c in range(N_COMMON):
        first += means[c] * numbers.middles[c]
        factors[c] = np.int16(np.rint(65536 * means[c] * numbers.mean_units[c] / unit))
        error += 0.501 * abs(means[c]) * numbers.mean_units[c]
    start = np.int16(np.rint(first / unit)) + np.int16(N_COMMON // 2)
    a, b, c, d = offsets[0], offsets[1], offsets[2], offsets[3]
    fa, fb, fc, fd = factors[0], factors[1], factors[2], factors[3]
    for i in range(np.uint64(offsets.shape[1])):
        scores[i] += np.int16(start + sum_of_four(a[i], b[i], c[i], d[i], fa, fb, fc, fd))
    return error


@part
def mean_residual(problem: Problem, state: State, scratch: Scratch) -> float:
    """Products of the residual with the common directions; returns the most that they add to a score."""
    numbers, means = problem.numbers, scratch.means
    most = 0.0
    for c in range(N_COMMON):
        means[c] = problem.query_bytes.means[state.counts[QUERY], c]
        for a in range(state.counts[N_ATOMS]):
            means[c] -= state.values[a] * numbers.means[state.atoms[a], c]
        most += abs(means[c]) * (abs(numbers.middles[c]) + LARGEST_FACTOR * numbers.mean_units[c])
    return most


@part
def list_rows(problem: Problem, state: State, scratch: Scratch) -> int:
    """List the rows that a look combines and how much of each: of the query and of its atoms.

    Returns their number, filled up to a multiple of QUAD.
    """
    numbers, rows, amounts = problem.numbers, scratch.rows, scratch.amounts
    j, k = state.counts[QUERY], state.counts[N_ATOMS]
    own = problem.queries.own[j]
    if k > 0:
        rows[k] = numbers.rows[state.atoms[k - 1]]
    else:
        rows[0] = numbers.rows[own] if own >= 0 else -1
        amounts[0] = numbers.units[own] if rows[0] >= 0 else problem.query_bytes.units[j]
        if rows[0] < 0:
            row = problem.query_bytes.numbers[problem.query_bytes.rows[j]]
            pack_row(row, problem.dictionary.atoms, scratch.query_words[: numbers.words.shape[1]])
    for a in range(k):
        amounts[a + 1] = -state.values[a] * numbers.units[state.atoms[a]]
    n_rows = -(-int(k + 1) // QUAD) * QUAD
    for r in range(k + 1, n_rows):
        rows[r] = rows[0]
        amounts[r] = 0.0
    return n_rows


@part
def look_in_8_bits(problem: Problem, state: State, scratch: Scratch) -> tuple[float, float]:
    """Fill `scratch.scores` with scores of all atoms; returns their unit and a bound on their error."""
    numbers, amounts = problem.numbers, scratch.amounts
    n_rows, k = list_rows(problem, state, scratch), state.counts[N_ATOMS]
    total = largest = 0.0
    for r in range(n_rows):
        total += abs(amounts[r])
        largest = max(largest, abs(amounts[r]))
    common = mean_residual(problem, state, scratch) if numbers.offsets.shape[0] > 0 else 0.0
    # Large enough that neither factors nor sums overflow.
    unit = max(256 * largest, LARGEST * total + 2 * common) / LARGEST_SUM
    if unit == 0:
        return 0.0, 0.0
    scale = 256 / unit
    for r in range(n_rows):
        scratch.factors[r] = np.int16(np.rint(scale * amounts[r]))
    combine(k + 1, numbers.words, scratch)
    norm = problem.queries.norms[state.counts[QUERY]]
    for a in range(k):
        norm += abs(state.values[a]) * problem.atoms.norms[state.atoms[a]]
    # Rounding to 8 bits; rounding of factors, products and sums; errors of single precision.
    error = 0.501 * total + (0.75 * k + 4) * unit + 4 * problem.reach.rounding * problem.reach.longest * norm
    if numbers.offsets.shape[0] > 0:
        error += add_common(unit, numbers, scratch)
    # The end of the last group has no atoms.
    for i in range(problem.dictionary.atoms.shape[0], 2 * numbers.words.shape[1]):
        scratch.scores[i] = 0
    return unit, error
