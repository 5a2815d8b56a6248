"""Looks: approximate scores of all atoms of a dictionary, with a bound on their error.

A look gives candidates: all atoms whose exact score may be the largest. `step.choose` then compares their
exact scores. So the atom that is picked does not depend on the precision of the look.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part, passage
from subspan.kernels.lines import in_lines, zeros_in_lines
from subspan.kernels.pursuit.eight_bits import LARGEST, pack_row, words_length
from subspan.kernels.pursuit.state import (
    EVERY_ATOM,
    GROUP,
    N_ATOMS,
    N_BLOCKED,
    N_CANDIDATES,
    N_COMMON,
    N_TARGETS,
    QUERY,
    EightBitProducts,
    Problem,
    State,
)
from subspan.kernels.pursuit.step import form_residual

Words = NDArray[np.int16]
Scores = NDArray[np.signedinteger]

# Factors of rows are 16-bit integers.
LARGEST_FACTOR = 32767.0
# Sums are 16-bit integers too; this leaves room for rounding.
LARGEST_SUM = 32000.0
# Rows that one loop combines.
QUAD = 4
# Largest score of a look at the residual.
SHARP = 2.0**30


class Scratch(NamedTuple):
    """Buffers of looks."""

    # Words of a query that is no atom of the dictionary.
    query_words: Words
    # Rows of words that a look combines; -1 for the query's.
    rows: NDArray[np.int64]
    factors: Words
    means: NDArray[np.float64]
    scores: Words
    # (n_features, m) weighted atoms of the dictionary, a feature after the other, and whether they are there.
    panel: NDArray[np.float32]
    panel_filled: NDArray[np.bool_]
    products: NDArray[np.float32]
    product_scores: NDArray[np.int32]
    # Largest score of each group, for both kinds of look.
    peaks: NDArray[np.int32]


def new_scratch(n_nonzero: int, n_atoms: int, n_features: int) -> Scratch:
    """Allocate buffers for dictionaries of at most `n_atoms` atoms."""
    half = words_length(n_atoms)
    n_rows = -(-(n_nonzero + 1) // QUAD) * QUAD
    return Scratch(
        query_words=zeros_in_lines((half,), np.int16),
        rows=np.zeros(n_rows, np.int64),
        factors=np.zeros(max(n_rows, N_COMMON), np.int16),
        means=np.zeros(N_COMMON),
        scores=zeros_in_lines((2 * half,), np.int16),
        panel=in_lines((-(-n_features // QUAD) * QUAD, 2 * half), np.float32),
        panel_filled=np.zeros(1, np.bool_),
        products=zeros_in_lines((2 * half,), np.float32),
        product_scores=zeros_in_lines((2 * half,), np.int32),
        peaks=np.zeros(2 * half // GROUP, np.int32),
    )


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
    for r in range(0, n_rows, QUAD):
        a, b = row_of(r, words, scratch), row_of(r + 1, words, scratch)
        c, d = row_of(r + 2, words, scratch), row_of(r + 3, words, scratch)
        fa, fb, fc, fd = factors[r], factors[r + 1], factors[r + 2], factors[r + 3]
        if r == 0:
            for i in range(half):
                lower[i] = start + sum_of_four(
                    lower_byte(a[i]), lower_byte(b[i]), lower_byte(c[i]), lower_byte(d[i]), fa, fb, fc, fd
                )
                upper[i] = start + sum_of_four(a[i], b[i], c[i], d[i], fa, fb, fc, fd)
        else:
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
    offsets, scores, factors, means = numbers.offsets, scratch.scores, scratch.factors, scratch.means
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
        means[c] = numbers.query_means[state.counts[QUERY], c]
        for a in range(state.counts[N_ATOMS]):
            means[c] -= state.values[a] * numbers.means[state.atoms[a], c]
        most += abs(means[c]) * (abs(numbers.middles[c]) + LARGEST_FACTOR * numbers.mean_units[c])
    return most


@part
def take_rows(problem: Problem, state: State, scratch: Scratch) -> float:
    """List the rows that a look combines: of the query and of its atoms. Returns the unit of the query."""
    numbers, rows = problem.numbers, scratch.rows
    j, k = state.counts[QUERY], state.counts[N_ATOMS]
    own = problem.queries.own[j]
    if k > 0:
        rows[k] = numbers.rows[state.atoms[k - 1]]
    else:
        rows[0] = numbers.rows[own] if own >= 0 else -1
        if rows[0] < 0:
            row = numbers.query_bytes[numbers.query_rows[j]]
            pack_row(row, problem.dictionary.atoms, scratch.query_words[: numbers.words.shape[1]])
    # These factors are zero, so any row is right.
    for r in range(k + 1, -(-(k + 1) // QUAD) * QUAD):
        rows[r] = rows[0]
    return float(numbers.units[own] if rows[0] >= 0 else numbers.query_units[j])


@part
def look_in_8_bits(problem: Problem, state: State, scratch: Scratch) -> tuple[float, float]:
    """Fill `scratch.scores` with scores of all atoms; returns their unit and a bound on their error."""
    numbers, values, factors = problem.numbers, state.values, scratch.factors
    query_unit = take_rows(problem, state, scratch)
    j, k = state.counts[QUERY], state.counts[N_ATOMS]
    norm = problem.queries.norms[j]
    total = largest = query_unit
    for a in range(k):
        atom = state.atoms[a]
        norm += abs(values[a]) * problem.atoms.norms[atom]
        amount = abs(values[a]) * numbers.units[atom]
        total += amount
        largest = max(largest, amount)
    common = mean_residual(problem, state, scratch) if numbers.offsets.shape[0] > 0 else 0.0
    # Large enough that neither factors nor sums overflow.
    unit = max(256 * largest, LARGEST * total + 2 * common) / LARGEST_SUM
    if unit == 0:
        return 0.0, 0.0
    scale = 256 / unit
    factors[0] = np.int16(np.rint(scale * query_unit))
    for a in range(k):
        factors[a + 1] = np.int16(-np.rint(scale * values[a] * numbers.units[state.atoms[a]]))
    for r in range(k + 1, -(-(k + 1) // QUAD) * QUAD):
        factors[r] = 0
    combine(k + 1, numbers.words, scratch)
    # Rounding to 8 bits; rounding of factors, products and sums; errors of single precision.
    error = 0.501 * total + (0.75 * k + 4) * unit + 4 * problem.reach.rounding * problem.reach.longest * norm
    if numbers.offsets.shape[0] > 0:
        error += add_common(unit, numbers, scratch)
    # The end of the last group has no atoms.
    for i in range(problem.dictionary.atoms.shape[0], 2 * numbers.words.shape[1]):
        scratch.scores[i] = 0
    return unit, error


@part
def fill_panel(problem: Problem, scratch: Scratch) -> None:
    """Copy the weighted atoms of the dictionary, one row per feature; the longest gets length 1."""
    if scratch.panel_filled[0]:
        return
    atoms, panel = problem.atoms, scratch.panel
    for i in range(problem.dictionary.atoms.shape[0]):
        atom = problem.dictionary.atoms[i]
        weight = atoms.weights[atom] / problem.reach.longest
        for d in range(panel.shape[0]):
            panel[d, i] = np.float32(weight * atoms.rows[atom, d])
    scratch.panel_filled[0] = True


@part
def look_at_residual(problem: Problem, state: State, scratch: Scratch) -> tuple[float, float]:
    """Fill `scratch.product_scores` with all scores; returns their unit and a bound on their error."""
    fill_panel(problem, scratch)
    form_residual(problem.queries, problem.atoms, state)
    residual, panel = state.residual, scratch.panel
    n = np.uint64(problem.dictionary.atoms.shape[0])
    products, scores = scratch.products, scratch.product_scores
    # The product is in single precision, so the residual is scaled to length 1. Its length is computed
    # relative to the query, so that no square overflows.
    norm = problem.queries.norms[state.counts[QUERY]]
    squared = 0.0
    for d in range(panel.shape[0]):
        squared += (np.float64(residual[d]) / norm) ** 2
    length = norm * np.sqrt(squared)
    if length == 0:
        return 0.0, 0.0
    for i in range(n):
        products[i] = 0
    for d in range(0, panel.shape[0], QUAD):
        a, b, c, e = panel[d], panel[d + 1], panel[d + 2], panel[d + 3]
        fa, fb = np.float32(residual[d] / length), np.float32(residual[d + 1] / length)
        fc, fe = np.float32(residual[d + 2] / length), np.float32(residual[d + 3] / length)
        for i in range(n):
            products[i] += fa * a[i] + fb * b[i] + fc * c[i] + fe * e[i]
    # Integers compare faster. They have more digits than single precision, so nothing is lost.
    for i in range(n):
        scores[i] = np.int32(products[i] * np.float32(SHARP))
    for i in range(problem.dictionary.atoms.shape[0], scores.shape[0]):
        scores[i] = 0
    largest = problem.reach.longest * length
    return largest / SHARP, 4 * problem.reach.rounding * largest


@part
def bound_targets(scores: Scores, unit: float, error: float, problem: Problem, state: State) -> float:
    """Set upper bounds on the scores of atoms with a target, and clear these scores; the best lower bound."""
    best = -np.inf
    for e in range(state.counts[N_TARGETS]):
        position = state.target_positions[e]
        weight = problem.atoms.weights[problem.dictionary.atoms[position]]
        # The score is r (r + slope) + constant in the weighted correlation r.
        slope = problem.rules.cross * state.target_values[e] * weight
        constant = problem.rules.square * (state.target_values[e] * weight) ** 2
        low, high = unit * scores[position] - error, unit * scores[position] + error
        scores[position] = 0
        state.target_bounds[e] = -np.inf
        if state.target_free[e]:
            # On an interval a parabola is largest at an end, and smallest at an end or at the vertex.
            vertex = min(max(-0.5 * slope, low), high)
            most = max(low * (low + slope), high * (high + slope)) + constant
            least = vertex * (vertex + slope) + constant
            # The exact score is rounded too.
            slack = 1e-6 * (low**2 + high**2 + abs(slope) * (abs(low) + abs(high)) + abs(constant))
            state.target_bounds[e] = most + slack
            best = max(best, least - slack)
    return best


@part
def find_peaks(scores: Scores, n_groups: int, peaks: NDArray[np.int32]) -> int:
    """Fill `peaks` with the largest |score| of each group, and return the largest of all."""
    top = scores.dtype.type(0)
    size = np.uint64(GROUP)
    for g in range(np.uint64(n_groups)):
        group = scores[g * size : g * size + size]
        peak = scores.dtype.type(0)
        for i in range(size):
            value = scores.dtype.type(abs(group[i]))
            if value > peak:
                peak = value
        peaks[g] = peak
        if peak > top:
            top = peak
    return int(top)


@part
def shortlist(
    scores: NDArray[np.signedinteger],
    unit: float,
    error: float,
    problem: Problem,
    state: State,
    scratch: Scratch,
) -> None:
    """List the atoms whose exact score may be the largest, from scores that are off by at most `error`."""
    counts, candidates, peaks = state.counts, state.candidates, scratch.peaks
    members, most = problem.dictionary.members, state.candidate_targets.shape[0]
    for i in range(np.uint64(members.shape[0])):
        scores[i] *= members[i]
    n_groups = -(-problem.dictionary.atoms.shape[0] // GROUP)
    for b in range(counts[N_BLOCKED]):
        scores[state.blocked[b]] = 0
    best = bound_targets(scores, unit, error, problem, state)
    top = find_peaks(scores, n_groups, peaks)
    if unit * top > error:
        best = max(best, (unit * top - error) ** 2)
    threshold = np.sqrt(max(best, 0.0)) * (1 - 1e-6) - error
    if threshold <= 0:
        return
    found = 0
    for e in range(counts[N_TARGETS]):
        if state.target_bounds[e] >= best:
            candidates[found] = state.target_positions[e]
            state.candidate_targets[found] = state.target_values[e]
            found += 1
    with_target = found
    # Scores are whole numbers.
    least = scores.dtype.type(min(np.ceil(threshold / unit), top + 1.0))
    for g in range(n_groups):
        if peaks[g] < least:
            continue
        # Branches on candidates are mispredicted, so the list grows without a branch.
        for i in range(np.uint64(g * GROUP), np.uint64((g + 1) * GROUP)):
            candidates[np.uint64(found)] = i
            found += abs(scores[i]) >= least
        if found > most:
            return
    for c in range(with_target, found):
        state.candidate_targets[c] = 0.0
    counts[N_CANDIDATES] = found


@part
def look(problem: Problem, state: State, scratch: Scratch) -> None:
    """Find the candidates of a step by 8-bit numbers; by the residual if there are none or if that fails."""
    state.counts[N_CANDIDATES] = EVERY_ATOM
    if problem.numbers.words.shape[0] > 0:
        unit, error = look_in_8_bits(problem, state, scratch)
        if unit > 0:
            shortlist(scratch.scores, unit, error, problem, state, scratch)
    if state.counts[N_CANDIDATES] == EVERY_ATOM:
        unit, error = look_at_residual(problem, state, scratch)
        if unit > 0:
            shortlist(scratch.product_scores, unit, error, problem, state, scratch)
