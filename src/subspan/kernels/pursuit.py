"""Damped orthogonal matching pursuit (Algorithm 1 of the paper) for a tile of points.

Two drivers share the same steps. `pursue` holds the Gram matrix of its dictionary and takes a few points at a
time from beginning to end. `begin` and `advance` do without: between two steps the caller forms the
correlations of all residuals of the tile by one matrix product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.coarse import FirstLook
from subspan.kernels.entries import atom_at
from subspan.kernels.first_look import ask_for_rows, decide, find_candidates, take_row
from subspan.kernels.jit import kernel, part, passage
from subspan.kernels.prefetch import ask_for, prefetch
from subspan.kernels.scores import LAST_TOP, Search, largest_besides
from subspan.kernels.search import (
    add_image,
    begin_listed,
    extend_listed,
    image_length,
    score_listed,
    search_all,
    search_atom,
)
from subspan.kernels.state import (
    LANES,
    N_ATOMS,
    N_REFUSED,
    RUNNING,
    Dictionary,
    Lanes,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
)
from subspan.kernels.steps import begin_point, best_listed, conclude, pick, write_picks
from subspan.kernels.systems import extend_systems


@passage
def bound_on_plain(
    memory: Memory,
    j: int,
    squared_norm: float,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> float:
    """Bound on the |scores| of plain atoms at this step, from what memory tells of it.

    Atoms that are not special now were not special then: none of them scored above the runner-up, and
    since then its score can have grown by no more than the residual moved.
    """
    k = state.numbers[slot, N_ATOMS]
    if memory.runner_up[j, k] < 0:
        return np.inf
    search.image[:k] = 0
    for a in range(k):
        search.changes[a] = state.values[slot, a] - memory.values[j, k, a]
        add_image(search.changes[a], a, state, slot, search)
    bound = memory.runner_up[j, k] + rules.reach * image_length(rules, state, slot, search)
    # Correlations carry rounding errors of the data's type.
    rounding = rules.product_error
    return float(bound * (1 + rounding) + rounding * rules.reach * np.sqrt(squared_norm))


@passage
def remember(
    memory: Memory,
    j: int,
    k: int,
    winner: int,
    score: float,
    error: float,
    others: float,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
    looks_first: bool,
) -> None:
    """Remember how large a plain score besides that of the atom picked at step `k` can be, after a search."""
    runner_up = abs(score)
    if state.rows[slot, k] == winner:
        runner_up = others
        if not looks_first:
            runner_up = min(largest_besides(search, winner, rules.magnitude_mask) + error, others)
    # Refused atoms are in no later list of special ones, so nothing is known of them then.
    if state.numbers[slot, N_REFUSED] == 0:
        memory.runner_up[j, k] = runner_up


@part
def ask_for_next(points: Points, coming: int, dictionary: Dictionary, k: int, n_steps: int) -> None:
    """At step `k` of a pursuit, ask for a share of what point `coming`, which is next, begins with."""
    if coming >= points.active.shape[0] or not points.active[coming]:
        return
    own = dictionary.position[points.own[coming]] if points.own[coming] >= 0 else -1
    if dictionary.coarse.shape[0] > 0:
        share = dictionary.coarse.shape[1] // n_steps + 1
        ask_for(dictionary.coarse, points.row[coming], k * share, (k + 1) * share)
    elif dictionary.columns.shape[0] > 0 and own >= 0:
        share = dictionary.columns.shape[0] // n_steps + 1
        ask_for(dictionary.gram, own, k * share, (k + 1) * share)
    else:
        share = points.correlations.shape[1] // n_steps + 1
        ask_for(points.correlations, points.row[coming], k * share, (k + 1) * share)


@part
def gather_base(row: NDArray[np.floating], dictionary: Dictionary, search: Search) -> None:
    """Correlations of a point with the atoms of the dictionary, from those with all atoms."""
    for i in range(np.uint64(dictionary.columns.shape[0])):
        search.base[i] = row[np.uint32(dictionary.columns[i])]


@passage
def base_of(
    points: Points, j: int, dictionary: Dictionary, search: Search, lanes: Lanes, slot: int
) -> NDArray[np.floating]:
    """Correlations of point `j` with the atoms of the dictionary.

    As they are, as a row of its Gram matrix if the point is one of them, or else gathered once.
    """
    own = dictionary.position[points.own[j]] if points.own[j] >= 0 else -1
    base = search.base
    if dictionary.columns.shape[0] == 0:
        base = points.correlations[points.row[j], : search.base.shape[0]]
    elif own >= 0:
        base = dictionary.gram[own, : search.base.shape[0]]
    elif not lanes.gathered[slot]:
        gather_base(points.correlations[points.row[j]], dictionary, search)
        lanes.gathered[slot] = True
    return base


@part
def next_active(points: Points, j: int) -> int:
    """The first active point from `j` on; behind the last one if there is none."""
    while j < points.active.shape[0] and not points.active[j]:
        j += 1
    return j


@part
def begin_lane(
    points: Points,
    j: int,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
    look: FirstLook,
    lanes: Lanes,
    memory: Memory,
    picks: Picks,
) -> None:
    """Let the pursuit of point `j` get under way in a slot."""
    begin_point(points, j, dictionary, rules, state, slot, picks)
    begin_listed(points.correlations[points.row[j]], dictionary, state, slot, search)
    search.account[LAST_TOP] = 0.0
    if dictionary.coarse.shape[0] > 0:
        take_row(points.row[j], 0, dictionary, slot, look)
        look.n_asked[slot] = 0
    lanes.point[slot] = j
    lanes.gathered[slot] = False
    lanes.follows[slot] = memory.runner_up.shape[0] > 0


@part
def under_way(lanes: Lanes, state: PursuitState, slot: int) -> bool:
    """Whether a pursuit in this slot has another step to take."""
    return bool(lanes.point[slot] >= 0 and state.numbers[slot, RUNNING])


@part
def end_lane(dictionary: Dictionary, state: PursuitState, slot: int, lanes: Lanes, picks: Picks) -> None:
    """Write the solution of a pursuit that has ended, and make room for another."""
    if lanes.point[slot] >= 0 and not state.numbers[slot, RUNNING]:
        write_picks(lanes.point[slot], dictionary, state, slot, picks)
        lanes.point[slot] = -1


@passage
def prepare_step(
    points: Points,
    dictionary: Dictionary,
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
    look: FirstLook,
    lanes: Lanes,
    memory: Memory,
) -> None:
    """Find out whether a step needs a search, and ask for what it takes."""
    j = lanes.point[slot]
    k = state.numbers[slot, N_ATOMS]
    score_listed(state, slot, search)
    special, value = best_listed(atom_norms, dictionary, rules, state, slot)
    # No search is needed where a special atom is sure to win.
    settled = False
    if lanes.follows[slot] and special >= 0:
        bound = bound_on_plain(memory, j, points.squared_norms[j], rules, state, slot, search)
        settled = value > bound * bound
    lanes.special[slot], lanes.value[slot], lanes.settled[slot] = special, value, settled
    if not settled:
        if dictionary.coarse.shape[0] > 0:
            ask_for_rows(dictionary, state, slot, look)
        ask_for_next(points, j + lanes.point.shape[0], dictionary, k, rules.n_nonzero)


@passage
def pick_atom(
    points: Points,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
    look: FirstLook,
    lanes: Lanes,
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """End the search of a step, if it needs one, and pick an atom."""
    j = lanes.point[slot]
    k = state.numbers[slot, N_ATOMS]
    row = points.correlations[points.row[j]]
    winner = -1
    score = 0.0
    error = 0.0
    others = 0.0
    if not lanes.settled[slot]:
        remembers = memory.runner_up.shape[0] > 0
        if dictionary.coarse.shape[0] > 0:
            winner, score, others = decide(row, dictionary, state, slot, look, remembers)
        else:
            base = base_of(points, j, dictionary, search, lanes, slot)
            norm = np.sqrt(points.squared_norms[j])
            winner, score, error, others = search_atom(
                base, row, norm, dictionary, rules, state, slot, search
            )
        if remembers:
            memory.runner_up[j, k] = -1.0
            for a in range(k):
                memory.values[j, k, a] = state.values[slot, a]
    scans_next = not lanes.follows[slot] or k + 1 >= rules.n_nonzero or memory.runner_up[j, k + 1] < 0
    lanes.winner[slot] = winner
    lanes.found[slot, 0], lanes.found[slot, 1], lanes.found[slot, 2] = score, error, others
    pick(
        winner, score, lanes.special[slot], lanes.value[slot], points, j, dictionary, atoms, atom_norms,
        rules, state, slot, scans_next, picks, counts,
    )  # fmt: skip


@passage
def end_step(
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
    look: FirstLook,
    lanes: Lanes,
    memory: Memory,
    counts: NDArray[np.int64],
) -> None:
    """Finish a step whose atom has joined or was refused."""
    j = lanes.point[slot]
    k = state.numbers[slot, N_ATOMS]
    if not conclude(rules, state, slot, counts):
        return
    looks_first = dictionary.coarse.shape[0] > 0
    settled = lanes.settled[slot]
    search.taken[k] = 0.0
    if looks_first:
        take_row(state.places[slot, k], k + 1, dictionary, slot, look)
        if not settled and look.likely[slot] == state.places[slot, k]:
            look.n_asked[slot] = k + 1
    extend_listed(dictionary, state, slot, search)
    if memory.runner_up.shape[0] > 0:
        if not settled:
            score, error, others = lanes.found[slot, 0], lanes.found[slot, 1], lanes.found[slot, 2]
            winner = lanes.winner[slot]
            remember(memory, j, k, winner, score, error, others, rules, state, slot, search, looks_first)
        lanes.follows[slot] = lanes.follows[slot] and memory.rows[j, k] == state.rows[slot, k]
        memory.rows[j, k] = state.rows[slot, k]
        # The next step begins with a comparison.
        if k + 1 < rules.n_nonzero:
            prefetch(memory.values, (j, k + 1, 0))


@kernel
def pursue(
    points: Points,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    search: Search,
    look: FirstLook,
    lanes: Lanes,
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve the active points of a tile over one dictionary whose Gram matrix is at hand.

    Pursuits of several points go side by side, one step of each in turn: while one of them waits for numbers
    that it has asked for, the next one is at work.

    Parameters
    ----------
    points, dictionary, atoms, atom_norms, rules : IN
    state, search, look, lanes : scratch
        As many slots of each as pursuits may be under way; more than one only for first looks.
    memory : IN and OUT
        What the scans of earlier outer iterations saw; empty if there is only one.
    picks, counts : OUT
    """
    n_slots = np.uint64(lanes.point.shape[0])
    lanes.point[:] = -1
    coming = next_active(points, 0)
    n_under_way = 1
    while n_under_way > 0:
        n_under_way = 0
        for slot in range(n_slots):
            if lanes.point[slot] < 0 and coming < points.active.shape[0]:
                begin_lane(points, coming, dictionary, rules, state, slot, search, look, lanes, memory, picks)
                coming = next_active(points, coming + 1)
            n_under_way += lanes.point[slot] >= 0
            if under_way(lanes, state, slot):
                prepare_step(points, dictionary, atom_norms, rules, state, slot, search, look, lanes, memory)
        if dictionary.coarse.shape[0] > 0:
            for slot in range(n_slots):
                if under_way(lanes, state, slot) and not lanes.settled[slot]:
                    find_candidates(
                        points, lanes.point[slot], dictionary, atom_norms, rules, state, slot, look
                    )
        state.joins[0, :] = False
        for slot in range(n_slots):
            if under_way(lanes, state, slot):
                pick_atom(
                    points, dictionary, atoms, atom_norms, rules, state, slot, search, look, lanes,
                    memory, picks, counts,
                )  # fmt: skip
        extend_systems(rules, state, 0)
        for slot in range(n_slots):
            if state.joins[0, slot]:
                end_step(dictionary, rules, state, slot, search, look, lanes, memory, counts)
            end_lane(dictionary, state, slot, lanes, picks)


