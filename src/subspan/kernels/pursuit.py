"""Damped orthogonal matching pursuit (Algorithm 1 of the paper) for a tile of points.

Two drivers share the same steps. `pursue` holds the Gram matrix of its dictionary and takes one point
from beginning to end. `begin` and `advance` do without: between two steps the caller forms the
correlations of all residuals of the tile by one matrix product.

The small systems (G_SS + damping I) b = X_S' x + damping c_S are kept as a growing Cholesky factor in
float64, whatever the type of the data. An atom is *special* to a point if it must not take part in the
vectorised search: the point itself, atoms already used, and atoms where the target c is not zero,
whose score differs from the plain correlation.

The search itself is memory traffic and nothing else. The residual is never formed: with Gram rows at hand
its correlations, the scores, are those of the point minus a short combination of rows. One pass over a chunk
that stays in the first-level cache subtracts rows, sets special atoms aside and finds the maximum. A row that
a pursuit has not read before comes from far away; it is asked for while the work before it goes on.

From one step to the next the coefficients of older atoms change little, so most of their rows need not be
read again. Scores that lack these changes are those of a residual nearby, and how far it is away bounds their
errors: only the atoms at the top, within twice that bound, can have the largest score, and their exact
scores, from a few numbers each, tell which one has it. Whatever the shortcut, the atom is the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.prefetch import LINE_BYTES, prefetch
from subspan.kernels.state import (
    DEPENDENT,
    LAST_TOP,
    N_ATOMS,
    N_DROPPED,
    N_REFUSED,
    N_SPECIAL,
    ROUNDING,
    RUNNING,
    SHARE,
    TWINS,
    Dictionary,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
    Search,
    bits_type,
)

# 1024 numbers of the score chunk stay in the first-level cache beside the Gram rows streaming through.
CHUNK = 1024
# Maxima are kept of groups of this size, and of as many groups: so many of either for a chunk.
GROUP = 8
TOPS = CHUNK // GROUP
PEAKS = TOPS // GROUP
# Candidates that are looked at one by one: at most, and such that one more row to subtract costs as much.
MANY = 64
FEW = 6
# The share of the largest score that scores may be wrong by: at first, and how fast it adapts.
FIRST_SHARE = 0.1
GROWTH = 1.1


def new_search(n_atoms: int, n_nonzero: int, weighted: bool, dtype: np.dtype) -> Search:
    """Allocate the scratch of a search among at most `n_atoms` atoms."""
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
        cross=np.zeros(n_nonzero),
        account=np.array([FIRST_SHARE, 0.0, 0.0]),
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


@kernel
def ask_for(matrix: NDArray[np.floating], row: int, start: int, stop: int) -> None:
    """Have part of a row brought into the cache while other work goes on."""
    for i in range(start, min(stop, matrix.shape[1]), LINE_BYTES // matrix.itemsize):
        prefetch(matrix, row, i)


@kernel
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


@kernel
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


@kernel
def update_scores(
    base: NDArray[np.floating],
    anew: bool,
    n_rows: int,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> np.signedinteger:
    """Subtract the chosen rows, from `base` or from the scores there are; the largest |score|, as an integer.

    Special atoms take no part in the maximum. Their scores are in the state afterwards, if all is done anew.
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
            state.special_score[slot, special] = scores[position]
            scores[position] = 0
            special += 1
        if dictionary.weights.shape[0] > 0:
            for i in range(np.uint64(start), np.uint64(stop)):
                search.weighted[i] = scores[i] * dictionary.weights[i]
        top = max(top, chunk_maximum(start, search, rules.magnitude_mask))
    return top


@kernel
def as_number(pattern: np.signedinteger, search: Search) -> float:
    """The number whose bits are `pattern`."""
    search.pattern[0] = pattern
    return float(search.number[0])


@kernel
def as_pattern(number: float, search: Search) -> np.signedinteger:
    """The bits of a number."""
    search.number[0] = number
    return search.pattern[0]  # type: ignore[no-any-return]


@kernel
def first_member(group: int, width: int) -> int:
    """First of the members of a group, which are `width` apart; there are as many groups in a chunk."""
    return group // width * width * GROUP + group % width


@kernel
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


