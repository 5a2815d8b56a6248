"""Elastic net over a large dictionary: 1/2 ||x - c A||^2 + l1 ||c||_1 + l2/2 ||c||^2 for a tile of points.

Few atoms get a coefficient, so the problem is solved over a small working set, and the correlations of the
residual with all atoms say which atoms are missing (an oracle-guided active set). Once none is, the solution
is that over the whole dictionary. Two drivers share the same steps. `solve_tile` holds the Gram matrix of the
dictionary and takes one point from beginning to end. `settle` and `extend` do without: between them the
caller forms the correlations of all residuals of a tile by one matrix product.

The small problem is solved by following a path. The part of the gradient that violates the optimality
conditions is switched on by degrees; the optimal coefficients move along straight lines, and at every corner
an atom joins or leaves. From zero this is the homotopy of the lasso; from the solution over a smaller working
set it has few corners. It ends exactly, but ties and dependent atoms can mislead it. What is then left to do
falls to coordinate descent, which nothing misleads, and to Newton steps on the face of the signs it found,
which give the last digits at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.working_set import Codes, Penalty, WorkingSet

# Numbers of the residual's correlations that stay in the first-level cache while Gram rows stream through.
CHUNK = 1024
# Features of a working set that are multiplied at once.
PANEL = 8
# What an atom of the working set does on a path: nothing yet, take part, or stay away as dependent.
IDLE, IN_USE, BARRED = range(3)
# Events of a path for each atom of the working set: one is the rule, this many mean that it runs in circles.
MAX_EVENTS = 8
# Rounds of any kind; a handful is the rule, this many mean that rounding has the last word.
MAX_ROUNDS = 1000


@part
def subtract(factor: float, row: NDArray[np.float64], start: int, n: int, out: NDArray[np.float64]) -> None:
    """Take factor * row from `out`, from `start` to `n`; unsigned indices let the compiler vectorise."""
    for i in range(np.uint64(start), np.uint64(n)):
        out[i] -= factor * row[i]


@part
def descend(work: WorkingSet, n: int, penalty: Penalty) -> None:
    """One pass of coordinate descent."""
    values, gradient = work.values, work.gradient
    for i in range(n):
        own = work.gram[i, i]
        target = gradient[i] + own * values[i]
        shrunk = abs(target) - penalty.l1
        value = 0.0
        if shrunk > 0:
            value = (shrunk if target > 0 else -shrunk) / (own + penalty.l2)
        change = value - values[i]
        if change != 0:
            values[i] = value
            subtract(change, work.gram[i], 0, n, gradient)


@part
def slope(work: WorkingSet, i: int, penalty: Penalty) -> float:
    """Minus the derivative of the objective in coefficient `i`, which is not zero."""
    value: float = work.values[i]
    gradient: float = work.gradient[i]
    return gradient - penalty.l2 * value - (penalty.l1 if value > 0 else -penalty.l1)


@part
def violation(work: WorkingSet, n: int, penalty: Penalty) -> float:
    """Largest violation of the optimality conditions inside the working set."""
    worst = 0.0
    for i in range(n):
        if work.values[i] != 0:
            worst = max(worst, abs(slope(work, i, penalty)))
        else:
            worst = max(worst, abs(work.gradient[i]) - penalty.l1)
    return worst


@part
def solve_upper(factor: NDArray[np.float64], k: int, vector: NDArray[np.float64]) -> None:
    """Replace the first `k` numbers of `vector` by the solution of U x = vector."""
    for p in range(k - 1, -1, -1):
        total = vector[p]
        for q in range(p + 1, k):
            total -= factor[p, q] * vector[q]
        vector[p] = total / factor[p, p]


@part
def walk(work: WorkingSet, k: int, length: float, n: int) -> bool:
    """Move the `k` chosen coefficients by up to `length` times the step; whether one became zero first."""
    values, step, chosen = work.values, work.step, work.chosen
    first = -1
    for p in range(k):
        value = values[chosen[p]]
        if value * step[p] < 0 and -value / step[p] <= length:
            length = -value / step[p]
            first = p
    for p in range(k):
        i = chosen[p]
        value = 0.0 if p == first else values[i] + length * step[p]
        subtract(value - values[i], work.gram[i], 0, n, work.gradient)
        values[i] = value
    return first >= 0


@part
def leave_dependent(work: WorkingSet, k: int, pivot: float, n: int, penalty: Penalty) -> bool:
    """Move along the direction in which atom k of the chosen is a combination of those before it.

    The representation hardly changes there, but the penalty does, down to where a coefficient becomes
    zero. Whether one did; otherwise the pivot was not quite zero, and the minimum came first.
    """
    step = work.step
    for p in range(k):
        step[p] = -work.column[p]
    solve_upper(work.factor, k, step)
    step[k] = 1.0
    descent = 0.0
    for p in range(k + 1):
        descent += step[p] * slope(work, work.chosen[p], penalty)
    # Without any gain either way the last atom is the one to go.
    towards = 1.0 if descent > 0 or (descent == 0 and work.values[work.chosen[k]] < 0) else -1.0
    for p in range(k + 1):
        step[p] *= towards
    length = abs(descent) / pivot if pivot > 0 and descent != 0 else np.inf
    return walk(work, k + 1, length, n)


@part
def join(work: WorkingSet, k: int, i: int, penalty: Penalty) -> float:
    """Append atom `i` to the `k` chosen ones and to the factor; its pivot, small if it depends on them."""
    factor, column = work.factor, work.column
    pivot: float = work.gram[i, i] + penalty.l2
    for p in range(k):
        column[p] = work.gram[i, work.chosen[p]]
    for p in range(k):
        column[p] /= factor[p, p]
        subtract(column[p], factor[p], p + 1, k, column)
        pivot -= column[p] ** 2
    for p in range(k):
        factor[p, k] = column[p]
    factor[k, k] = np.sqrt(max(pivot, 0.0))
    work.chosen[k] = i
    return pivot


@part
def solve_step(work: WorkingSet, k: int) -> None:
    """Replace the first `k` numbers of the step by the solution of U'U x = step."""
    for p in range(k):
        work.step[p] /= work.factor[p, p]
        subtract(work.step[p], work.factor[p], p + 1, k, work.step)
    solve_upper(work.factor, k, work.step)


