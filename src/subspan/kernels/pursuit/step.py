"""One step of a pursuit: the rule that picks an atom, its small system, and when it ends.

All engines share these functions, and `dot` fixes the order of every sum. So their coefficients agree bit for
bit. A rule that is changed here must be changed in `reference` too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.pursuit.state import (
    DEPENDENT,
    HAS_RESIDUAL,
    N_ATOMS,
    N_BLOCKED,
    N_CANDIDATES,
    N_DROPPED,
    N_REFUSED,
    N_TARGETS,
    QUERY,
    RUNNING,
    TWINS,
    Atoms,
    Floats,
    Picks,
    Problem,
    Queries,
    Rules,
    Scratch,
    State,
)

# Partial sums of `dot`, and the length of its step. They do not depend on the processor.
LANES = 16
ROW_MULTIPLE = 4 * LANES


@part
def dot(x: Floats, y: Floats, lanes: Floats) -> float:
    """Inner product of rows, with sums in a fixed order; their length is a multiple of ROW_MULTIPLE."""
    # With unsigned indices there is no test for negative ones, so the loops over lanes are vectorised.
    n = np.uint64(LANES)
    for i in range(n):
        lanes[i] = 0
    for d in range(np.uint64(0), np.uint64(x.shape[0]), np.uint64(ROW_MULTIPLE)):
        for i in range(n):
            total = lanes[i] + x[d + i] * y[d + i]
            total += x[d + np.uint64(LANES) + i] * y[d + np.uint64(LANES) + i]
            total += x[d + np.uint64(2 * LANES) + i] * y[d + np.uint64(2 * LANES) + i]
            total += x[d + np.uint64(3 * LANES) + i] * y[d + np.uint64(3 * LANES) + i]
            lanes[i] = total
    for i in range(np.uint64(8)):
        lanes[i] += lanes[i + np.uint64(8)]
    for i in range(np.uint64(4)):
        lanes[i] += lanes[i + np.uint64(4)]
    return np.float64((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]))


@part
def score(correlation: float, target: float, weight: float, rules: Rules) -> float:
    """Score of an atom; the largest is picked."""
    value = correlation**2 + rules.cross * correlation * target + rules.square * target**2
    return weight**2 * value


@part
def residual_floor(norm: float, rules: Rules) -> float:
    """Squared residual at which a pursuit ends."""
    return max(rules.squared_tol, 4 * rules.precision * norm**2)


@part
def block(position: int, state: State) -> None:
    """Make an atom unavailable to this pursuit."""
    counts = state.counts
    state.blocked[counts[N_BLOCKED]] = position
    counts[N_BLOCKED] += 1
    for e in range(counts[N_TARGETS]):
        if state.target_positions[e] == position:
            state.target_free[e] = False


@part
def begin(j: int, problem: Problem, state: State, picks: Picks) -> None:
    """Set up the pursuit of query `j`: no atom yet, the residual is the query."""
    queries, positions, counts = problem.queries, problem.dictionary.positions, state.counts
    counts[:] = 0
    counts[QUERY] = j
    picks.counts[j] = 0
    n = 0
    for e in range(queries.target_counts[j]):
        position = positions[queries.target_atoms[j, e]]
        if position >= 0:
            state.target_positions[n] = position
            state.target_values[n] = queries.target_values[j, e]
            state.target_free[n] = True
            n += 1
    counts[N_TARGETS] = n
    own = queries.own[j]
    if own >= 0 and positions[own] >= 0:
        block(positions[own], state)
    norm = queries.norms[j]
    counts[RUNNING] = norm**2 > residual_floor(norm, problem.rules)


@part
def form_residual(queries: Queries, atoms: Atoms, state: State) -> None:
    """Bring the residual of a pursuit up to date, if it is not."""
    counts = state.counts
    if counts[HAS_RESIDUAL]:
        return
    residual, row = state.residual, queries.rows[counts[QUERY]]
    n = np.uint64(residual.shape[0])
    for d in range(n):
        residual[d] = row[d]
    for a in range(counts[N_ATOMS]):
        atom = atoms.rows[state.atoms[a]]
        # In the type of the data, as the residual is.
        value = residual.dtype.type(state.values[a])
        for d in range(n):
            residual[d] -= value * atom[d]
    counts[HAS_RESIDUAL] = 1


@part
def correlation_with(position: int, problem: Problem, state: State) -> float:
    """Exact correlation of an atom with the residual, which must be up to date."""
    return dot(problem.atoms.rows[problem.dictionary.atoms[position]], state.residual, state.lanes)


@part
def list_all(problem: Problem, state: State, scratch: Scratch) -> int:
    """Make every atom that may be picked a candidate; returns their number."""
    atoms, positions = problem.dictionary.atoms, problem.dictionary.positions
    counts, targets = state.counts, scratch.candidate_targets
    targets[: atoms.shape[0]] = 0.0
    for e in range(counts[N_TARGETS]):
        targets[state.target_positions[e]] = state.target_values[e]
    for b in range(counts[N_BLOCKED]):
        targets[state.blocked[b]] = np.nan
    found = 0
    for position in range(atoms.shape[0]):
        if positions[atoms[position]] >= 0 and not np.isnan(targets[position]):
            scratch.candidates[found] = position
            targets[found] = targets[position]
            found += 1
    return found


@part
def choose_atom(problem: Problem, state: State, scratch: Scratch) -> tuple[int, float]:
    """Position and target of the candidate with the largest score; -1 if all correlations and targets are 0.

    Ties go to the lowest row of the data.
    """
    candidates, targets = scratch.candidates, scratch.candidate_targets
    n = state.counts[N_CANDIDATES]
    if n == 1:
        return candidates[0], targets[0]
    if n == 0:
        n = list_all(problem, state, scratch)
    form_residual(problem.queries, problem.atoms, state)
    weights, numbers, atoms = problem.atoms.weights, problem.atoms.numbers, problem.dictionary.atoms
    winner = -1
    best = chosen = 0.0
    for c in range(n):
        position, target = candidates[c], targets[c]
        correlation = correlation_with(position, problem, state)
        if correlation == 0 and target == 0:
            continue
        value = score(correlation, target, weights[atoms[position]], problem.rules)
        tied = winner >= 0 and value == best
        if winner < 0 or value > best or (tied and numbers[atoms[position]] < numbers[atoms[winner]]):
            winner, best, chosen = position, value, target
    return winner, chosen


@part
def pick_dropped(j: int, problem: Problem, state: State, picks: Picks) -> None:
    """Pick the dropped atom with the largest target not yet taken; its coefficient is the target."""
    queries = problem.queries
    best = -1
    largest = 0.0
    for e in range(queries.target_counts[j]):
        atom = queries.target_atoms[j, e]
        taken = problem.dictionary.positions[atom] >= 0
        for p in range(picks.counts[j]):
            taken = taken or picks.atoms[j, p] == atom
        if not taken and abs(queries.target_values[j, e]) > largest:
            largest = abs(queries.target_values[j, e])
            best = e
    if best >= 0:
        place = picks.counts[j]
        picks.atoms[j, place] = queries.target_atoms[j, best]
        picks.values[j, place] = queries.target_values[j, best]
        picks.counts[j] = place + 1
    # Without such an atom the step counts too, as in the footnote of the paper.
    counts = state.counts
    counts[N_DROPPED] += 1
    counts[RUNNING] = counts[N_ATOMS] + counts[N_DROPPED] < problem.rules.n_nonzero


@part
def keeps_dropped(correlation: float, target: float, norm: float, rules: Rules) -> bool:
    """Whether leaving the best preserved atom alone is no worse than picking it."""
    gain = (correlation + rules.damping * target) ** 2 / (norm**2 + rules.damping)
    return rules.damping * target**2 - gain >= 0


@part
def refuse(rules: Rules, state: State) -> None:
    """Continue without the atom that was picked, unless too many were refused."""
    counts = state.counts
    counts[N_REFUSED] += 1
    counts[RUNNING] = counts[N_REFUSED] <= rules.n_nonzero


@part
def extend_system(
    atom: int, correlation: float, target: float, atoms: Atoms, rules: Rules, state: State
) -> bool:
    """Add an atom to the Cholesky factor of a pursuit; False if it depends on those already there."""
    k = state.counts[N_ATOMS]
    factors, forward = state.factors, state.forward
    row = factors[k]
    own = atoms.norms[atom] ** 2
    pivot = own + rules.damping
    right = correlation + rules.damping * target
    for a in range(k):
        row[a] = dot(atoms.rows[state.atoms[a]], atoms.rows[atom], state.lanes)
    for a in range(k):
        total = row[a]
        for b in range(a):
            total -= row[b] * factors[a, b]
        row[a] = total / factors[a, a]
        pivot -= row[a] ** 2
        right -= row[a] * forward[a]
    if not pivot > 4 * (k + 1) * rules.precision * own:
        return False
    row[k] = np.sqrt(pivot)
    forward[k] = right / row[k]
    state.atoms[k] = atom
    state.targets[k] = target
    state.correlations[k] = correlation
    state.counts[N_ATOMS] = k + 1
    return True


@part
def solve_system(norm: float, rules: Rules, state: State) -> float:
    """Fill the coefficients of a pursuit; returns its squared residual."""
    k = state.counts[N_ATOMS]
    factors, values = state.factors, state.values
    residual = norm**2
    for a in range(k - 1, -1, -1):
        total = state.forward[a]
        for b in range(a + 1, k):
            total -= factors[b, a] * values[b]
        values[a] = total / factors[a, a]
        # (G + damping I) b = r + damping c: so ||x - X b||^2 needs no product with the data.
        shift = rules.damping * (state.targets[a] - values[a])
        residual += values[a] * (shift - state.correlations[a])
    state.counts[HAS_RESIDUAL] = 0
    return residual


@part
def take_step(
    problem: Problem, state: State, scratch: Scratch, picks: Picks, events: NDArray[np.int64]
) -> None:
    """Pick one of the candidates, solve for all coefficients, and decide whether the pursuit continues."""
    queries, atoms, rules, counts = problem.queries, problem.atoms, problem.rules, state.counts
    j = counts[QUERY]
    position, target = choose_atom(problem, state, scratch)
    if position < 0:
        counts[RUNNING] = 0
        if rules.from_dropped:
            pick_dropped(j, problem, state, picks)
        return
    atom = int(problem.dictionary.atoms[position])
    if rules.from_dropped and target != 0:
        form_residual(queries, atoms, state)
        correlation = correlation_with(position, problem, state)
        if keeps_dropped(correlation, target, atoms.norms[atom], rules):
            pick_dropped(j, problem, state, picks)
            return
    block(position, state)
    norm = queries.norms[j]
    correlation = dot(atoms.rows[atom], queries.rows[j], state.lanes)
    # Without damping a copy would represent the query alone: the pair would be a component of the graph.
    limit = (1 - 8 * rules.precision) * norm * atoms.norms[atom]
    if rules.damping == 0 and counts[N_ATOMS] == 0 and abs(correlation) >= limit:
        events[TWINS] += 1
        refuse(rules, state)
    elif not extend_system(atom, correlation, target, atoms, rules, state):
        events[DEPENDENT] += 1
        refuse(rules, state)
    else:
        goes_on = solve_system(norm, rules, state) > residual_floor(norm, rules)
        counts[RUNNING] = goes_on and counts[N_ATOMS] + counts[N_DROPPED] < rules.n_nonzero


@part
def write_picks(state: State, picks: Picks) -> None:
    """Append the atoms of a finished pursuit and their coefficients to its solution."""
    j = state.counts[QUERY]
    for a in range(state.counts[N_ATOMS]):
        place = picks.counts[j]
        picks.atoms[j, place] = state.atoms[a]
        picks.values[j, place] = state.values[a]
        picks.counts[j] = place + 1