@kernel
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


@kernel
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


@kernel
def largest_besides(search: Search, position: int, magnitude_mask: np.signedinteger) -> float:
    """Largest |score| without the one at `position`, which becomes 0."""
    search.bits[position] = 0
    top = chunk_maximum(position // CHUNK * CHUNK, search, magnitude_mask)
    for p in range(np.uint64(search.peaks.shape[0])):
        top = max(top, search.peaks[p])
    return as_number(top, search)


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
def add_image(amount: float, atom: int, state: PursuitState, search: Search) -> None:
    """Add to L' d what it gains if entry `atom` of d grows by `amount`; L is the factor of the system."""
    for a in range(np.uint64(atom + 1)):
        search.image[a] = search.image[a] + amount * state.cholesky[0, atom, a]


@kernel
def image_length(rules: Rules, state: PursuitState, search: Search) -> float:
    """Bound on ||X_S d|| for the changes d of the coefficients, given their image L' d.

    The square is ||L' d||^2 - damping ||d||^2; inner products carry rounding errors of the data's type.
    """
    k = state.numbers[0, N_ATOMS]
    total = 0.0
    squares = 0.0
    magnitude = 0.0
    for a in range(k):
        total += search.image[a] * search.image[a]
        squares += search.changes[a] * search.changes[a]
        magnitude += abs(search.changes[a])
    rounding = rules.product_error * (rules.longest * magnitude) ** 2 + (k + 1) * 1e-15 * total
    return float(np.sqrt(max(total - rules.damping * squares, 0.0) + rounding))


@kernel
def exact_score(
    score: np.floating, position: int, dictionary: Dictionary, state: PursuitState
) -> np.floating:
    """What `update_scores` makes of one number of its base with all rows, operation by operation."""
    for a in range(state.numbers[0, N_ATOMS]):
        score = score - state.coefficients[0, a] * dictionary.gram[state.rows[0, a], position]
    return score


@kernel
def score_special(base: NDArray[np.floating], dictionary: Dictionary, state: PursuitState) -> None:
    """Exact scores of the special atoms that may be picked."""
    for e in range(state.numbers[0, N_SPECIAL]):
        if not state.special_blocked[0, e]:
            position = state.special_position[0, e]
            state.special_score[0, e] = exact_score(base[position], position, dictionary, state)


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
    search: Search,
) -> bool:
    """Whether a special atom is sure to win this step, so that no scan is needed.

    Atoms that are not special now were not special then: none of them scored above the runner-up, and
    since then its score can have grown by no more than the residual moved.
    """
    k = state.numbers[0, N_ATOMS]
    if memory.runner_up[j, k] < 0:
        return False
    search.image[:k] = 0
    for a in range(k):
        search.changes[a] = state.values[0, a] - memory.values[j, k, a]
        add_image(search.changes[a], a, state, search)
    bound = memory.runner_up[j, k] + rules.reach * image_length(rules, state, search)
    # Correlations carry rounding errors of the data's type.
    rounding = rules.product_error
    bound = bound * (1 + rounding) + rounding * rules.reach * np.sqrt(squared_norm)
    for e in range(state.numbers[0, N_SPECIAL]):
        if not state.special_blocked[0, e]:
            position = state.special_position[0, e]
            score = row[atom_at(dictionary, position)]
            state.special_score[0, e] = exact_score(score, position, dictionary, state)
    special, best = choose(-1, 0.0, atom_norms, dictionary, rules, state, 0)
    return special >= 0 and best > bound * bound


@kernel
def choose_rows(allowed: float, rules: Rules, state: PursuitState, search: Search) -> tuple[int, float]:
    """Choose rows to subtract, so that the scores become those of a residual at most `allowed` away.

    Returns their number and how far away it is. Rows with large changes of their coefficients go first.
    """
    k = state.numbers[0, N_ATOMS]
    changes = search.changes
    search.image[:k] = 0
    for a in range(k):
        changes[a] = float(state.coefficients[0, a]) - search.taken[a]
        add_image(changes[a], a, state, search)
    n_rows = 0
    # Of the newest row nothing was subtracted so far.
    a = k - 1
    left = np.inf
    while n_rows < k and left > allowed:
        search.chosen[n_rows] = state.rows[0, a]
        search.amounts[n_rows] = changes[a]
        search.taken[a] += float(search.amounts[n_rows])
        add_image(-changes[a], a, state, search)
        # In the data's type it may have become another by as much as the rounding of scores accounts for.
        changes[a] = 0.0
        n_rows += 1
        left = image_length(rules, state, search)
        a = 0
        for b in range(1, k):
            if abs(changes[b]) > abs(changes[a]):
                a = b
    return n_rows, left


