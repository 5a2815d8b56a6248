"""One step of a damped orthogonal matching pursuit, once a search has named its winner.

It has three parts: an atom is picked, joins the small system of the pursuit (see `kernels.systems`, where
several do at the same time), and the pursuit goes on or ends. An atom is *special* to a point if it must not
take part in the vectorised search: the point itself, atoms already used, and atoms where the target c is not
zero, whose score differs from the plain correlation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.entries import atom_at, gram_place, number_at
from subspan.kernels.jit import part
from subspan.kernels.prefetch import ask_for, prefetch
from subspan.kernels.scores import CHUNK
from subspan.kernels.state import (
    CORRELATION,
    CROSS,
    DEPENDENT,
    LANES,
    N_ATOMS,
    N_DROPPED,
    N_LISTED,
    N_REFUSED,
    N_SPECIAL,
    OWN,
    POINT,
    RESIDUAL,
    RIGHT,
    RUNNING,
    TARGET,
    TWINS,
    VALUE,
    Dictionary,
    Picks,
    Points,
    PursuitState,
    Rules,
)


@part
def show_all(dictionary: Dictionary, state: PursuitState, slot: int) -> None:
    """Let first looks see every atom."""
    shown = state.shown[slot]
    for w in range(np.uint64(dictionary.all_shown.shape[0])):
        shown[w] = dictionary.all_shown[w]


@part
def hide(dictionary: Dictionary, state: PursuitState, slot: int, position: int) -> None:
    """Keep the atom at `position` out of first looks, if there are any."""
    if dictionary.place_seen.shape[0] > 0:
        place = dictionary.place_seen[position]
        state.shown[slot, place >> 5] &= ~(np.int32(1) << np.int32(place & 31))


@part
def block_atom(dictionary: Dictionary, state: PursuitState, slot: int, position: int) -> None:
    """Make the atom at `position` special and unavailable, keeping special positions sorted."""
    hide(dictionary, state, slot, position)
    positions, listed = state.special_position[slot], state.special_listed[slot]
    n = state.numbers[slot, N_SPECIAL]
    place = n
    while place > 0 and positions[place - 1] >= position:
        place -= 1
    if place == n or positions[place] != position:
        for e in range(n, place, -1):
            positions[e] = positions[e - 1]
            listed[e] = listed[e - 1]
        positions[place] = position
        listed[place] = -1
        state.numbers[slot, N_SPECIAL] = n + 1
    elif listed[place] >= 0:
        state.listed_free[slot, listed[place]] = False


@part
def residual_floor(squared_norm: float, rules: Rules) -> float:
    """Squared residual at which a pursuit ends."""
    return max(rules.squared_tol, 4 * rules.precision * squared_norm)


@part
def begin_point(
    points: Points, j: int, dictionary: Dictionary, rules: Rules, state: PursuitState, slot: int, picks: Picks
) -> None:
    """Set up the pursuit of point `j`: no atom yet, residual = the point, atoms with a target listed."""
    numbers = state.numbers[slot]
    numbers[:] = 0
    picks.counts[j] = 0
    show_all(dictionary, state, slot)
    n = 0
    for e in range(points.target_count[j]):
        position = dictionary.position[points.target_index[j, e]]
        if position < 0:
            continue
        hide(dictionary, state, slot, position)
        state.special_position[slot, n] = position
        state.special_listed[slot, n] = n
        state.listed_position[slot, n] = position
        state.listed_place[slot, n] = gram_place(dictionary, position)
        state.listed_target[slot, n] = points.target_value[j, e]
        state.listed_free[slot, n] = True
        n += 1
    numbers[N_LISTED] = n
    numbers[N_SPECIAL] = n
    own = points.own[j]
    if own >= 0 and dictionary.position[own] >= 0:
        block_atom(dictionary, state, slot, dictionary.position[own])
    numbers[RUNNING] = points.squared_norms[j] > residual_floor(points.squared_norms[j], rules)


@part
def best_listed(
    atom_norms: NDArray[np.float64], dictionary: Dictionary, rules: Rules, state: PursuitState, slot: int
) -> tuple[int, float]:
    """The listed atom with the largest score, as its place in the list, and that score, squared.

    The place is -1 if none may be picked. Ties go to the lowest position.
    """
    damping = rules.damping
    best = -np.inf
    chosen = -1
    for i in range(state.numbers[slot, N_LISTED]):
        correlation = state.listed_score[slot, i]
        target = state.listed_target[slot, i]
        if rules.greedy:
            value = (correlation + damping * target) ** 2
            if not rules.unit_norm:
                value /= atom_norms[atom_at(dictionary, state.listed_position[slot, i])] + damping
        else:
            value = correlation**2 + 2 * damping * correlation * target - damping * target**2
        if value > best and state.listed_free[slot, i]:
            best = value
            chosen = i
    return chosen, best


@part
def take_dropped(
    points: Points, j: int, dictionary: Dictionary, state: PursuitState, slot: int, picks: Picks
) -> None:
    """Pick the dropped atom with the largest target not yet taken; its coefficient is the target."""
    best = -1
    largest = 0.0
    for e in range(points.target_count[j]):
        index = points.target_index[j, e]
        taken = dictionary.position[index] >= 0
        for p in range(picks.counts[j]):
            taken = taken or picks.indices[j, p] == index
        if not taken and abs(points.target_value[j, e]) > largest:
            largest = abs(points.target_value[j, e])
            best = e
    # With no such atom left the step is spent all the same, as the paper's footnote has it.
    state.numbers[slot, N_DROPPED] += 1
    if best >= 0:
        place = picks.counts[j]
        picks.indices[j, place] = points.target_index[j, best]
        picks.values[j, place] = points.target_value[j, best]
        picks.counts[j] = place + 1


@part
def keeps_dropped(correlation: float, target: float, squared_norm: float, rules: Rules) -> bool:
    """Whether leaving the best preserved atom alone is no worse than picking it."""
    gain = (correlation + rules.damping * target) ** 2 / (squared_norm + rules.damping)
    return rules.damping * target**2 - gain >= 0


@part
def ask_for_picked(
    dictionary: Dictionary, position: int, scans_next: bool, state: PursuitState, slot: int
) -> None:
    """Ask for what the next step reads first of the row of an atom that was picked."""
    row = np.int64(gram_place(dictionary, position))
    if scans_next and dictionary.coarse.shape[0] == 0:
        ask_for(dictionary.gram, row, 0, CHUNK)
        return
    if dictionary.coarse.shape[0] > 0:
        prefetch(dictionary.units, (row,))
    for i in range(state.numbers[slot, N_LISTED]):
        prefetch(dictionary.gram, (row, state.listed_place[slot, i]))


@part
def inner_products(
    position: int,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    state: PursuitState,
    slot: int,
) -> None:
    """Note the inner products of the atom at `position` with those so far."""
    atom = atom_at(dictionary, position)
    place = gram_place(dictionary, position)
    cross = state.vectors[slot // LANES, CROSS]
    lane = slot % LANES
    for a in range(state.numbers[slot, N_ATOMS]):
        if dictionary.gram.shape[0] > 0:
            # The mirror image of this entry: rows of atoms in use are in the cache, the new one is not.
            cross[a, lane] = dictionary.gram[state.places[slot, a], place]
        else:
            other = atom_at(dictionary, state.rows[slot, a])
            total = 0.0
            for d in range(atoms.shape[1]):
                total += np.float64(atoms[atom, d]) * np.float64(atoms[other, d])
            cross[a, lane] = total


@part
def refuse(rules: Rules, state: PursuitState, slot: int) -> None:
    """Let a pursuit go on without the atom that it picked, unless it has picked too many in vain."""
    numbers = state.numbers[slot]
    numbers[N_REFUSED] += 1
    numbers[RUNNING] = numbers[N_REFUSED] <= rules.n_nonzero


@part
def pick(
    winner: int,
    plain_score: float,
    special: int,
    special_value: float,
    points: Points,
    j: int,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    slot: int,
    scans_next: bool,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Pick the atom of a step once the search has named its winner; `state.joins` tells whether there is one.

    `special` is the best of the atoms listed, see `best_listed`. `scans_next` tells whether the next step
    is likely to look at all atoms, not just at special ones.
    """
    numbers = state.numbers[slot]
    group, lane = slot // LANES, slot % LANES
    state.joins[group, lane] = False
    position = winner
    if special >= 0:
        here = state.listed_position[slot, special]
        plain = plain_score * plain_score if winner >= 0 else -np.inf
        if special_value > plain or (special_value == plain and here < winner):
            position = here
        else:
            special = -1
    if position < 0:
        # Nothing preserved has a say in what is left of the point; dropped atoms still may.
        numbers[RUNNING] = 0
        if rules.from_dropped:
            take_dropped(points, j, dictionary, state, slot, picks)
            numbers[RUNNING] = numbers[N_ATOMS] + numbers[N_DROPPED] < rules.n_nonzero
        return
    target = state.listed_target[slot, special] if special >= 0 else 0.0
    k = numbers[N_ATOMS]
    atom = atom_at(dictionary, position)
    correlation = np.float64(points.correlations[points.row[j], atom])
    # Where the target is zero a preserved atom always gains, so only special ones are in question.
    in_question = rules.from_dropped and special >= 0
    if in_question and keeps_dropped(state.listed_score[slot, special], target, atom_norms[atom], rules):
        take_dropped(points, j, dictionary, state, slot, picks)
        numbers[RUNNING] = k + numbers[N_DROPPED] < rules.n_nonzero
        return
    if dictionary.gram.shape[0] > 0:
        ask_for_picked(dictionary, position, scans_next, state, slot)
    block_atom(dictionary, state, slot, position)
    # Without damping a copy of the point would represent it alone and split the pair off the graph.
    limit = (1 - 8 * rules.precision) ** 2 * points.squared_norms[j] * atom_norms[atom]
    if rules.damping == 0 and k == 0 and correlation**2 >= limit:
        counts[TWINS] += 1
        refuse(rules, state, slot)
        return
    inner_products(position, dictionary, atoms, state, slot)
    state.rows[slot, k] = position
    state.places[slot, k] = gram_place(dictionary, position)
    state.vectors[group, CORRELATION, k, lane] = correlation
    state.vectors[group, TARGET, k, lane] = target
    state.scalars[group, OWN, lane] = atom_norms[atom]
    state.scalars[group, POINT, lane] = points.squared_norms[j]
    state.scalars[group, RIGHT, lane] = correlation + rules.damping * target
    state.sizes[group, lane] = k
    state.joins[group, lane] = True


