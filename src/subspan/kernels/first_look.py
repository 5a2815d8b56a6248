"""The next atom of a pursuit, by a first look at all scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.coarse import FIXED, LARGEST, FirstLook, combine_rows, place_of, position_at
from subspan.kernels.entries import atom_at
from subspan.kernels.jit import part, passage
from subspan.kernels.prefetch import ask_for, prefetch
from subspan.kernels.scores import CHUNK, MANY, chunk_maximum, find_candidates
from subspan.kernels.search import best_exact, exact_score, rounding_of
from subspan.kernels.state import N_ATOMS, N_SPECIAL, Dictionary, PursuitState, Rules

MASK = np.int16(0x7FFF)
# Rounding of a number in units of its row: half a unit, and what becomes of it in fixed point and in a word.
ROUNDED = 0.505


@part
def look_at_all(place: int, dictionary: Dictionary, state: PursuitState, look: FirstLook) -> float:
    """Fill `look` with |scores|, special atoms left out; returns their unit."""
    k = state.numbers[0, N_ATOMS]
    total = float(dictionary.units[place])
    for a in range(k):
        unit = dictionary.units[dictionary.columns[state.rows[0, a]]]
        total += abs(np.float64(state.coefficients[0, a])) * unit
    if total == 0:
        return 0.0
    unit = total / LARGEST
    scale = FIXED / unit
    look.rows[0] = place
    look.factors[0] = np.int16(np.rint(scale * dictionary.units[place]))
    for a in range(k):
        atom = dictionary.columns[state.rows[0, a]]
        look.rows[a + 1] = atom
        amount = np.float64(state.coefficients[0, a]) * dictionary.units[atom]
        look.factors[a + 1] = np.int16(-np.rint(scale * amount))
    combine_rows(dictionary.coarse, look.rows, look.factors, k + 1, look.bits)
    for e in range(state.numbers[0, N_SPECIAL]):
        look.bits[place_of(state.special_position[0, e], look)] = 0
    n = dictionary.columns.shape[0]
    if n % 2:
        look.bits[place_of(n, look)] = 0
    return unit


@part
def largest(look: FirstLook) -> np.signedinteger:
    """Largest |score|, with those of groups."""
    top: np.signedinteger = np.int16(0)
    for start in range(0, look.bits.shape[0], CHUNK):
        top = max(top, chunk_maximum(start, look, MASK))
    return top


@part
def search_exactly(
    row: NDArray[np.floating], dictionary: Dictionary, state: PursuitState
) -> tuple[int, float]:
    """Position of the largest |score| outside the special atoms, one by one; the first of equals."""
    special = 0
    n_special = state.numbers[0, N_SPECIAL]
    winner = -1
    best = 0.0
    for position in range(dictionary.columns.shape[0]):
        if special < n_special and state.special_position[0, special] == position:
            special += 1
            continue
        score = float(exact_score(row[atom_at(dictionary, position)], position, dictionary, state))
        if abs(score) > abs(best):
            winner = position
            best = score
    return winner, best


@part
def ask_for_candidates(
    place: int, n_found: int, goes_on: bool, dictionary: Dictionary, state: PursuitState, look: FirstLook
) -> None:
    """Turn places of candidates into positions; ask for what their exact scores and the next look take."""
    likely = look.candidates[0]
    for c in range(n_found):
        if look.bits[look.candidates[c]] > look.bits[likely]:
            likely = look.candidates[c]
        look.candidates[c] = position_at(look.candidates[c], look)
        atom = np.int64(dictionary.columns[look.candidates[c]])
        prefetch(dictionary.gram, place, atom)
        for a in range(state.numbers[0, N_ATOMS]):
            prefetch(dictionary.gram, np.int64(dictionary.columns[state.rows[0, a]]), atom)
    if goes_on:
        atom = np.int64(dictionary.columns[position_at(likely, look)])
        ask_for(dictionary.coarse, atom, 0, dictionary.coarse.shape[1])


@passage
def search_by_look(
    place: int,
    row: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    look: FirstLook,
    remembers: bool,
) -> tuple[int, float, float]:
    """The winner, its exact score, and a bound on the exact |scores| besides it."""
    k = state.numbers[0, N_ATOMS]
    unit = look_at_all(place, dictionary, state, look)
    top = largest(look) if unit > 0 else 0
    rounding = (k + 4) * rounding_of(norm, state.coefficients[0], rules, state)
    error = ROUNDED * LARGEST + 0.75 * (k + 1) + 1
    if unit > 0:
        error += rounding / unit
    threshold = top - 2 * error - 1
    n_found = MANY + 1
    if threshold > 0:
        n_found = find_candidates(np.int16(threshold), look, MASK)
    look.account[0] += 1
    look.account[1] += n_found
    if n_found > MANY:
        winner, score = search_exactly(row, dictionary, state)
        return winner, score, abs(score)
    ask_for_candidates(place, n_found, k + 1 < rules.n_nonzero, dictionary, state, look)
    winner, score, second = best_exact(look.candidates[:n_found], row, dictionary, state)
    others = max(second, (top - error) * unit)
    if remembers and winner >= 0:
        look.bits[place_of(winner, look)] = 0
        others = min(others, (float(largest(look)) + error) * unit)
    return winner, score, others