@kernel
def rounding_of(norm: float, coefficients: NDArray[np.floating], rules: Rules, state: PursuitState) -> float:
    """Bound on the rounding error that subtracting one row adds to a score."""
    magnitude = 0.0
    for a in range(state.numbers[0, N_ATOMS]):
        magnitude += abs(float(coefficients[a]))
    return rules.reach * rules.precision * (norm + rules.longest * magnitude)


@kernel
def best_exact(
    n_candidates: int,
    base: NDArray[np.floating],
    dictionary: Dictionary,
    state: PursuitState,
    search: Search,
) -> tuple[int, float]:
    """The candidate with the largest exact |score|, the first of equals, and its score; -1 if all are 0."""
    winner = -1
    best = 0.0
    for c in range(n_candidates):
        position = search.candidates[c]
        score = exact_score(base[position], position, dictionary, state)
        if dictionary.weights.shape[0] > 0:
            score = score * dictionary.weights[position]
        value = float(score)
        if abs(value) > abs(best) or (abs(value) == abs(best) and value != 0 and position < winner):
            winner = position
            best = value
    return winner, best


@kernel
def search_near(
    base: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    search: Search,
) -> tuple[int, float, float]:
    """What `search_all` finds, by way of the scores of a residual nearby; -1 if they tell too little.

    The third number is the bound on the errors of these scores.
    """
    account = search.account
    k = state.numbers[0, N_ATOMS]
    n_rows, left = choose_rows(account[SHARE] * account[LAST_TOP] / rules.reach, rules, state, search)
    if n_rows == k:
        account[SHARE] *= GROWTH
        return -1, 0.0, 0.0
    account[ROUNDING] += n_rows * rounding_of(norm, search.taken, rules, state)
    top = as_number(update_scores(base, False, n_rows, dictionary, rules, state, 0, search), search)
    # Exact scores have rounding errors as well, from every row, the weight and the threshold.
    rounding = account[ROUNDING] + (k + 4) * rounding_of(norm, state.coefficients[0], rules, state)
    error = rules.reach * left + rounding
    n_found = MANY + 1
    if top > 2 * error:
        n_found = find_candidates(as_pattern(top - 2 * error, search), search, rules.magnitude_mask)
    if n_found > MANY:
        account[SHARE] /= 2
        return -1, 0.0, 0.0
    account[SHARE] = min(account[SHARE] * (GROWTH if n_found < FEW else 1 / GROWTH), 1.0)
    account[LAST_TOP] = top
    score_special(base, dictionary, state)
    winner, score = best_exact(n_found, base, dictionary, state, search)
    return winner, score, error