@kernel
def begin(points: Points, dictionary: Dictionary, rules: Rules, state: PursuitState, picks: Picks) -> None:
    """Set up the pursuits of the active points of a tile, one slot of `state` each."""
    for j in range(points.active.shape[0]):
        state.numbers[j, RUNNING] = 0
        if points.active[j]:
            begin_point(points, j, dictionary, rules, state, j, picks)


@kernel
def advance(
    products: NDArray[np.floating],
    rows: NDArray[np.floating],
    points: Points,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    search: Search,
    picks: Picks,
    residuals: NDArray[np.floating],
    counts: NDArray[np.int64],
) -> int:
    """Take one step of every pursuit still running; the number that go on.

    Parameters
    ----------
    products : IN
        Correlations of the residuals with the atoms of the dictionary.
    rows : IN
        The points themselves.
    residuals : OUT
        Brought up to date for the points whose coefficients changed.
    """
    state.joins[:] = False
    n_running = 0
    for j in range(points.active.shape[0]):
        if not state.numbers[j, RUNNING]:
            continue
        winner, score = search_all(products[j, : search.base.shape[0]], dictionary, rules, state, j, search)
        special, value = best_listed(atom_norms, dictionary, rules, state, j)
        pick(
            winner, score, special, value, points, j, dictionary, atoms, atom_norms, rules, state, j, True,
            picks, counts,
        )  # fmt: skip
        if not state.joins[j // LANES, j % LANES]:
            n_running += goes_on(dictionary, state, j, picks)
    for group in range(state.joins.shape[0]):
        extend_systems(rules, state, group)
    for j in range(points.active.shape[0]):
        if state.joins[j // LANES, j % LANES]:
            if conclude(rules, state, j, counts):
                subtract_atoms(rows[j], dictionary, atoms, state, j, residuals[j])
            n_running += goes_on(dictionary, state, j, picks)
    return n_running


@part
def goes_on(dictionary: Dictionary, state: PursuitState, j: int, picks: Picks) -> bool:
    """Whether the pursuit of point `j` has another step to take; if not, its solution is written."""
    if not state.numbers[j, RUNNING]:
        write_picks(j, dictionary, state, j, picks)
    return bool(state.numbers[j, RUNNING])


@part
def subtract_atoms(
    row: NDArray[np.floating],
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    state: PursuitState,
    slot: int,
    residual: NDArray[np.floating],
) -> None:
    """Fill `residual` with the point minus the combination of its atoms."""
    for d in range(row.shape[0]):
        residual[d] = row[d]
    for a in range(state.numbers[slot, N_ATOMS]):
        atom = atoms[atom_at(dictionary, state.rows[slot, a])]
        value = state.coefficients[slot, a]
        for d in range(row.shape[0]):
            residual[d] = residual[d] - value * atom[d]
