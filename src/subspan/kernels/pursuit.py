"""Damped orthogonal matching pursuit (Algorithm 1 of the paper) for a tile of points.

Two drivers share the same steps. `pursue` holds the Gram matrix of its dictionary and takes one point
from beginning to end. `begin` and `advance` do without: between two steps the caller forms the
correlations of all residuals of the tile by one matrix product.

The small systems (G_SS + damping I) b = X_S' x + damping c_S are kept as a growing Cholesky factor in
float64, whatever the type of the data. An atom is *special* to a point if it must not take part in the
vectorised search: the point itself, atoms already used, and atoms where the target c is not zero,
whose score differs from the plain correlation.

The search itself is memory traffic and nothing else. The residual is never formed: with Gram rows at hand
its correlations are those of the point minus a short combination of rows. One pass over a chunk that stays
in the first-level cache combines the rows, sets special atoms aside and finds the maximum. A row that a
pursuit has not read before comes from far away; it is asked for while the passes before it are under way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.prefetch import LINE_BYTES, prefetch
from subspan.kernels.state import (
    DEPENDENT,
    N_ATOMS,
    N_DROPPED,
    N_REFUSED,
    N_SPECIAL,
    RUNNING,
    TWINS,
    Dictionary,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
)

# 1024 numbers of the score chunk stay in the first-level cache beside the Gram rows streaming through.
CHUNK = 1024


@kernel
def ask_for(matrix: NDArray[np.floating], row: int, start: int, stop: int) -> None:
    """Have part of a row brought into the cache while other work goes on."""
    for i in range(start, min(stop, matrix.shape[1]), LINE_BYTES // matrix.itemsize):
        prefetch(matrix, row, i)


@kernel
def combine(
    base: NDArray[np.floating],
    gram: NDArray[np.floating],
    rows: NDArray[np.int64],
    coefficients: NDArray[np.floating],
    n_rows: int,
    start: int,
    stop: int,
    out: NDArray[np.floating],
) -> None:
    """Fill `out` with base - sum_r coefficients[r] * gram[rows[r], start:stop].

    Rows go four at a time; what is left over joins the first pass, which reads `base`. Indices are
    unsigned: that spares the check for negative ones, without which the compiler vectorises.
    """
    first = np.uint64(start)
    last = np.uint64(stop)
    r = n_rows % 4
    if r == 0:
        for i in range(first, last):
            out[i] = base[i]
    elif r == 1:
        r0 = rows[0]
        c0 = coefficients[0]
        for i in range(first, last):
            out[i] = base[i] - c0 * gram[r0, i]
    elif r == 2:
        r0, r1 = rows[0], rows[1]
        c0, c1 = coefficients[0], coefficients[1]
        for i in range(first, last):
            out[i] = base[i] - c0 * gram[r0, i] - c1 * gram[r1, i]
    else:
        r0, r1, r2 = rows[0], rows[1], rows[2]
        c0, c1, c2 = coefficients[0], coefficients[1], coefficients[2]
        for i in range(first, last):
            out[i] = base[i] - c0 * gram[r0, i] - c1 * gram[r1, i] - c2 * gram[r2, i]
    while r < n_rows:
        r0, r1, r2, r3 = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        c0, c1, c2, c3 = coefficients[r], coefficients[r + 1], coefficients[r + 2], coefficients[r + 3]
        for i in range(first, last):
            out[i] = out[i] - c0 * gram[r0, i] - c1 * gram[r1, i] - c2 * gram[r2, i] - c3 * gram[r3, i]
        r += 4


@kernel
def largest_magnitude(
    bits: NDArray[np.signedinteger], start: int, stop: int, magnitude_mask: np.signedinteger
) -> np.signedinteger:
    """Largest |score| as an integer: without its sign bit a float orders as its bit pattern does.

    Integer maxima vectorise under strict arithmetic; floating-point ones do not.
    """
    narrow = bits.dtype.type
    top = narrow(0)
    for i in range(np.uint64(start), np.uint64(stop)):
        # Integers widen in every operation unless they are called back, and wide ones fill vectors twice.
        top = max(top, narrow(bits[i] & magnitude_mask))
    return top


@kernel
def position_of(
    bits: NDArray[np.signedinteger],
    start: int,
    stop: int,
    magnitude_mask: np.signedinteger,
    top: np.signedinteger,
) -> int:
    """First position whose |score| equals `top`, narrowed down by maxima before it is searched for."""
    while largest_magnitude(bits, start, min(start + 64, stop), magnitude_mask) != top:
        start += 64
    while bits[start] & magnitude_mask != top:
        start += 1
    return start


@kernel
def scan(
    base: NDArray[np.floating],
    gram: NDArray[np.floating],
    rows: NDArray[np.int64],
    coefficients: NDArray[np.floating],
    n_rows: int,
    weights: NDArray[np.floating],
    special_position: NDArray[np.int64],
    n_special: int,
    magnitude_mask: np.signedinteger,
    special_score: NDArray[np.float64],
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
) -> int:
    """Position of the largest |score| outside the special atoms, the first of equals; -1 if all are 0.

    Parameters
    ----------
    base, gram, rows, coefficients, n_rows : IN
        The scores are base - sum_r coefficients[r] * gram[rows[r]].
    weights : IN
        Factor of every score (0 rules an atom out); empty for none.
    special_position, n_special : IN
        Sorted positions that take no part in the maximum.
    magnitude_mask : IN
        Every bit but the sign, in the integer type of `bits`.
    special_score : OUT
        Unweighted scores of the special atoms.
    scores, bits : OUT
        Scratch, as long as there are atoms; `bits` is the integer view of `scores`.
    tops : OUT
        Largest |score| of each chunk, as an integer.
    """
    n = scores.shape[0]
    best = magnitude_mask & 0
    winner = -1
    special = 0
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        if n_rows > 0:
            # The newest row is the only one that was not read before.
            ask_for(gram, rows[n_rows - 1], stop, min(stop + CHUNK, n))
        combine(base, gram, rows, coefficients, n_rows, start, stop, scores)
        while special < n_special and special_position[special] < stop:
            special_score[special] = scores[special_position[special]]
            scores[special_position[special]] = 0
            special += 1
        if weights.shape[0] > 0:
            for i in range(np.uint64(start), np.uint64(stop)):
                scores[i] = scores[i] * weights[i]
        top = largest_magnitude(bits, start, stop, magnitude_mask)
        tops[start // CHUNK] = top
        if top > best:
            best = top
            winner = start
    if winner >= 0:
        winner = position_of(bits, winner, min(winner + CHUNK, n), magnitude_mask, best)
    return winner


@kernel
def atom_at(dictionary: Dictionary, position: int) -> int:
    """Which of all atoms stands at `position` of the dictionary."""
    return dictionary.columns[position] if dictionary.columns.shape[0] > 0 else position


@kernel
def block_atom(state: PursuitState, slot: int, position: int) -> None:
    """Make the atom at `position` special and unavailable, keeping special positions sorted."""
    positions = state.special_position[slot]
    n = state.numbers[slot, N_SPECIAL]
    place = n
    while place > 0 and positions[place - 1] >= position:
        place -= 1
    if place == n or positions[place] != position:
        for e in range(n, place, -1):
            positions[e] = positions[e - 1]
            state.special_target[slot, e] = state.special_target[slot, e - 1]
            state.special_score[slot, e] = state.special_score[slot, e - 1]
            state.special_blocked[slot, e] = state.special_blocked[slot, e - 1]
        positions[place] = position
        state.special_target[slot, place] = 0.0
        state.numbers[slot, N_SPECIAL] = n + 1
    state.special_blocked[slot, place] = True


@kernel
def begin_point(
    points: Points, j: int, dictionary: Dictionary, rules: Rules, state: PursuitState, slot: int, picks: Picks
) -> None:
    """Set up the pursuit of point `j`: no atom yet, residual = the point, its special atoms listed."""
    numbers = state.numbers[slot]
    numbers[:] = 0
    picks.counts[j] = 0
    for e in range(points.target_count[j]):
        position = dictionary.position[points.target_index[j, e]]
        if position >= 0:
            n = numbers[N_SPECIAL]
            state.special_position[slot, n] = position
            state.special_target[slot, n] = points.target_value[j, e]
            state.special_blocked[slot, n] = False
            numbers[N_SPECIAL] = n + 1
    own = points.own[j]
    if own >= 0 and dictionary.position[own] >= 0:
        block_atom(state, slot, dictionary.position[own])
    state.squared_residual[slot] = points.squared_norms[j]
    floor = max(rules.squared_tol, 4 * rules.precision * points.squared_norms[j])
    numbers[RUNNING] = state.squared_residual[slot] > floor


@kernel
def choose(
    winner: int,
    score: float,
    atom_norms: NDArray[np.float64],
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
) -> tuple[int, float]:
    """The special atom with a better score than the plain winner, as its place in the list, or -1.

    The second number is the best score, squared. Ties go to the lowest position.
    """
    damping = rules.damping
    best = score * score if winner >= 0 else -np.inf
    position = winner
    chosen = -1
    for e in range(state.numbers[slot, N_SPECIAL]):
        if state.special_blocked[slot, e]:
            continue
        correlation = state.special_score[slot, e]
        target = state.special_target[slot, e]
        here = state.special_position[slot, e]
        if rules.greedy:
            value = (correlation + damping * target) ** 2
            if not rules.unit_norm:
                value /= atom_norms[atom_at(dictionary, here)] + damping
        else:
            value = correlation**2 + 2 * damping * correlation * target - damping * target**2
        if value > best or (value == best and here < position):
            best = value
            position = here
            chosen = e
    return chosen, best


@kernel
def accept(
    state: PursuitState,
    slot: int,
    position: int,
    cross: NDArray[np.float64],
    correlation: float,
    target: float,
    squared_norm: float,
    rules: Rules,
) -> bool:
    """Add an atom and solve for all coefficients; False if it depends on the atoms already there.

    `cross` holds its inner products with the atoms so far and, last, with itself.
    """
    k = state.numbers[slot, N_ATOMS]
    factor = state.cholesky[slot]
    pivot = cross[k] + rules.damping
    for a in range(k):
        entry = cross[a]
        for b in range(a):
            entry -= factor[k, b] * factor[a, b]
        entry /= factor[a, a]
        factor[k, a] = entry
        pivot -= entry * entry
    if pivot <= 4 * (k + 1) * rules.precision * cross[k]:
        return False
    factor[k, k] = np.sqrt(pivot)
    state.rows[slot, k] = position
    state.correlation[slot, k] = correlation
    state.target[slot, k] = target
    entry = correlation + rules.damping * target
    for a in range(k):
        entry -= factor[k, a] * state.forward[slot, a]
    state.forward[slot, k] = entry / factor[k, k]
    k += 1
    state.numbers[slot, N_ATOMS] = k
    values = state.values[slot]
    # With (G + damping I) b = a + damping c the residual needs no product with the data.
    squared_residual = squared_norm
    for a in range(k - 1, -1, -1):
        entry = state.forward[slot, a]
        for b in range(a + 1, k):
            entry -= factor[b, a] * values[b]
        entry /= factor[a, a]
        values[a] = entry
        state.coefficients[slot, a] = entry
        shift = state.target[slot, a] - entry
        squared_residual += entry * (rules.damping * shift - state.correlation[slot, a])
    state.squared_residual[slot] = squared_residual
    return True


@kernel
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


@kernel
def keeps_dropped(correlation: float, target: float, squared_norm: float, rules: Rules) -> bool:
    """Whether leaving the best preserved atom alone is no worse than picking it."""
    gain = (correlation + rules.damping * target) ** 2 / (squared_norm + rules.damping)
    return rules.damping * target**2 - gain >= 0


@kernel
def ask_for_picked(
    gram: NDArray[np.floating], position: int, scans_next: bool, state: PursuitState, slot: int
) -> None:
    """Ask for what the next step reads first of the row of an atom that was picked."""
    if scans_next:
        ask_for(gram, position, 0, CHUNK)
    else:
        for e in range(state.numbers[slot, N_SPECIAL]):
            prefetch(gram, position, state.special_position[slot, e])


@kernel
def step(
    winner: int,
    plain_score: float,
    points: Points,
    j: int,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    slot: int,
    cross: NDArray[np.float64],
    scans_next: bool,
    picks: Picks,
    counts: NDArray[np.int64],
) -> bool:
    """Finish one step once the scan has named its winner; True if the coefficients changed.

    `scans_next` tells whether the next step is likely to look at all atoms, not just at special ones.
    """
    numbers = state.numbers[slot]
    special, _ = choose(winner, plain_score, atom_norms, dictionary, rules, state, slot)
    position = state.special_position[slot, special] if special >= 0 else winner
    if position < 0:
        # Nothing preserved has a say in what is left of the point; dropped atoms still may.
        numbers[RUNNING] = 0
        if rules.from_dropped:
            take_dropped(points, j, dictionary, state, slot, picks)
            numbers[RUNNING] = numbers[N_ATOMS] + numbers[N_DROPPED] < rules.n_nonzero
        return False
    target = state.special_target[slot, special] if special >= 0 else 0.0
    k = numbers[N_ATOMS]
    atom = atom_at(dictionary, position)
    correlation = np.float64(points.correlations[points.row[j], atom])
    # Where the target is zero a preserved atom always gains, so only special ones are in question.
    in_question = rules.from_dropped and special >= 0
    if in_question and keeps_dropped(state.special_score[slot, special], target, atom_norms[atom], rules):
        take_dropped(points, j, dictionary, state, slot, picks)
        numbers[RUNNING] = k + numbers[N_DROPPED] < rules.n_nonzero
        return False
    if dictionary.gram.shape[0] > 0:
        ask_for_picked(dictionary.gram, position, scans_next, state, slot)
    block_atom(state, slot, position)
    # Without damping a copy of the point would represent it alone and split the pair off the graph.
    limit = (1 - 8 * rules.precision) ** 2 * points.squared_norms[j] * atom_norms[atom]
    twin = rules.damping == 0 and k == 0 and correlation**2 >= limit
    accepted = False
    if twin:
        counts[TWINS] += 1
    else:
        if dictionary.gram.shape[0] > 0:
            # The mirror image of these entries: rows of atoms in use are in the cache, the new one is not.
            for a in range(k):
                cross[a] = dictionary.gram[state.rows[slot, a], position]
        else:
            for a in range(k):
                other = atom_at(dictionary, state.rows[slot, a])
                total = 0.0
                for d in range(atoms.shape[1]):
                    total += np.float64(atoms[atom, d]) * np.float64(atoms[other, d])
                cross[a] = total
        cross[k] = atom_norms[atom]
        accepted = accept(state, slot, position, cross, correlation, target, points.squared_norms[j], rules)
        if not accepted:
            counts[DEPENDENT] += 1
    if accepted:
        floor = max(rules.squared_tol, 4 * rules.precision * points.squared_norms[j])
        steps = numbers[N_ATOMS] + numbers[N_DROPPED]
        numbers[RUNNING] = steps < rules.n_nonzero and state.squared_residual[slot] > floor
    else:
        numbers[N_REFUSED] += 1
        numbers[RUNNING] = numbers[N_REFUSED] <= rules.n_nonzero
    return accepted


@kernel
def write_picks(j: int, dictionary: Dictionary, state: PursuitState, slot: int, picks: Picks) -> None:
    """Append the atoms of the dictionary and their coefficients to the solution of point `j`."""
    for a in range(state.numbers[slot, N_ATOMS]):
        place = picks.counts[j]
        picks.indices[j, place] = atom_at(dictionary, state.rows[slot, a])
        picks.values[j, place] = state.values[slot, a]
        picks.counts[j] = place + 1


@kernel
def largest_without(
    winner: int,
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
    magnitude_mask: np.signedinteger,
) -> float:
    """Largest |score| after a scan if the winner is taken out."""
    n = scores.shape[0]
    start = winner // CHUNK * CHUNK
    scores[winner] = 0
    tops[winner // CHUNK] = largest_magnitude(bits, start, min(start + CHUNK, n), magnitude_mask)
    n_chunks = (n + CHUNK - 1) // CHUNK
    best = 0
    for c in range(n_chunks):
        if tops[c] > tops[best]:
            best = c
    where = position_of(bits, best * CHUNK, min((best + 1) * CHUNK, n), magnitude_mask, tops[best])
    return abs(float(scores[where]))


@kernel
def distance_moved(memory: Memory, j: int, state: PursuitState) -> float:
    """How far the residual is from the one that was scanned at this step in an earlier iteration.

    With the same atoms, ||X_S d||^2 = ||L' d||^2 - damping ||d||^2 for the change d of the coefficients,
    where L is the factor of G_SS + damping I; leaving out the second term is safe.
    """
    k = state.numbers[0, N_ATOMS]
    total = 0.0
    for a in range(k):
        entry = 0.0
        for b in range(a, k):
            entry += state.cholesky[0, b, a] * (state.values[0, b] - memory.values[j, k, b])
        total += entry * entry
    return float(np.sqrt(total))


@kernel
def settled_by_special(
    memory: Memory,
    j: int,
    row: NDArray[np.floating],
    dictionary: Dictionary,
    atom_norms: NDArray[np.float64],
    squared_norm: float,
    rules: Rules,
    state: PursuitState,
) -> bool:
    """Whether a special atom is sure to win this step, so that no scan is needed.

    Atoms that are not special now were not special then: none of them scored above the runner-up, and
    since then its score can have grown by no more than the residual moved.
    """
    k = state.numbers[0, N_ATOMS]
    if memory.runner_up[j, k] < 0:
        return False
    bound = memory.runner_up[j, k] + rules.reach * distance_moved(memory, j, state)
    # Correlations carry rounding errors of the data's type.
    bound = bound * (1 + 64 * rules.precision) + 64 * rules.precision * rules.reach * np.sqrt(squared_norm)
    for e in range(state.numbers[0, N_SPECIAL]):
        if not state.special_blocked[0, e]:
            position = state.special_position[0, e]
            # One operation after the other, as `combine` does it.
            score = row[atom_at(dictionary, position)]
            for a in range(k):
                score = score - state.coefficients[0, a] * dictionary.gram[state.rows[0, a], position]
            state.special_score[0, e] = score
    special, best = choose(-1, 0.0, atom_norms, dictionary, rules, state, 0)
    return special >= 0 and best > bound * bound


@kernel
def note_runner_up(
    memory: Memory,
    j: int,
    k: int,
    winner: int,
    score: float,
    rules: Rules,
    state: PursuitState,
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
) -> None:
    """Remember the best plain score besides the atom picked at step `k`, after a scan."""
    # Refused atoms are in no later list of special ones, so nothing is known of them then.
    if state.numbers[0, N_REFUSED] == 0:
        runner_up = abs(score)
        if state.rows[0, k] == winner:
            runner_up = largest_without(winner, scores, bits, tops, rules.magnitude_mask)
        memory.runner_up[j, k] = runner_up


@kernel
def ask_for_next(points: Points, j: int, dictionary: Dictionary, k: int, n_steps: int) -> None:
    """At step `k` of point `j`, ask for a share of what the point after it begins with."""
    coming = j + 1
    if coming == points.active.shape[0] or not points.active[coming]:
        return
    own = dictionary.position[points.own[coming]] if points.own[coming] >= 0 else -1
    if dictionary.columns.shape[0] > 0 and own >= 0:
        share = dictionary.columns.shape[0] // n_steps + 1
        ask_for(dictionary.gram, own, k * share, (k + 1) * share)
    else:
        share = points.correlations.shape[1] // n_steps + 1
        ask_for(points.correlations, points.row[coming], k * share, (k + 1) * share)


@kernel
def pursue_point(
    points: Points,
    j: int,
    dictionary: Dictionary,
    atoms: NDArray[np.floating],
    atom_norms: NDArray[np.float64],
    rules: Rules,
    state: PursuitState,
    base: NDArray[np.floating],
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
    cross: NDArray[np.float64],
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve point `j`; the arguments are those of `pursue`."""
    columns = dictionary.columns
    remembers = memory.runner_up.shape[0] > 0
    begin_point(points, j, dictionary, rules, state, 0, picks)
    row = points.correlations[points.row[j]]
    own = dictionary.position[points.own[j]] if points.own[j] >= 0 else -1
    # Correlations with the atoms of the dictionary: as they are, as a row of its Gram matrix if the
    # point is one of them, or else gathered once they are needed.
    start = base
    complete = columns.shape[0] == 0 or own >= 0
    if columns.shape[0] == 0:
        start = row
    elif own >= 0:
        start = dictionary.gram[own]
    # Whether this pursuit has taken the same atoms so far as the one that memory tells of.
    follows = remembers
    while state.numbers[0, RUNNING]:
        k = state.numbers[0, N_ATOMS]
        winner = -1
        score = 0.0
        settled = follows and settled_by_special(
            memory, j, row, dictionary, atom_norms, points.squared_norms[j], rules, state
        )
        if not settled:
            ask_for_next(points, j, dictionary, k, rules.n_nonzero)
            if not complete:
                for i in range(columns.shape[0]):
                    base[i] = row[np.uint32(columns[i])]
                complete = True
            winner = scan(
                start, dictionary.gram,
                state.rows[0], state.coefficients[0], k,
                dictionary.weights, state.special_position[0], state.numbers[0, N_SPECIAL],
                rules.magnitude_mask, state.special_score[0], scores, bits, tops,
            )  # fmt: skip
            score = np.float64(scores[winner]) if winner >= 0 else 0.0
            if remembers:
                memory.runner_up[j, k] = -1.0
                for a in range(k):
                    memory.values[j, k, a] = state.values[0, a]
        scans_next = not follows or k + 1 >= rules.n_nonzero or memory.runner_up[j, k + 1] < 0
        accepted = step(
            winner, score, points, j, dictionary, atoms, atom_norms, rules, state, 0, cross,
            scans_next, picks, counts,
        )  # fmt: skip
        if remembers and accepted:
            if not settled:
                note_runner_up(memory, j, k, winner, score, rules, state, scores, bits, tops)
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
    base: NDArray[np.floating],
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
    cross: NDArray[np.float64],
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve the active points of a tile over one dictionary whose Gram matrix is at hand.

    Parameters
    ----------
    points, dictionary, atoms, atom_norms, rules : IN
    state, base, scores, bits, tops, cross : scratch
        One slot of state; vectors as long as the dictionary (`tops`: as it has chunks, `cross`: as the
        sparsity).
    memory : IN and OUT
        What the scans of earlier outer iterations saw; empty if there is only one.
    picks, counts : OUT
    """
    for j in range(points.active.shape[0]):
        if points.active[j]:
            pursue_point(
                points, j, dictionary, atoms, atom_norms, rules, state,
                base, scores, bits, tops, cross, memory, picks, counts,
            )  # fmt: skip


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
    scores: NDArray[np.floating],
    bits: NDArray[np.signedinteger],
    tops: NDArray[np.signedinteger],
    cross: NDArray[np.float64],
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
        winner = scan(
            products[j], dictionary.gram, state.rows[j], state.coefficients[j], 0,
            dictionary.weights, state.special_position[j], state.numbers[j, N_SPECIAL],
            rules.magnitude_mask, state.special_score[j], scores, bits, tops,
        )  # fmt: skip
        score = float(scores[winner]) if winner >= 0 else 0.0
        if step(
            winner,
            score,
            points,
            j,
            dictionary,
            atoms,
            atom_norms,
            rules,
            state,
            j,
            cross,
            True,
            picks,
            counts,
        ):
            subtract_atoms(rows[j], dictionary, atoms, state, j, residuals[j])
        if state.numbers[j, RUNNING]:
            n_running += 1
        else:
            write_picks(j, dictionary, state, j, picks)
    return n_running


@kernel
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