@part
def conclude(rules: Rules, state: PursuitState, slot: int, counts: NDArray[np.int64]) -> bool:
    """Finish the step of a pursuit that an atom was to join; True if it did, and coefficients changed."""
    numbers = state.numbers[slot]
    group, lane = slot // LANES, slot % LANES
    k = state.sizes[group, lane]
    if k == numbers[N_ATOMS]:
        counts[DEPENDENT] += 1
        refuse(rules, state, slot)
        return False
    numbers[N_ATOMS] = k
    for a in range(k):
        value = state.vectors[group, VALUE, a, lane]
        state.values[slot, a] = value
        state.coefficients[slot, a] = value
    goes_on = state.scalars[group, RESIDUAL, lane] > residual_floor(state.scalars[group, POINT, lane], rules)
    numbers[RUNNING] = goes_on and k + numbers[N_DROPPED] < rules.n_nonzero
    return True


@part
def write_picks(j: int, dictionary: Dictionary, state: PursuitState, slot: int, picks: Picks) -> None:
    """Append the atoms of the dictionary and their coefficients to the solution of point `j`."""
    for a in range(state.numbers[slot, N_ATOMS]):
        place = picks.counts[j]
        picks.indices[j, place] = number_at(dictionary, state.rows[slot, a])
        picks.values[j, place] = state.values[slot, a]
        picks.counts[j] = place + 1