@kernel
def search_all(
    base: NDArray[np.floating],
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> tuple[int, float]:
    """Position of the largest |score| outside the special atoms, the first of equals, and the score.

    The scores are `base` minus the combination of all atoms so far. The position is -1 if all are 0.
    """
    k = state.numbers[slot, N_ATOMS] if dictionary.gram.shape[0] > 0 else 0
    # With a single atom that nothing was taken of yet, the scores are still those of the point itself.
    anew = k != 1 or search.account[LAST_TOP] == 0 or search.taken[0] != 0
    for a in range(k):
        search.chosen[a] = state.rows[slot, a]
        search.amounts[a] = state.coefficients[slot, a]
        search.taken[a] = search.amounts[a]
    top = update_scores(base, anew, k, dictionary, rules, state, slot, search)
    search.account[LAST_TOP] = as_number(top, search)
    search.account[ROUNDING] = 0.0
    if not anew:
        score_special(base, dictionary, state)
    if top == 0:
        return -1, 0.0
    winner = position_of(top, search, rules.magnitude_mask)
    return winner, as_number(search.bits[winner], search)


@kernel
def search_atom(
    base: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    search: Search,
) -> tuple[int, float, float]:
    """The winner, its exact score, and a bound on the errors of the scores that are left in `search`."""
    k = state.numbers[0, N_ATOMS]
    if search.account[LAST_TOP] > 0 and k > 1 and k * base.shape[0] >= rules.shortcut_from:
        winner, score, error = search_near(base, norm, dictionary, rules, state, search)
        if winner >= 0:
            return winner, score, error
    winner, score = search_all(base, dictionary, rules, state, 0, search)
    return winner, score, 0.0


@kernel
def note_runner_up(
    memory: Memory,
    j: int,
    k: int,
    winner: int,
    score: float,
    error: float,
    rules: Rules,
    state: PursuitState,
    search: Search,
) -> None:
    """Remember how large a plain score besides that of the atom picked at step `k` can be, after a search."""
    # Refused atoms are in no later list of special ones, so nothing is known of them then.
    if state.numbers[0, N_REFUSED] == 0:
        runner_up = abs(score)
        if state.rows[0, k] == winner:
            runner_up = largest_besides(search, winner, rules.magnitude_mask) + error
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
    search: Search,
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve point `j`; the arguments are those of `pursue`."""
    columns = dictionary.columns
    remembers = memory.runner_up.shape[0] > 0
    begin_point(points, j, dictionary, rules, state, 0, picks)
    row = points.correlations[points.row[j]]
    norm = np.sqrt(points.squared_norms[j])
    own = dictionary.position[points.own[j]] if points.own[j] >= 0 else -1
    # Correlations with the atoms of the dictionary: as they are, as a row of its Gram matrix if the
    # point is one of them, or else gathered once they are needed.
    base = search.base
    complete = columns.shape[0] == 0 or own >= 0
    if columns.shape[0] == 0:
        base = row[: search.base.shape[0]]
    elif own >= 0:
        base = dictionary.gram[own, : search.base.shape[0]]
    search.account[LAST_TOP] = 0.0
    # Whether this pursuit has taken the same atoms so far as the one that memory tells of.
    follows = remembers
    while state.numbers[0, RUNNING]:
        k = state.numbers[0, N_ATOMS]
        winner = -1
        score = 0.0
        error = 0.0
        settled = follows and settled_by_special(
            memory, j, row, dictionary, atom_norms, points.squared_norms[j], rules, state, search
        )
        if not settled:
            ask_for_next(points, j, dictionary, k, rules.n_nonzero)
            if not complete:
                for i in range(np.uint64(columns.shape[0])):
                    search.base[i] = row[np.uint32(columns[i])]
                complete = True
            winner, score, error = search_atom(base, norm, dictionary, rules, state, search)
            if remembers:
                memory.runner_up[j, k] = -1.0
                for a in range(k):
                    memory.values[j, k, a] = state.values[0, a]
        scans_next = not follows or k + 1 >= rules.n_nonzero or memory.runner_up[j, k + 1] < 0
        accepted = step(
            winner, score, points, j, dictionary, atoms, atom_norms, rules, state, 0, search.cross,
            scans_next, picks, counts,
        )  # fmt: skip
        if accepted:
            search.taken[k] = 0.0
        if remembers and accepted:
            if not settled:
                note_runner_up(memory, j, k, winner, score, error, rules, state, search)
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
    memory: Memory,
    picks: Picks,
    counts: NDArray[np.int64],
) -> None:
    """Solve the active points of a tile over one dictionary whose Gram matrix is at hand.

    Parameters
    ----------
    points, dictionary, atoms, atom_norms, rules : IN
    state, search : scratch
        One slot of state.
    memory : IN and OUT
        What the scans of earlier outer iterations saw; empty if there is only one.
    picks, counts : OUT
    """
    for j in range(points.active.shape[0]):
        if points.active[j]:
            pursue_point(
                points, j, dictionary, atoms, atom_norms, rules, state, search, memory, picks, counts
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
        if step(
            winner, score, points, j, dictionary, atoms, atom_norms, rules, state, j, search.cross,
            True, picks, counts,
        ):  # fmt: skip
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
