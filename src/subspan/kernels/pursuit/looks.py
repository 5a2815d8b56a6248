"""Looks: approximate scores of all atoms of a dictionary, with a bound on their error.

A look gives candidates: all atoms whose exact score may be the largest. `step.choose_atom` then compares
their exact scores. So the atom that is picked does not depend on the precision of the look. If a look tells
nothing there are no candidates, and all atoms are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.pursuit.eight_bits import look_in_8_bits
from subspan.kernels.pursuit.residual_look import look_at_residual
from subspan.kernels.pursuit.state import GROUP, N_BLOCKED, N_CANDIDATES, N_TARGETS, Problem, Scratch, State

Scores = NDArray[np.signedinteger]


@part
def bound_targets(
    scores: Scores, unit: float, error: float, problem: Problem, state: State, scratch: Scratch
) -> float:
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
        scratch.target_bounds[e] = -np.inf
        if state.target_free[e]:
            # On an interval a parabola is largest at an end, and smallest at an end or at the vertex.
            vertex = min(max(-0.5 * slope, low), high)
            most = max(low * (low + slope), high * (high + slope)) + constant
            least = vertex * (vertex + slope) + constant
            # The exact score is rounded too.
            slack = 1e-6 * (low**2 + high**2 + abs(slope) * (abs(low) + abs(high)) + abs(constant))
            scratch.target_bounds[e] = most + slack
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
    scores: Scores, unit: float, error: float, problem: Problem, state: State, scratch: Scratch
) -> int:
    """List the atoms whose exact score may be the largest, from scores that are off by at most `error`."""
    candidates, targets, peaks = scratch.candidates, scratch.candidate_targets, scratch.peaks
    members, n_targets = problem.dictionary.members, state.counts[N_TARGETS]
    for i in range(np.uint64(members.shape[0])):
        scores[i] *= members[i]
    for b in range(state.counts[N_BLOCKED]):
        scores[state.blocked[b]] = 0
    best = bound_targets(scores, unit, error, problem, state, scratch)
    n_groups = -(-problem.dictionary.atoms.shape[0] // GROUP)
    top = find_peaks(scores, n_groups, peaks)
    if unit * top > error:
        best = max(best, (unit * top - error) ** 2)
    threshold = np.sqrt(max(best, 0.0)) * (1 - 1e-6) - error
    if threshold <= 0:
        return 0
    found = 0
    for e in range(n_targets):
        if scratch.target_bounds[e] >= best:
            candidates[found] = state.target_positions[e]
            targets[found] = state.target_values[e]
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
    for c in range(with_target, found):
        targets[c] = 0.0
    return found


@part
def look(problem: Problem, state: State, scratch: Scratch) -> None:
    """Find the candidates of a step by 8-bit numbers, or by the residual if there are none."""
    found = 0
    if problem.numbers.words.shape[0] > 0:
        unit, error = look_in_8_bits(problem, state, scratch)
        if unit > 0:
            found = shortlist(scratch.scores, unit, error, problem, state, scratch)
    else:
        unit, error = look_at_residual(problem, state, scratch)
        if unit > 0:
            found = shortlist(scratch.product_scores, unit, error, problem, state, scratch)
    state.counts[N_CANDIDATES] = found