@part
def newton(work: WorkingSet, n: int, penalty: Penalty) -> bool:
    """Step towards the minimiser over the coefficients in use; whether one became zero on the way."""
    k = 0
    for i in range(n):
        if work.values[i] == 0:
            continue
        pivot = join(work, k, i, penalty)
        if pivot > penalty.precision * work.gram[i, i]:
            k += 1
        elif leave_dependent(work, k, pivot, n, penalty):
            return True
    for p in range(k):
        work.step[p] = slope(work, work.chosen[p], penalty)
    solve_step(work, k)
    return walk(work, k, 1.0, n)


@part
def begin_path(work: WorkingSet, n: int, penalty: Penalty) -> int:
    """Choose the atoms in use, and the pulls without which their coefficients are optimal; their number."""
    k = 0
    for i in range(n):
        gradient = work.gradient[i]
        work.role[i] = IDLE
        work.pull[i] = gradient if abs(gradient) > penalty.l1 else 0.0
        if work.values[i] != 0:
            work.pull[i] = slope(work, i, penalty)
            work.role[i] = BARRED
            if join(work, k, i, penalty) > penalty.precision * work.gram[i, i]:
                work.role[i] = IN_USE
                k += 1
    return k


@part
def next_event(work: WorkingSet, k: int, n: int, left: float, penalty: Penalty) -> tuple[float, int]:
    """How far the path goes straight on, at most `left`, and the atom that leaves or joins there."""
    length, event = left, -1
    for p in range(k):
        value = work.values[work.chosen[p]]
        if value * work.step[p] < 0 and -value / work.step[p] < length:
            length, event = -value / work.step[p], work.chosen[p]
    for i in range(n):
        if work.role[i] != IDLE or work.trend[i] == 0:
            continue
        gradient = work.gradient[i] - left * work.pull[i]
        # The gradient falls as the trend says, to the far end of what the penalty can hold.
        end = -penalty.l1 if work.trend[i] > 0 else penalty.l1
        room = (gradient - end) / work.trend[i]
        if room < length:
            length, event = max(room, 0.0), i
    return length, event


