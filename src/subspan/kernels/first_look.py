"""The next atom of a pursuit, by a first look at all scores.

A search has two parts: a look leaves candidates and asks for the numbers that their exact scores take, and a
decision computes these. Whoever does something else in between does not wait for the numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.coarse import FIXED, LARGEST, MANY, FirstLook, combine_rows
from subspan.kernels.entries import atom_at
from subspan.kernels.jit import part, passage
from subspan.kernels.maxima import LANES, MEMBERS, block_maxima, list_above
from subspan.kernels.prefetch import ask_for, prefetch
from subspan.kernels.search import best_exact, exact_score, rounding_of
from subspan.kernels.state import N_ATOMS, N_SPECIAL, Dictionary, Points, PursuitState, Rules

# Rounding of a number in units of its row: half a unit, and what becomes of it in fixed point and in a word.
ROUNDED = 0.505


@part
def take_row(place: int, n_rows: int, dictionary: Dictionary, slot: int, look: FirstLook) -> None:
    """Let looks combine one row more than `n_rows`, that of the atom at `place` among all."""
    look.rows[slot, n_rows] = place
    look.row_units[slot, n_rows] = dictionary.units[place]


@part
def look_at_all(dictionary: Dictionary, state: PursuitState, slot: int, look: FirstLook) -> tuple[int, float]:
    """Fill `look` with |scores|, special atoms left out; returns the largest and the unit."""
    k = state.numbers[slot, N_ATOMS]
    rows, units = look.rows[slot], look.row_units[slot]
    total = units[0]
    for a in range(k):
        total += abs(np.float64(state.coefficients[slot, a])) * units[a + 1]
    if total == 0:
        return 0, 0.0
    unit = total / LARGEST
    scale = FIXED / unit
    look.factors[0] = np.int16(np.rint(scale * units[0]))
    for a in range(k):
        amount = np.float64(state.coefficients[slot, a]) * units[a + 1]
        look.factors[a + 1] = np.int16(-np.rint(scale * amount))
    shown = state.shown[slot, : dictionary.all_shown.shape[0]]
    top = combine_rows(
        dictionary.coarse, rows, look.factors, k + 1, shown, look.bits[slot], look.peaks[slot]
    )  # fmt: skip
    return top, unit


@part
def largest_besides(place: int, bits: NDArray[np.int16], peaks: NDArray[np.int16]) -> int:
    """Largest |score| without the one at `place`, which becomes 0."""
    bits[place] = 0
    block = place // (MEMBERS * LANES)
    top = block_maxima(bits, block, block + 1, peaks)
    for p in range(np.uint64(peaks.shape[0])):
        top = max(top, int(peaks[p]))
    return top


@part
def search_exactly(
    row: NDArray[np.floating], dictionary: Dictionary, state: PursuitState, slot: int
) -> tuple[int, float]:
    """Position of the largest |score| outside the special atoms, one by one; the first of equals."""
    special = 0
    n_special = state.numbers[slot, N_SPECIAL]
    winner = -1
    best = 0.0
    for position in range(dictionary.columns.shape[0]):
        if special < n_special and state.special_position[slot, special] == position:
            special += 1
            continue
        score = float(exact_score(row[atom_at(dictionary, position)], position, dictionary, state, slot))
        if abs(score) > abs(best):
            winner = position
            best = score
    return winner, best


@part
def ask_for_half(dictionary: Dictionary, place: int, half: int) -> None:
    """Ask for half of what a look takes of the atom at `place` among all.

    Few requests can be under way at a time, so whoever can asks for the other half a little later.
    """
    n_words = dictionary.position_seen.shape[0] // 4
    ask_for(dictionary.coarse, place, half * n_words, (half + 1) * n_words)


@part
def ask_for_rows(dictionary: Dictionary, state: PursuitState, slot: int, look: FirstLook) -> None:
    """Ask for what a look takes of the atoms so far."""
    for a in range(look.n_asked[slot], state.numbers[slot, N_ATOMS]):
        ask_for_half(dictionary, state.places[slot, a], 0)
        ask_for_half(dictionary, state.places[slot, a], 1)
    look.n_asked[slot] = state.numbers[slot, N_ATOMS]


@part
def ask_for_candidates(
    place: int,
    goes_on: bool,
    dictionary: Dictionary,
    atom_norms: NDArray[np.float64],
    state: PursuitState,
    slot: int,
    look: FirstLook,
) -> None:
    """Turn places of candidates into positions; ask for what their exact scores and the next look take."""
    bits, candidates = look.bits[slot], look.candidates[slot]
    likely = candidates[0]
    for c in range(look.n_found[slot]):
        if bits[candidates[c]] > bits[likely]:
            likely = candidates[c]
        candidates[c] = dictionary.position_seen[candidates[c]]
        atom = np.int64(dictionary.columns[candidates[c]])
        prefetch(dictionary.gram, (place, atom))
        prefetch(dictionary.place_seen, (candidates[c],))
        prefetch(dictionary.units, (atom,))
        prefetch(atom_norms, (atom,))
        for a in range(state.numbers[slot, N_ATOMS]):
            prefetch(dictionary.gram, (state.places[slot, a], atom))
    if goes_on:
        look.likely[slot] = dictionary.columns[dictionary.position_seen[likely]]
        ask_for_half(dictionary, look.likely[slot], 0)


@passage
def find_candidates(
    points: Points,
    j: int,
    dictionary: Dictionary,
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    slot: int,
    look: FirstLook,
) -> None:
    """Look at all scores of point `j`; what may be the largest of them is in `look` afterwards."""
    norm = np.sqrt(points.squared_norms[j])
    k = state.numbers[slot, N_ATOMS]
    bits, peaks = look.bits[slot], look.peaks[slot]
    top, unit = look_at_all(dictionary, state, slot, look)
    rounding = (k + 4) * rounding_of(norm, state.coefficients[slot], k, rules)
    error = ROUNDED * LARGEST + 0.75 * (k + 1) + 1
    if unit > 0:
        error += rounding / unit
    threshold = top - 2 * error - 1
    n_found = MANY + 1
    if threshold > 0:
        n_found = list_above(bits, peaks, int(threshold), look.listed, look.candidates[slot])
    look.account[0] += 1
    look.account[1] += n_found
    look.n_found[slot], look.top[slot], look.error[slot], look.unit[slot] = n_found, top, error, unit
    look.likely[slot] = -1
    if n_found <= MANY:
        ask_for_candidates(points.row[j], k + 1 < rules.n_nonzero, dictionary, atom_norms, state, slot, look)


@passage
def decide(
    row: NDArray[np.floating],
    dictionary: Dictionary,
    state: PursuitState,
    slot: int,
    look: FirstLook,
    remembers: bool,
) -> tuple[int, float, float]:
    """The winner, its exact score, and a bound on the exact |scores| besides it, after `find_candidates`."""
    n_found, error, unit = look.n_found[slot], look.error[slot], look.unit[slot]
    if look.likely[slot] >= 0:
        ask_for_half(dictionary, look.likely[slot], 1)
    if n_found > MANY:
        winner, score = search_exactly(row, dictionary, state, slot)
        return winner, score, abs(score)
    winner, score, second = best_exact(look.candidates[slot, :n_found], row, dictionary, state, slot)
    others = max(second, (look.top[slot] - error) * unit)
    if remembers and winner >= 0:
        besides = largest_besides(dictionary.place_seen[winner], look.bits[slot], look.peaks[slot])
        others = min(others, (besides + error) * unit)
    return winner, score, others
