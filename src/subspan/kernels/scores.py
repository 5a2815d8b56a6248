"""Scores of all atoms of a dictionary, and the largest of them.

Scores are the correlations of a residual that is never formed: with Gram rows at hand they are those of the
point minus a short combination of rows. This is memory traffic and nothing else. One pass over a chunk that
stays in the first-level cache subtracts rows, sets special atoms aside and finds the maximum. A row that a
pursuit has not read before comes from far away; it is asked for while the work before it goes on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.prefetch import ask_for
from subspan.kernels.state import N_ATOMS, N_SPECIAL, Dictionary, PursuitState, Rules

# 1024 numbers of the score chunk stay in the first-level cache beside the Gram rows streaming through.
CHUNK = 1024
# Maxima are kept of groups of this size, and of as many groups: so many of either for a chunk.
GROUP = 8
TOPS = CHUNK // GROUP
PEAKS = TOPS // GROUP
# Groups of which candidates are listed, at most.
MANY = 64
# Entries of Search.account.
SHARE, LAST_TOP, ROUNDING, PAUSE, WAITING = range(5)
# The share of the largest score that scores may be wrong by, at first.
FIRST_SHARE = 0.1


class Search(NamedTuple):
    """Scratch of a pursuit that looks for its next atom."""

    # As many as the dictionary has atoms: correlations of the point, where they have to be gathered.
    base: NDArray[np.floating]
    # Whole chunks, zero beyond the atoms: correlations of the point minus some combination of Gram rows,
    # and the same with weights, or empty.
    scores: NDArray[np.floating]
    weighted: NDArray[np.floating]
    # What is compared, as integers, the largest of each group, and of each group of these.
    bits: NDArray[np.signedinteger]
    tops: NDArray[np.signedinteger]
    peaks: NDArray[np.signedinteger]
    # Those that may hold the largest, with one place more than is used: groups of groups, groups, atoms.
    listed: NDArray[np.int64]
    groups: NDArray[np.int64]
    candidates: NDArray[np.int64]
    # That combination: how much of the row of each atom has been subtracted.
    taken: NDArray[np.float64]
    # Changes d of the coefficients, and L' d for the factor L of the system.
    changes: NDArray[np.float64]
    image: NDArray[np.float64]
    # Rows that are subtracted next, and how much of them.
    chosen: NDArray[np.int64]
    amounts: NDArray[np.floating]
    # Of the atoms that a pursuit has listed: correlations with the point, inner products with the
    # atoms so far, a row each, and scores. The former two are kept for each pursuit under way.
    listed_base: NDArray[np.floating]
    listed_gram: NDArray[np.floating]
    listed_scores: NDArray[np.floating]
    # Which share of the largest score the scores may be wrong by, that score at the last search (0 before
    # the first), the rounding errors in the scores so far, how many searches go by after a shortcut that
    # spared little, and how many of them are still to come.
    account: NDArray[np.float64]
    # One number and its bits.
    number: NDArray[np.floating]
    pattern: NDArray[np.signedinteger]


def bits_type(dtype: np.dtype) -> type[np.signedinteger]:
    """Integers as wide as the numbers."""
    return np.int32 if dtype.itemsize == 4 else np.int64


def new_search(
    n_slots: int, n_atoms: int, n_nonzero: int, n_targets: int, weighted: bool, dtype: np.dtype
) -> Search:
    """Allocate the scratch of searches among at most `n_atoms` atoms, `n_targets` of which have targets."""
    n = -(-n_atoms // CHUNK) * CHUNK
    integer = bits_type(dtype)
    scores, number = np.zeros(n, dtype), np.zeros(1, dtype)
    scores_weighted = np.zeros(n if weighted else 0, dtype)
    return Search(
        base=np.zeros(n_atoms, dtype),
        scores=scores,
        weighted=scores_weighted,
        bits=(scores_weighted if weighted else scores).view(integer),
        tops=np.zeros(n // GROUP, integer),
        peaks=np.zeros(n // GROUP**2, integer),
        listed=np.zeros(n // GROUP**2 + 1, np.int64),
        groups=np.zeros(MANY * GROUP + 1, np.int64),
        candidates=np.zeros(MANY * GROUP + 1, np.int64),
        taken=np.zeros(n_nonzero),
        changes=np.zeros(n_nonzero),
        image=np.zeros(n_nonzero),
        chosen=np.zeros(n_nonzero, np.int64),
        amounts=np.zeros(n_nonzero, dtype),
        listed_base=np.zeros((n_slots, n_targets), dtype),
        listed_gram=np.zeros((n_slots, n_nonzero, n_targets), dtype),
        listed_scores=np.zeros(n_targets, dtype),
        account=np.array([FIRST_SHARE, 0.0, 0.0, 0.0, 0.0]),
        number=number,
        pattern=number.view(integer),
    )


def among(search: Search, n_atoms: int) -> Search:
    """The same scratch for a dictionary of this many atoms."""
    n = -(-n_atoms // CHUNK) * CHUNK
    search.scores[n_atoms:n] = 0
    search.weighted[n_atoms:n] = 0
    return search._replace(
        base=search.base[:n_atoms],
        scores=search.scores[:n],
        weighted=search.weighted[:n],
        bits=search.bits[:n],
        tops=search.tops[: n // GROUP],
        peaks=search.peaks[: n // GROUP**2],
    )


@part
def subtract_rows(gram: NDArray[np.floating], search: Search, n_rows: int, start: int, stop: int) -> None:
    """Subtract amounts[r] * gram[chosen[r]] from part of the scores, for one r after the other.

    Rows go four at a time, after what is left over. Indices are unsigned: that spares the check for negative
    ones, without which the compiler vectorises.
    """
    out, rows, amounts = search.scores, search.chosen, search.amounts
    first = np.uint64(start)
    last = np.uint64(stop)
    r = n_rows % 4
    if r == 1:
        r0 = rows[0]
        c0 = amounts[0]
        for i in range(first, last):
            out[i] = out[i] - c0 * gram[r0, i]
    elif r == 2:
        r0, r1 = rows[0], rows[1]
        c0, c1 = amounts[0], amounts[1]
        for i in range(first, last):
            out[i] = out[i] - c0 * gram[r0, i] - c1 * gram[r1, i]
    elif r == 3:
        r0, r1, r2 = rows[0], rows[1], rows[2]
        c0, c1, c2 = amounts[0], amounts[1], amounts[2]
        for i in range(first, last):
            out[i] = out[i] - c0 * gram[r0, i] - c1 * gram[r1, i] - c2 * gram[r2, i]
    while r < n_rows:
        r0, r1, r2, r3 = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        c0, c1, c2, c3 = amounts[r], amounts[r + 1], amounts[r + 2], amounts[r + 3]
        for i in range(first, last):
            out[i] = out[i] - c0 * gram[r0, i] - c1 * gram[r1, i] - c2 * gram[r2, i] - c3 * gram[r3, i]
        r += 4


@part
def chunk_maximum(start: int, search: Search, magnitude_mask: np.signedinteger) -> np.signedinteger:
    """Largest |score| of a chunk, of its groups and of groups of groups, as integers.

    Without its sign bit a float orders as its bit pattern does, and integer maxima vectorise under strict
    arithmetic, where floating-point ones do not. The members of a group are far apart, so that groups side by
    side are vectors side by side.
    """
    bits, tops, peaks = search.bits, search.tops, search.peaks
    narrow = bits.dtype.type
    first = np.uint64(start)
    for g in range(np.uint64(TOPS)):
        # Integers widen in every operation unless they are called back, and wide ones fill vectors twice.
        best = narrow(bits[first + g] & magnitude_mask)
        for member in range(np.uint64(1), np.uint64(GROUP)):
            best = max(best, narrow(bits[first + member * np.uint64(TOPS) + g] & magnitude_mask))
        tops[first // np.uint64(GROUP) + g] = best
    first //= np.uint64(GROUP)
    top = narrow(0)
    for g in range(np.uint64(PEAKS)):
        best = tops[first + g]
        for member in range(np.uint64(1), np.uint64(GROUP)):
            best = max(best, tops[first + member * np.uint64(PEAKS) + g])
        peaks[first // np.uint64(GROUP) + g] = best
        top = max(top, best)
    return top


@part
def update_scores(
    base: NDArray[np.floating],
    anew: bool | np.bool_,
    n_rows: int,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> np.signedinteger:
    """Subtract the chosen rows, from `base` or from the scores there are; the largest |score|, as an integer.

    Special atoms take no part in the maximum. Scores of listed ones are in the state afterwards, if all is
    done anew.
    """
    scores = search.scores
    n = base.shape[0]
    top = search.bits.dtype.type(0)
    special = 0
    n_special = state.numbers[slot, N_SPECIAL]
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        if n_rows > 0:
            # The newest row is the only one that was not read before.
            ask_for(dictionary.gram, state.rows[slot, state.numbers[slot, N_ATOMS] - 1], stop, stop + CHUNK)
        if anew:
            for i in range(np.uint64(start), np.uint64(stop)):
                scores[i] = base[i]
        subtract_rows(dictionary.gram, search, n_rows, start, stop)
        while special < n_special and state.special_position[slot, special] < stop:
            position = state.special_position[slot, special]
            listed = state.special_listed[slot, special]
            if anew and listed >= 0:
                state.listed_score[slot, listed] = scores[position]
            scores[position] = 0
            special += 1
        if dictionary.weights.shape[0] > 0:
            for i in range(np.uint64(start), np.uint64(stop)):
                search.weighted[i] = scores[i] * dictionary.weights[i]
        top = max(top, chunk_maximum(start, search, rules.magnitude_mask))
    return top


@part
def as_number(pattern: np.signedinteger, search: Search) -> float:
    """The number whose bits are `pattern`."""
    search.pattern[0] = pattern
    return float(search.number[0])


@part
def as_pattern(number: float, search: Search) -> np.signedinteger:
    """The bits of a number."""
    search.number[0] = number
    return search.pattern[0]  # type: ignore[no-any-return]


@part
def first_member(group: int, width: int) -> int:
    """First of the members of a group, which are `width` apart; there are as many groups in a chunk."""
    return group // width * width * GROUP + group % width


@part
def position_of(top: np.signedinteger, search: Search, magnitude_mask: np.signedinteger) -> int:
    """First position whose |score| is `top`."""
    found: int = search.bits.shape[0]
    for peak in range(search.peaks.shape[0]):
        if search.peaks[peak] == top:
            first_group = first_member(peak, PEAKS)
            for group in range(first_group, first_group + TOPS, PEAKS):
                if search.tops[group] == top:
                    position = first_member(group, TOPS)
                    while search.bits[position] & magnitude_mask != top:
                        position += TOPS
                    found = min(found, position)
    return found


@part
def list_members(
    groups: NDArray[np.int64],
    n_groups: int,
    width: int,
    values: NDArray[np.signedinteger],
    magnitude_mask: np.signedinteger,
    threshold: np.signedinteger,
    out: NDArray[np.int64],
) -> int:
    """List the members of the first MANY groups whose magnitude is at least `threshold`; their number.

    The list grows without a branch: no processor can guess where the next hit is.
    """
    n = 0
    for g in range(min(n_groups, MANY)):
        start = first_member(groups[g], width)
        for member in range(GROUP):
            position = start + member * width
            out[n] = position
            n += values[position] & magnitude_mask >= threshold
    return n


@part
def find_candidates(threshold: np.signedinteger, search: Search, magnitude_mask: np.signedinteger) -> int:
    """List the positions whose |score| is at least `threshold`; their number, or something above MANY."""
    n_peaks = 0
    for peak in range(search.peaks.shape[0]):
        search.listed[n_peaks] = peak
        n_peaks += search.peaks[peak] >= threshold
    n_groups = list_members(
        search.listed, n_peaks, PEAKS, search.tops, magnitude_mask, threshold, search.groups
    )
    n_found = list_members(
        search.groups, n_groups, TOPS, search.bits, magnitude_mask, threshold, search.candidates
    )
    return max(n_peaks, n_groups, n_found)


@part
def largest_besides(search: Search, position: int, magnitude_mask: np.signedinteger) -> float:
    """Largest |score| without the one at `position`, which becomes 0."""
    search.bits[position] = 0
    top = chunk_maximum(position // CHUNK * CHUNK, search, magnitude_mask)
    for p in range(np.uint64(search.peaks.shape[0])):
        top = max(top, search.peaks[p])
    return as_number(top, search)