@part
def change_support(work: WorkingSet, k: int, event: int, penalty: Penalty) -> int:
    """Let an atom that became zero leave, or one that reached the penalty join; how many are chosen then."""
    if work.role[event] == IDLE:
        independent = join(work, k, event, penalty) > penalty.precision * work.gram[event, event]
        work.role[event] = IN_USE if independent else BARRED
        return k + 1 if independent else k
    work.role[event] = IDLE
    work.values[event] = 0.0
    place = 0
    while work.chosen[place] != event:
        place += 1
    for p in range(place, k - 1):
        join(work, p, work.chosen[p + 1], penalty)
    return k - 1


@part
def follow_path(work: WorkingSet, n: int, penalty: Penalty) -> None:
    """Switch the pulls on by degrees, and follow the optimal coefficients through all changes of the support.

    From zero this is the homotopy of the lasso; from a solution over fewer atoms it needs few events.
    Dependent atoms are passed over.
    """
    k = begin_path(work, n, penalty)
    left = 1.0
    for _ in range(MAX_EVENTS * n):
        for i in range(n):
            work.trend[i] = -work.pull[i]
        for p in range(k):
            work.step[p] = work.pull[work.chosen[p]]
        solve_step(work, k)
        for p in range(k):
            subtract(-work.step[p], work.gram[work.chosen[p]], 0, n, work.trend)
        length, event = next_event(work, k, n, left, penalty)
        for p in range(k):
            work.values[work.chosen[p]] += length * work.step[p]
        for i in range(n):
            work.gradient[i] -= length * (work.trend[i] + work.pull[i])
        if event < 0:
            return
        left -= length
        k = change_support(work, k, event, penalty)


@part
def minimise(work: WorkingSet, n: int, penalty: Penalty) -> None:
    """Solve over a working set of `n` atoms, from the coefficients there are."""
    follow_path(work, n, penalty)
    for _ in range(MAX_ROUNDS):
        if violation(work, n, penalty) <= penalty.tol:
            return
        descend(work, n, penalty)
        # Every further step has one coefficient less, so there are few.
        while newton(work, n, penalty):
            pass


@part
def residual_correlations(
    correlations: NDArray[np.floating],
    gram: NDArray[np.floating],
    atoms: NDArray[np.int32],
    values: NDArray[np.float64],
    n_used: int,
    chunk: NDArray[np.float64],
    out: NDArray[np.floating],
) -> None:
    """Correlations of the residual with all atoms, as a combination of Gram rows."""
    n_atoms = out.shape[0]
    for start in range(0, n_atoms, CHUNK):
        n = np.uint64(min(CHUNK, n_atoms - start))
        base = correlations[start:]
        for i in range(n):
            chunk[i] = base[i]
        for p in range(n_used):
            if values[p] != 0:
                row = gram[atoms[p], start:]
                value = values[p]
                for i in range(n):
                    chunk[i] -= value * row[i]
        part = out[start:]
        for i in range(n):
            part[i] = chunk[i]


@part
def is_below(scores: NDArray[np.floating], i: int, j: int) -> bool:
    """Whether atom `i` is a worse candidate than atom `j`; ties go to the lowest index."""
    one, other = abs(scores[i]), abs(scores[j])
    return one < other or (one == other and i > j)


