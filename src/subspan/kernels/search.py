"""The next atom of a pursuit: the one with the largest score.

From one step to the next the coefficients of older atoms change little, so most of their rows need not be
read again. Scores that lack these changes are those of a residual nearby, and how far it is away bounds their
errors: only the atoms at the top, within twice that bound, can have the largest score, and their exact
scores, from a few numbers each, tell which one has it. Whatever the shortcut, the atom is the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.entries import atom_at, gram_place
from subspan.kernels.jit import part, passage
from subspan.kernels.scores import (
    LAST_TOP,
    MANY,
    PAUSE,
    ROUNDING,
    SHARE,
    WAITING,
    Search,
    as_number,
    as_pattern,
    find_candidates,
    position_of,
    update_scores,
)
from subspan.kernels.state import LANES, N_ATOMS, N_LISTED, Dictionary, PursuitState, Rules

# Candidates such that one more row to subtract costs as much.
FEW = 6
# How fast the share adapts that scores may be wrong by.
GROWTH = 1.1
# Searches that go by, at most, until a shortcut is tried again where it spares little.
LONGEST_PAUSE = 255


@part
def add_image(amount: float, atom: int, state: PursuitState, slot: int, search: Search) -> None:
    """Add to L' d what it gains if entry `atom` of d grows by `amount`; L is the factor of the system."""
    row = state.factors[slot // LANES, atom]
    lane = slot % LANES
    for a in range(np.uint64(atom + 1)):
        search.image[a] = search.image[a] + amount * row[a, lane]


@part
def image_length(rules: Rules, state: PursuitState, slot: int, search: Search) -> float:
    """Bound on ||X_S d|| for the changes d of the coefficients, given their image L' d.

    The square is ||L' d||^2 - damping ||d||^2; inner products carry rounding errors of the data's type.
    """
    k = state.numbers[slot, N_ATOMS]
    total = 0.0
    squares = 0.0
    magnitude = 0.0
    for a in range(k):
        total += search.image[a] * search.image[a]
        squares += search.changes[a] * search.changes[a]
        magnitude += abs(search.changes[a])
    rounding = rules.product_error * (rules.longest * magnitude) ** 2 + (k + 1) * 1e-15 * total
    return float(np.sqrt(max(total - rules.damping * squares, 0.0) + rounding))


@part
def exact_score(
    score: np.floating, position: int, dictionary: Dictionary, state: PursuitState, slot: int
) -> np.floating:
    """What `update_scores` makes of one number of its base with all rows, operation by operation."""
    place = gram_place(dictionary, position)
    for a in range(state.numbers[slot, N_ATOMS]):
        score = score - state.coefficients[slot, a] * dictionary.gram[state.places[slot, a], place]
    return score


@part
def begin_listed(
    row: NDArray[np.floating], dictionary: Dictionary, state: PursuitState, slot: int, search: Search
) -> None:
    """Note the correlations of the point with the atoms listed; `row` has those with all."""
    for i in range(np.uint64(state.numbers[slot, N_LISTED])):
        place = atom_at(dictionary, state.listed_position[slot, i])
        search.listed_base[slot, i] = row[place]


@part
def extend_listed(dictionary: Dictionary, state: PursuitState, slot: int, search: Search) -> None:
    """Note the inner products of the newest atom with the atoms listed."""
    newest = state.numbers[slot, N_ATOMS] - 1
    row = dictionary.gram[state.places[slot, newest]]
    for i in range(np.uint64(state.numbers[slot, N_LISTED])):
        search.listed_gram[slot, newest, i] = row[np.uint64(state.listed_place[slot, i])]


@part
def score_listed(state: PursuitState, slot: int, search: Search) -> None:
    """Exact scores of the atoms listed: all at once, each as `exact_score` has it."""
    scores = search.listed_scores
    n = np.uint64(state.numbers[slot, N_LISTED])
    for i in range(n):
        scores[i] = search.listed_base[slot, i]
    for a in range(np.uint64(state.numbers[slot, N_ATOMS])):
        value = state.coefficients[slot, a]
        for i in range(n):
            scores[i] = scores[i] - value * search.listed_gram[slot, a, i]
    for i in range(n):
        state.listed_score[slot, i] = scores[i]


@part
def choose_rows(
    allowed: float, rules: Rules, state: PursuitState, slot: int, search: Search
) -> tuple[int, float]:
    """Choose rows to subtract, so that the scores become those of a residual at most `allowed` away.

    Returns their number and how far away it is. Rows with large changes of their coefficients go first.
    """
    k = state.numbers[slot, N_ATOMS]
    changes = search.changes
    search.image[:k] = 0
    for a in range(k):
        changes[a] = float(state.coefficients[slot, a]) - search.taken[a]
        add_image(changes[a], a, state, slot, search)
    n_rows = 0
    # Of the newest row nothing was subtracted so far.
    a = k - 1
    left = np.inf
    while n_rows < k and left > allowed:
        search.chosen[n_rows] = state.rows[slot, a]
        search.amounts[n_rows] = changes[a]
        search.taken[a] += float(search.amounts[n_rows])
        add_image(-changes[a], a, state, slot, search)
        # In the data's type it may have become another by as much as the rounding of scores accounts for.
        changes[a] = 0.0
        n_rows += 1
        left = image_length(rules, state, slot, search)
        a = 0
        for b in range(1, k):
            if abs(changes[b]) > abs(changes[a]):
                a = b
    return n_rows, left


@part
def rounding_of(norm: float, coefficients: NDArray[np.floating], n_rows: int, rules: Rules) -> float:
    """Bound on the rounding error that subtracting one row adds to a score."""
    magnitude = 0.0
    for a in range(n_rows):
        magnitude += abs(float(coefficients[a]))
    return rules.reach * rules.precision * (norm + rules.longest * magnitude)


@part
def best_exact(
    candidates: NDArray[np.int64],
    row: NDArray[np.floating],
    dictionary: Dictionary,
    state: PursuitState,
    slot: int,
) -> tuple[int, float, float]:
    """The candidate with the largest exact |score|, the first of equals, and its score; -1 if all are 0.

    The third number is the second largest |score|.
    """
    winner = -1
    best = 0.0
    second = 0.0
    for position in candidates:
        score = exact_score(row[atom_at(dictionary, position)], position, dictionary, state, slot)
        if dictionary.weights.shape[0] > 0:
            score = score * dictionary.weights[position]
        value = float(score)
        if abs(value) > abs(best) or (abs(value) == abs(best) and value != 0 and position < winner):
            second = abs(best)
            winner = position
            best = value
        else:
            second = max(second, abs(value))
    return winner, best, second


@part
def learn_pause(n_atoms: int, n_rows: int, account: NDArray[np.float64]) -> None:
    """Let shortcuts rest that spare a row at most, longer each time; half as long once they spare more."""
    # Of few rows there are never many to spare, which tells nothing.
    if n_atoms > 3:
        if n_rows >= n_atoms - 1:
            account[PAUSE] = min(2 * account[PAUSE] + 1, LONGEST_PAUSE)
            account[WAITING] = account[PAUSE]
        else:
            account[PAUSE] = account[PAUSE] // 2


@passage
def search_near(
    base: NDArray[np.floating],
    row: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> tuple[int, float, float, float]:
    """What `search_all` finds, by way of the scores of a residual nearby; -1 if they tell too little.

    The third number bounds the errors of these scores, the fourth the exact |scores| besides the winner's.
    """
    account = search.account
    k = state.numbers[slot, N_ATOMS]
    allowed = account[SHARE] * account[LAST_TOP] / rules.reach
    n_rows, left = choose_rows(allowed, rules, state, slot, search)
    learn_pause(k, n_rows, account)
    if n_rows == k:
        account[SHARE] *= GROWTH
        return -1, 0.0, 0.0, 0.0
    account[ROUNDING] += n_rows * rounding_of(norm, search.taken, k, rules)
    top = as_number(
        update_scores(base, np.bool_(False), n_rows, dictionary, rules, state, slot, search), search
    )
    # Exact scores have rounding errors as well, from every row, the weight and the threshold.
    rounding = account[ROUNDING] + (k + 4) * rounding_of(norm, state.coefficients[slot], k, rules)
    error = rules.reach * left + rounding
    n_found = MANY + 1
    if top > 2 * error:
        n_found = find_candidates(as_pattern(top - 2 * error, search), search, rules.magnitude_mask)
    if n_found > MANY:
        account[SHARE] /= 2
        return -1, 0.0, 0.0, 0.0
    account[SHARE] = min(account[SHARE] * (GROWTH if n_found < FEW else 1 / GROWTH), 1.0)
    account[LAST_TOP] = top
    winner, score, second = best_exact(search.candidates[:n_found], row, dictionary, state, slot)
    # Scores of all others are below the threshold, and wrong by `error` at most.
    return winner, score, error, max(second, top - error)


@part
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
    if top == 0:
        return -1, 0.0
    winner = position_of(top, search, rules.magnitude_mask)
    return winner, as_number(search.bits[winner], search)


@passage
def search_atom(
    base: NDArray[np.floating],
    row: NDArray[np.floating],
    norm: float,
    dictionary: Dictionary,
    rules: Rules,
    state: PursuitState,
    slot: int,
    search: Search,
) -> tuple[int, float, float, float]:
    """The winner, its exact score, and bounds.

    They are on the errors of the scores that are left in `search`, and on the exact |scores| besides the
    winner's, as far as they are known without another look.
    """
    k = state.numbers[slot, N_ATOMS]
    account = search.account
    if account[LAST_TOP] > 0 and k > 1 and k * base.shape[0] >= rules.shortcut_from:
        if account[WAITING] > 0:
            account[WAITING] -= 1
        else:
            winner, score, error, others = search_near(
                base, row, norm, dictionary, rules, state, slot, search
            )
            if winner >= 0:
                return winner, score, error, others
    winner, score = search_all(base, dictionary, rules, state, slot, search)
    return winner, score, 0.0, abs(score)
