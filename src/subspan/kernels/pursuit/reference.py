"""Algorithms 1 and 2 of the paper, as they are written. Tests compare the fast pursuit with them.

Everything is dense and float64. A step computes the correlations of all atoms with the residual, scores them,
and solves its whole system again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.pursuit.state import Rules

Doubles = NDArray[np.float64]


@part
def inner(x: Doubles, y: Doubles) -> float:
    """Inner product."""
    total = 0.0
    for d in range(x.shape[0]):
        total += x[d] * y[d]
    return total


@part
def best_preserved(
    atoms: Doubles,
    weights: Doubles,
    target: Doubles,
    free: NDArray[np.bool_],
    residual: Doubles,
    rules: Rules,
) -> int:
    """The free atom with the largest score, the first of equals; -1 if none has a correlation or a target."""
    best = -1
    largest = -np.inf
    for i in range(atoms.shape[0]):
        r, c = inner(atoms[i], residual), target[i]
        score = weights[i] ** 2 * (r**2 + rules.cross * r * c + rules.square * c**2)
        if free[i] and (r != 0 or c != 0) and score > largest:
            best = i
            largest = score
    return best


@part
def gains_nothing(atom: Doubles, residual: Doubles, target: float, rules: Rules) -> bool:
    """Whether leaving an atom with a target alone is no worse than picking it."""
    gain = (inner(atom, residual) + rules.damping * target) ** 2 / (inner(atom, atom) + rules.damping)
    return target != 0 and rules.damping * target**2 - gain >= 0


@part
def best_dropped(target: Doubles, kept: NDArray[np.bool_], solution: Doubles) -> int:
    """The dropped atom with the largest target that is not in the solution; -1 if there is none."""
    best = -1
    largest = 0.0
    for i in range(target.shape[0]):
        if not kept[i] and solution[i] == 0 and abs(target[i]) > largest:
            best = i
            largest = abs(target[i])
    return best


@part
def solve_from_definition(
    atoms: Doubles,
    support: NDArray[np.int64],
    k: int,
    query: Doubles,
    target: Doubles,
    rules: Rules,
    table: Doubles,
) -> bool:
    """Solve (G + damping I) b = X x + damping c over `support`, into the last column of `table`.

    False if the last atom depends on those before it.
    """
    for a in range(k):
        for b in range(k):
            table[a, b] = inner(atoms[support[a]], atoms[support[b]])
        own = table[a, a]
        table[a, a] += rules.damping
        table[a, -1] = inner(atoms[support[a]], query) + rules.damping * target[support[a]]
    for a in range(k):
        for b in range(a + 1, k):
            factor = table[b, a] / table[a, a]
            for c in range(a, k):
                table[b, c] -= factor * table[a, c]
            table[b, -1] -= factor * table[a, -1]
    if not table[k - 1, k - 1] > 4 * k * rules.precision * own:
        return False
    for a in range(k - 1, -1, -1):
        for b in range(a + 1, k):
            table[a, -1] -= table[a, b] * table[b, -1]
        table[a, -1] /= table[a, a]
    return True


@kernel
def damped_omp(
    atoms: Doubles,
    weights: Doubles,
    kept: NDArray[np.bool_],
    query: Doubles,
    own: int,
    target: Doubles,
    rules: Rules,
    free: NDArray[np.bool_],
    support: NDArray[np.int64],
    table: Doubles,
    residual: Doubles,
    solution: Doubles,
) -> None:
    """Algorithm 1: represent `query` by the atoms in `kept`, but not by `own`, drawn towards `target`.

    `free`, `support`, `table` (n_nonzero + 1, n_nonzero + 2) and `residual` are scratch; `solution` is OUT.
    """
    norm = np.sqrt(inner(query, query))
    floor = max(rules.squared_tol, 4 * rules.precision * norm**2)
    for d in range(query.shape[0]):
        residual[d] = query[d]
    for i in range(kept.shape[0]):
        solution[i] = 0.0
        free[i] = kept[i] and i != own
    k = spent = refused = 0
    while k + spent < rules.n_nonzero and refused <= rules.n_nonzero and inner(residual, residual) > floor:
        best = best_preserved(atoms, weights, target, free, residual, rules)
        if best < 0 and not rules.from_dropped:
            break
        if best < 0 or (rules.from_dropped and gains_nothing(atoms[best], residual, target[best], rules)):
            spent += 1
            dropped = best_dropped(target, kept, solution)
            if dropped >= 0:
                solution[dropped] = target[dropped]
            continue
        free[best] = False
        support[k] = best
        # Without damping a copy of the query would represent it alone.
        limit = (1 - 8 * rules.precision) * norm * np.sqrt(inner(atoms[best], atoms[best]))
        is_copy = rules.damping == 0 and k == 0 and abs(inner(atoms[best], query)) >= limit
        if is_copy or not solve_from_definition(atoms, support, k + 1, query, target, rules, table):
            refused += 1
            continue
        k += 1
        for a in range(k):
            solution[support[a]] = table[a, -1]
        for d in range(query.shape[0]):
            residual[d] = query[d]
            for a in range(k):
                residual[d] -= table[a, -1] * atoms[support[a], d]


def consensus_omp(
    atoms: Doubles,
    dictionaries: Sequence[NDArray[np.integer]],
    weights: Doubles,
    query: Doubles,
    own: int,
    rules: Rules,
    *,
    max_iter: int,
    tol: float,
    over_chosen: bool = False,
) -> Doubles:
    """Algorithm 2 for one query: its coefficients over all atoms."""
    n_atoms, s = len(atoms), rules.n_nonzero
    scratch = np.empty(n_atoms, bool), np.empty(s + 1, np.int64), np.empty((s + 1, s + 2)), query.copy()
    masks = [np.isin(np.arange(n_atoms), kept) for kept in dictionaries]
    consensus = np.zeros(n_atoms)
    for _ in range(max_iter):
        solutions = np.empty((len(masks), n_atoms))
        for kept, solution in zip(masks, solutions, strict=True):
            damped_omp(atoms, weights, kept, query, own, consensus, rules, *scratch, solution)
        divisor = np.maximum((solutions != 0).sum(axis=0), 1) if over_chosen else len(masks)
        before, consensus = consensus, solutions.sum(axis=0) / divisor
        if np.linalg.norm(consensus - before) <= tol * np.linalg.norm(before):
            break
    return consensus