@part
def sift(scores: NDArray[np.floating], heap: NDArray[np.int32], n: int, place: int) -> None:
    """Restore the order of a heap, worst candidate first, whose entry at `place` may be too good for it."""
    while True:
        child = 2 * place + 1
        if child >= n:
            return
        if child + 1 < n and is_below(scores, heap[child + 1], heap[child]):
            child += 1
        if is_below(scores, heap[place], heap[child]):
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@part
def largest(scores: NDArray[np.floating], above: float, most: int, heap: NDArray[np.int32]) -> int:
    """Fill `heap` with up to `most` atoms of the largest magnitude above `above`; their number."""
    n = 0
    for i in range(scores.shape[0]):
        if abs(scores[i]) <= above:
            continue
        if n < most:
            heap[n] = i
            n += 1
            if n == most:
                for place in range(n // 2 - 1, -1, -1):
                    sift(scores, heap, n, place)
                above = abs(scores[heap[0]])
        else:
            heap[0] = i
            sift(scores, heap, n, 0)
            above = abs(scores[heap[0]])
    return n


@kernel
def largest_magnitudes(
    correlations: NDArray[np.floating], own: NDArray[np.int64], n_atoms: int, out: NDArray[np.float64]
) -> None:
    """Fill `out` with the largest magnitude of each point's correlations with atoms other than itself."""
    for j in range(out.shape[0]):
        best = correlations.dtype.type(0)
        row = correlations[j]
        for i in range(np.uint64(n_atoms)):
            magnitude = abs(row[i])
            if magnitude > best and i != own[j]:
                best = magnitude
        out[j] = best


@part
def load(scores: NDArray[np.floating], codes: Codes, j: int, work: WorkingSet) -> int:
    """Bring the atoms in use into the working set, and take them off the list of candidates."""
    n: int = codes.counts[j]
    for p in range(n):
        atom = codes.atoms[j, p]
        work.values[p] = codes.values[j, p]
        work.gradient[p] = scores[atom]
        scores[atom] = 0
    return n


@part
def enlarge(
    scores: NDArray[np.floating],
    candidates: NDArray[np.int32],
    n_new: int,
    codes: Codes,
    j: int,
    work: WorkingSet,
) -> int:
    """Append candidates to the working set, without coefficients yet; its size."""
    n: int = codes.counts[j]
    for p in range(n_new):
        codes.atoms[j, n + p] = candidates[p]
        codes.values[j, n + p] = 0.0
        work.values[n + p] = 0.0
        work.gradient[n + p] = scores[candidates[p]]
    codes.counts[j] = n + n_new
    return n + n_new


@part
def gather_gram(gram: NDArray[np.floating], atoms: NDArray[np.int32], n: int, work: WorkingSet) -> None:
    """Inner products of the working set from those of all atoms."""
    for p in range(n):
        row = gram[atoms[p]]
        for q in range(p + 1):
            work.gram[p, q] = row[atoms[q]]
            work.gram[q, p] = work.gram[p, q]


@part
def keep_used(codes: Codes, j: int, work: WorkingSet) -> None:
    """Store the coefficients, and let go of the atoms without any."""
    kept = 0
    for p in range(codes.counts[j]):
        if work.values[p] != 0:
            codes.atoms[j, kept] = codes.atoms[j, p]
            codes.values[j, kept] = work.values[p]
            work.gradient[kept] = work.gradient[p]
            kept += 1
    codes.counts[j] = kept


@kernel
def objective(
    squared_norm: float, correlations: NDArray[np.floating], codes: Codes, j: int, work: WorkingSet,
    penalty: Penalty,
) -> float:  # fmt: skip
    """Value at the coefficients in use; ||r||^2 = ||x||^2 - c'(A x + A r)."""
    cost = 0.5 * squared_norm
    for p in range(codes.counts[j]):
        value = codes.values[j, p]
        cost -= 0.5 * value * (correlations[codes.atoms[j, p]] + work.gradient[p])
        cost += penalty.l1 * abs(value) + 0.5 * penalty.l2 * value**2
    return cost


@part
def solve_point(
    correlations: NDArray[np.floating],
    squared_norm: float,
    gram: NDArray[np.floating],
    own: int,
    penalty: Penalty,
    scores: NDArray[np.floating],
    chunk: NDArray[np.float64],
    candidates: NDArray[np.int32],
    work: WorkingSet,
    codes: Codes,
    j: int,
) -> bool:
    """Solve for one point; False if there was no room for the working set."""
    for _ in range(MAX_ROUNDS):
        residual_correlations(
            correlations, gram, codes.atoms[j], codes.values[j], codes.counts[j], chunk, scores
        )
        if own >= 0:
            scores[own] = 0
        n = load(scores, codes, j, work)
        n_new = largest(scores, penalty.l1 + penalty.tol, candidates.shape[0], candidates)
        if n_new == 0 and violation(work, n, penalty) <= penalty.tol:
            break
        if n + n_new > codes.atoms.shape[1]:
            return False
        n = enlarge(scores, candidates, n_new, codes, j, work)
        gather_gram(gram, codes.atoms[j], n, work)
        minimise(work, n, penalty)
        keep_used(codes, j, work)
    codes.cost[j] = objective(squared_norm, correlations, codes, j, work, penalty)
    return True


@kernel
def solve_tile(
    correlations: NDArray[np.floating],
    squared_norms: NDArray[np.float64],
    gram: NDArray[np.floating],
    own: NDArray[np.int64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    tol: NDArray[np.float64],
    precision: float,
    scores: NDArray[np.floating],
    chunk: NDArray[np.float64],
    candidates: NDArray[np.int32],
    work: WorkingSet,
    codes: Codes,
) -> None:
    """Solve the unfinished points of a tile for which there is room.

    Parameters
    ----------
    correlations, squared_norms : IN
        Inner products of the points with all atoms, and with themselves.
    gram : IN
        Inner products of the atoms.
    own : IN
        The atom that is the point itself and must not be used, or -1.
    l1, l2 : IN
        Weights of each point's penalty.
    tol, precision : IN
        See `Penalty`.
    scores, chunk, candidates, work : scratch
        As long as there are atoms; `CHUNK` numbers; as many as may join the working set at once.
    codes : IN and OUT
    """
    for j in range(own.shape[0]):
        if codes.finished[j]:
            continue
        penalty = Penalty(l1[j], l2[j], tol[j], precision)
        codes.finished[j] = solve_point(
            correlations[j], squared_norms[j], gram, own[j], penalty,
            scores, chunk, candidates, work, codes, j,
        )  # fmt: skip


@part
def fill_panel(
    atoms: NDArray[np.floating], indices: NDArray[np.int32], n: int, start: int, panel: NDArray[np.float64]
) -> None:
    """Copy a few features of `n` atoms side by side, so that loops run along atoms; zeros beyond the last."""
    for p in range(n):
        row = atoms[indices[p]]
        for f in range(PANEL):
            panel[f, p] = row[start + f] if start + f < atoms.shape[1] else 0.0


@part
def add_products(panel: NDArray[np.float64], p: int, out: NDArray[np.float64]) -> None:
    """Add what the features of a panel contribute to the inner products of atom `p` with those up to it."""
    a, b, c, d = panel[0, p], panel[1, p], panel[2, p], panel[3, p]
    e, f, g, h = panel[4, p], panel[5, p], panel[6, p], panel[7, p]
    for q in range(np.uint64(p + 1)):
        low = a * panel[0, q] + b * panel[1, q] + c * panel[2, q] + d * panel[3, q]
        high = e * panel[4, q] + f * panel[5, q] + g * panel[6, q] + h * panel[7, q]
        out[q] += low + high


@part
def multiply_rows(
    atoms: NDArray[np.floating],
    indices: NDArray[np.int32],
    n: int,
    residual: NDArray[np.float64],
    with_gram: bool,
    panel: NDArray[np.float64],
    work: WorkingSet,
) -> None:
    """Correlations of the working set with the residual, and with itself if asked for, from the data."""
    for p in range(n):
        work.gradient[p] = 0.0
        for q in range(p + 1):
            work.gram[p, q] = 0.0
    for start in range(0, atoms.shape[1], PANEL):
        fill_panel(atoms, indices, n, start, panel)
        for f in range(min(PANEL, atoms.shape[1] - start)):
            subtract(-residual[start + f], panel[f], 0, n, work.gradient)
        if with_gram:
            for p in range(n):
                add_products(panel, p, work.gram[p])
    for p in range(n):
        for q in range(p):
            work.gram[q, p] = work.gram[p, q]


@part
def form_residual(
    point: NDArray[np.floating],
    atoms: NDArray[np.floating],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    n: int,
    residual: NDArray[np.float64],
) -> None:
    """Fill `residual` with the point minus the combination of its atoms."""
    length = np.uint64(point.shape[0])
    for f in range(length):
        residual[f] = point[f]
    for p in range(n):
        if values[p] != 0:
            row = atoms[indices[p]]
            value = values[p]
            for f in range(length):
                residual[f] -= value * row[f]


@part
def none_is_useful(before: NDArray[np.float64], after: NDArray[np.float64], n: int) -> bool:
    """Whether atoms joined without a coefficient, and all of them still are."""
    some_new = False
    for p in range(n):
        if before[p] == 0:
            some_new = True
            if after[p] != 0:
                return False
    return some_new


@kernel
def settle(
    points: NDArray[np.floating],
    running: NDArray[np.int64],
    atoms: NDArray[np.floating],
    gram: NDArray[np.floating],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    tol: NDArray[np.float64],
    precision: float,
    panel: NDArray[np.float64],
    residual: NDArray[np.float64],
    work: WorkingSet,
    codes: Codes,
    residuals: NDArray[np.floating],
) -> None:
    """Solve the running points over their working sets, and form their residuals.

    Parameters
    ----------
    points, running, atoms : IN
        The points, which of them to solve, and the dictionary.
    gram : IN
        Inner products of the atoms, or empty: then those of each working set are formed here.
    l1, l2, tol, precision : IN
        See `Penalty`.
    panel, residual, work : scratch
        (PANEL, capacity) and as many numbers as there are features.
    codes : IN and OUT
        Working sets; only atoms with a coefficient remain. A point to which none of its new atoms is of any
        use is finished: they had joined by the rounding of a product.
    residuals : OUT
        One row for each running point.
    """
    for s in range(running.shape[0]):
        j = running[s]
        n = codes.counts[j]
        indices = codes.atoms[j]
        penalty = Penalty(l1[j], l2[j], tol[j], precision)
        for p in range(n):
            work.values[p] = codes.values[j, p]
        form_residual(points[j], atoms, indices, work.values, n, residual)
        multiply_rows(atoms, indices, n, residual, gram.shape[0] == 0, panel, work)
        if gram.shape[0] > 0:
            gather_gram(gram, indices, n, work)
        minimise(work, n, penalty)
        codes.finished[j] = none_is_useful(codes.values[j], work.values, n)
        keep_used(codes, j, work)
        form_residual(points[j], atoms, indices, codes.values[j], codes.counts[j], residual)
        for f in range(residual.shape[0]):
            residuals[s, f] = residual[f]


@kernel
def extend(
    scores: NDArray[np.floating],
    running: NDArray[np.int64],
    own: NDArray[np.int64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    tol: NDArray[np.float64],
    candidates: NDArray[np.int32],
    work: WorkingSet,
    codes: Codes,
) -> None:
    """Add the atoms that violate the optimality conditions most; points without any are finished.

    Parameters
    ----------
    scores : IN, overwritten
        Correlations of all atoms with the residuals of the running points, a row for each.
    running, own, l1, l2, tol : IN
        As for `settle` and `solve_tile`.
    candidates, work : scratch
    codes : IN and OUT
        There must be room for all candidates.
    """
    for s in range(running.shape[0]):
        j = running[s]
        penalty = Penalty(l1[j], l2[j], tol[j], 0.0)
        if own[j] >= 0:
            scores[s, own[j]] = 0
        n = load(scores[s], codes, j, work)
        n_new = largest(scores[s], penalty.l1 + penalty.tol, candidates.shape[0], candidates)
        codes.finished[j] = n_new == 0 and violation(work, n, penalty) <= penalty.tol
        enlarge(scores[s], candidates, n_new, codes, j, work)
