"""Elastic net over a small working set: 1/2 ||x - c A||^2 + l1 ||c||_1 + l2/2 ||c||^2, given A A^T.

The problem is solved by a homotopy. The part of the gradient that violates the optimality conditions (the
pull) is multiplied by a factor that grows from 0 to 1. The optimal coefficients are piecewise linear in this
factor, and at every corner an atom joins or leaves the support. From zero coefficients this is the homotopy
of the lasso; from the solution over a smaller working set it has few corners. It ends at the exact solution
unless there are ties or dependent atoms. In these cases coordinate descent, which always converges, and
Newton steps for the signs that it found complete the solution.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.working_set import Penalty, WorkingSet

# Role of an atom on the path: without a coefficient, in the support, or left out because it is dependent.
IDLE, IN_USE, BARRED = range(3)
# Most events of a path for each atom of the working set. One is usual; more than this would be a cycle.
MAX_EVENTS = 8
# Most rounds. A few are usual; beyond this many only rounding errors change.
MAX_NET_ROUNDS = 1000


@part
def subtract(factor: float, row: NDArray[np.float64], start: int, n: int, out: NDArray[np.float64]) -> None:
    """Subtract factor * row from `out`, from `start` to `n`; with unsigned indices the loop is vectorised."""
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
    """Move the `k` chosen coefficients by `length` times the step, or until one is zero; whether one is."""
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

    The representation hardly changes in this direction, but the penalty falls until a coefficient becomes
    zero. Returns whether one did. If not, the pivot was not exactly zero, and the minimum was reached first.
    """
    step = work.step
    for p in range(k):
        step[p] = -work.column[p]
    solve_upper(work.factor, k, step)
    step[k] = 1.0
    descent = 0.0
    for p in range(k + 1):
        descent += step[p] * slope(work, work.chosen[p], penalty)
    # If neither direction lowers the objective, move so that the last atom leaves.
    towards = 1.0 if descent > 0 or (descent == 0 and work.values[work.chosen[k]] < 0) else -1.0
    for p in range(k + 1):
        step[p] *= towards
    length = abs(descent) / pivot if pivot > 0 and descent != 0 else np.inf
    return walk(work, k + 1, length, n)


@part
def join(work: WorkingSet, k: int, i: int, penalty: Penalty) -> float:
    """Append atom `i` to the `k` chosen ones and to the factor; its pivot, small if it is dependent."""
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
    """Choose the atoms in use, and set the pulls; returns the number of chosen atoms.

    Without the pulls the current coefficients are optimal.
    """
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
    """Length up to the next corner of the path, at most `left`, and the atom that leaves or joins there."""
    length, event = left, -1
    for p in range(k):
        value = work.values[work.chosen[p]]
        if value * work.step[p] < 0 and -value / work.step[p] < length:
            length, event = -value / work.step[p], work.chosen[p]
    for i in range(n):
        if work.role[i] != IDLE or work.trend[i] == 0:
            continue
        gradient = work.gradient[i] - left * work.pull[i]
        # The gradient changes by minus the trend; the atom joins where it reaches l1 or -l1.
        end = -penalty.l1 if work.trend[i] > 0 else penalty.l1
        room = (gradient - end) / work.trend[i]
        if room < length:
            length, event = max(room, 0.0), i
    return length, event


@part
def change_support(work: WorkingSet, k: int, event: int, penalty: Penalty) -> int:
    """Remove the atom that became zero, or add the one that reached the penalty; the new number of atoms."""
    if work.role[event] == IDLE:
        independent = join(work, k, event, penalty) > penalty.precision * work.gram[event, event]
        work.role[event] = IN_USE if independent else BARRED
        return k + 1 if independent else k
    work.role[event] = IDLE
    work.values[event] = 0.0
    kept = 0
    while work.chosen[kept] != event:
        kept += 1
    for p in range(kept + 1, k):
        i = work.chosen[p]
        # Rounding may leave nothing of a small pivot, though in theory it grows when another atom leaves.
        if join(work, kept, i, penalty) > penalty.precision * work.gram[i, i]:
            kept += 1
        else:
            work.role[i] = BARRED
    return kept


@part
def follow_path(work: WorkingSet, n: int, penalty: Penalty) -> None:
    """Follow the optimal coefficients while the factor of the pulls grows from 0 to 1.

    Dependent atoms are left out.
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
    """Solve over a working set of `n` atoms, starting from the current coefficients."""
    follow_path(work, n, penalty)
    for _ in range(MAX_NET_ROUNDS):
        if violation(work, n, penalty) <= penalty.tol:
            return
        descend(work, n, penalty)
        # Each of these steps removes a coefficient, so the loop is short.
        while newton(work, n, penalty):
            pass
