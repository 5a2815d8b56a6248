"""Damped orthogonal matching pursuit (Algorithm 1 of the paper) for a tile of points.

Two drivers share the same steps. `pursue` holds the Gram matrix of its dictionary and takes one point
from beginning to end. `begin` and `advance` do without: between two steps the caller forms the
correlations of all residuals of the tile by one matrix product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.coarse import FirstLook
from subspan.kernels.entries import atom_at
from subspan.kernels.first_look import search_by_look
from subspan.kernels.jit import kernel, part, passage
from subspan.kernels.prefetch import ask_for
from subspan.kernels.scores import LAST_TOP, Search, largest_besides
from subspan.kernels.search import (
    add_image,
    extend_special,
    image_length,
    list_special,
    score_special,
    search_all,
    search_atom,
)
from subspan.kernels.state import (
    N_ATOMS,
    N_REFUSED,
    RUNNING,
    Dictionary,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
)
from subspan.kernels.steps import begin_point, best_special, step, write_picks


@passage
def bound_on_plain(
    memory: Memory, j: int, squared_norm: float, rules: Rules, state: PursuitState, search: Search
) -> float:
    """Bound on the |scores| of plain atoms at this step, from what memory tells of it.

    Atoms that are not special now were not special then: none of them scored above the runner-up, and
    since then its score can have grown by no more than the residual moved.
    """
    k = state.numbers[0, N_ATOMS]
    if memory.runner_up[j, k] < 0:
        return np.inf
    search.image[:k] = 0
    for a in range(k):
        search.changes[a] = state.values[0, a] - memory.values[j, k, a]
        add_image(search.changes[a], a, state, search)
    bound = memory.runner_up[j, k] + rules.reach * image_length(rules, state, search)
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
    search: Search,
    looks_first: bool,
) -> None:
    """Remember how large a plain score besides that of the atom picked at step `k` can be, after a search."""
    runner_up = abs(score)
    if state.rows[0, k] == winner:
        runner_up = others
        if not looks_first:
            runner_up = min(largest_besides(search, winner, rules.magnitude_mask) + error, others)
    # Refused atoms are in no later list of special ones, so nothing is known of them then.
    if state.numbers[0, N_REFUSED] == 0:
        memory.runner_up[j, k] = runner_up


@part
def ask_for_next(points: Points, j: int, dictionary: Dictionary, k: int, n_steps: int) -> None:
    """At step `k` of point `j`, ask for a share of what the point after it begins with."""
    coming = j + 1
    if coming == points.active.shape[0] or not points.active[coming]:
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
def find_winner(
    place: int,
    row: NDArray[np.floating],
    base: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    search: Search,
    look: FirstLook,
    remembers: bool,
) -> tuple[int, float, float, float]:
    """What `search_atom` tells, by a first look at the scores where there are numbers for one."""
    if dictionary.coarse.shape[0] > 0:
        winner, score, others = search_by_look(place, row, norm, dictionary, rules, state, look, remembers)
        return winner, score, 0.0, others
    return search_atom(base, row, norm, dictionary, rules, state, search)


@passage
def pursue_point(
    points: Points,
    j: int,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    search: Search,
    look: FirstLook,
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve point `j`; the arguments are those of `pursue`."""
    columns = dictionary.columns
    looks_first = dictionary.coarse.shape[0] > 0
    remembers = memory.runner_up.shape[0] > 0
    begin_point(points, j, dictionary, rules, state, 0, picks)
    row = points.correlations[points.row[j]]
    norm = np.sqrt(points.squared_norms[j])
    own = dictionary.position[points.own[j]] if points.own[j] >= 0 else -1
    # Correlations with the atoms of the dictionary: as they are, as a row of its Gram matrix if the
    # point is one of them, or else gathered once they are needed. A first look needs none.
    base = search.base
    if columns.shape[0] == 0:
        base = row[: search.base.shape[0]]
    elif own >= 0 and not looks_first:
        base = dictionary.gram[own, : search.base.shape[0]]
    complete = columns.shape[0] == 0 or own >= 0 or looks_first
    search.account[LAST_TOP] = 0.0
    list_special(row, dictionary, state, search)
    # Whether this pursuit has taken the same atoms so far as the one that memory tells of.
    follows = remembers
    while state.numbers[0, RUNNING]:
        k = state.numbers[0, N_ATOMS]
        winner = -1
        score = 0.0
        error = 0.0
        others = 0.0
        score_special(state, search)
        special, value = best_special(atom_norms, dictionary, rules, state, 0)
        # No search is needed where a special atom is sure to win.
        settled = False
        if follows and special >= 0:
            bound = bound_on_plain(memory, j, points.squared_norms[j], rules, state, search)
            settled = value > bound * bound
        if not settled:
            ask_for_next(points, j, dictionary, k, rules.n_nonzero)
            if not complete:
                gather_base(row, dictionary, search)
                complete = True
            winner, score, error, others = find_winner(
                points.row[j], row, base, norm, dictionary, rules, state, search, look, remembers
            )
            if remembers:
                memory.runner_up[j, k] = -1.0
                for a in range(k):
                    memory.values[j, k, a] = state.values[0, a]
        scans_next = not follows or k + 1 >= rules.n_nonzero or memory.runner_up[j, k + 1] < 0
        accepted = step(
            winner, score, special, value, points, j, dictionary, atoms, atom_norms, rules, state, 0,
            search.cross, scans_next, picks, counts,
        )  # fmt: skip
        if accepted:
            search.taken[k] = 0.0
            extend_special(dictionary, state, search)
        if remembers and accepted:
            if not settled:
                remember(memory, j, k, winner, score, error, others, rules, state, search, looks_first)
            follows = follows and memory.rows[j, k] == state.rows[0, k]
            memory.rows[j, k] = state.rows[0, k]
    write_picks(j, dictionary, state, 0, picks)


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
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve the active points of a tile over one dictionary whose Gram matrix is at hand.

    Parameters
    ----------
    points, dictionary, atoms, atom_norms, rules : IN
    state, search, look : scratch
        One slot of state.
    memory : IN and OUT
        What the scans of earlier outer iterations saw; empty if there is only one.
    picks, counts : OUT
    """
    for j in range(points.active.shape[0]):
        if points.active[j]:
            pursue_point(
                points, j, dictionary, atoms, atom_norms, rules, state, search, look, memory, picks, counts
            )


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
    n_running = 0
    for j in range(points.active.shape[0]):
        if not state.numbers[j, RUNNING]:
            continue
        winner, score = search_all(products[j, : search.base.shape[0]], dictionary, rules, state, j, search)
        special, value = best_special(atom_norms, dictionary, rules, state, j)
        if step(
            winner, score, special, value, points, j, dictionary, atoms, atom_norms, rules, state, j,
            search.cross, True, picks, counts,
        ):  # fmt: skip
            subtract_atoms(rows[j], dictionary, atoms, state, j, residuals[j])
        if state.numbers[j, RUNNING]:
            n_running += 1
        else:
            write_picks(j, dictionary, state, j, picks)
    return n_running


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
