"""Elastic net over a large dictionary: 1/2 ||x - c A||^2 + l1 ||c||_1 + l2/2 ||c||^2 for a tile of points.

Few atoms get a coefficient, so the problem is solved over a small working set (`small_net`). The
correlations of the residual with all atoms show which atoms are missing (an oracle-guided active set). When
no atom is missing, the solution is that over the whole dictionary. Two drivers share these steps.
`solve_tile` needs the Gram matrix of the dictionary and solves one point after the other. `settle_tile` and
`extend` do not need it: between the two calls, the caller computes the correlations of all residuals of a
tile by one matrix product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.largest import largest
from subspan.kernels.small_net import MAX_NET_ROUNDS, minimise, subtract, violation
from subspan.kernels.working_set import (
    ATOMS_AT_ONCE,
    Codes,
    NetProblems,
    NetScratch,
    Penalty,
    WorkingSet,
)

# Features of a working set that are multiplied at once.
PANEL = 8


@part
def penalty_of(problems: NetProblems, j: int) -> Penalty:
    """The problem of one point."""
    return Penalty(problems.l1[j], problems.l2[j], problems.tol[j], problems.precision)


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
    for start in range(0, n_atoms, ATOMS_AT_ONCE):
        n = np.uint64(min(ATOMS_AT_ONCE, n_atoms - start))
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
def load(scores: NDArray[np.floating], codes: Codes, j: int, work: WorkingSet) -> int:
    """Copy the atoms in use to the working set, and set their scores to zero: they are no candidates."""
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
    """Append candidates to the working set, with zero coefficients; returns its new size."""
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
    """Store the coefficients that are not zero, and drop the other atoms from the working set."""
    kept = 0
    for p in range(codes.counts[j]):
        if work.values[p] != 0:
            codes.atoms[j, kept] = codes.atoms[j, p]
            codes.values[j, kept] = work.values[p]
            work.gradient[kept] = work.gradient[p]
            kept += 1
    codes.counts[j] = kept


@kernel
def net_objective(
    squared_norm: float, correlations: NDArray[np.floating], codes: Codes, j: int, work: WorkingSet,
    penalty: Penalty,
) -> float:  # fmt: skip
    """Objective at the current coefficients, by ||r||^2 = ||x||^2 - c'(A x + A r)."""
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
    scratch: NetScratch,
    work: WorkingSet,
    codes: Codes,
    j: int,
) -> bool:
    """Solve for one point; False if there was no room for the working set."""
    scores, candidates = scratch.scores, scratch.candidates
    for _ in range(MAX_NET_ROUNDS):
        residual_correlations(
            correlations, gram, codes.atoms[j], codes.values[j], codes.counts[j], scratch.chunk, scores
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
    codes.cost[j] = net_objective(squared_norm, correlations, codes, j, work, penalty)
    return True


@kernel
def solve_tile(
    correlations: NDArray[np.floating],
    squared_norms: NDArray[np.float64],
    gram: NDArray[np.floating],
    problems: NetProblems,
    scratch: NetScratch,
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
    problems : IN
    scratch, work : scratch
    codes : IN and OUT
    """
    for j in range(problems.own.shape[0]):
        if codes.finished[j]:
            continue
        codes.finished[j] = solve_point(
            correlations[j], squared_norms[j], gram, problems.own[j], penalty_of(problems, j),
            scratch, work, codes, j,
        )  # fmt: skip


@part
def fill_atom_panel(
    atoms: NDArray[np.floating], indices: NDArray[np.int32], n: int, start: int, panel: NDArray[np.float64]
) -> None:
    """Copy PANEL features of `n` atoms, one row per feature, so that inner loops run along atoms."""
    for p in range(n):
        row = atoms[indices[p]]
        for f in range(PANEL):
            panel[f, p] = row[start + f] if start + f < atoms.shape[1] else 0.0


@part
def add_products(panel: NDArray[np.float64], p: int, out: NDArray[np.float64]) -> None:
    """Add the products of one panel to the inner products of atom `p` with the atoms up to it."""
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
        fill_atom_panel(atoms, indices, n, start, panel)
        for f in range(min(PANEL, atoms.shape[1] - start)):
            subtract(-residual[start + f], panel[f], 0, n, work.gradient)
        if with_gram:
            for p in range(n):
                add_products(panel, p, work.gram[p])
    for p in range(n):
        for q in range(p):
            work.gram[q, p] = work.gram[p, q]


@part
def code_residual(
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
    """Whether there are atoms that had no coefficient before, and none of them has one after."""
    some_new = False
    for p in range(n):
        if before[p] == 0:
            some_new = True
            if after[p] != 0:
                return False
    return some_new


@kernel
def settle_tile(
    points: NDArray[np.floating],
    running: NDArray[np.int64],
    atoms: NDArray[np.floating],
    gram: NDArray[np.floating],
    problems: NetProblems,
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
    problems : IN
    panel, residual, work : scratch
        (PANEL, capacity) and as many numbers as there are features.
    codes : IN and OUT
        Working sets; only atoms with a coefficient remain. A point is finished if none of its new atoms
        gets a coefficient: they had joined because of a rounding error.
    residuals : OUT
        One row for each running point.
    """
    for s in range(running.shape[0]):
        j = running[s]
        n = codes.counts[j]
        indices = codes.atoms[j]
        penalty = penalty_of(problems, j)
        for p in range(n):
            work.values[p] = codes.values[j, p]
        code_residual(points[j], atoms, indices, work.values, n, residual)
        multiply_rows(atoms, indices, n, residual, gram.shape[0] == 0, panel, work)
        if gram.shape[0] > 0:
            gather_gram(gram, indices, n, work)
        minimise(work, n, penalty)
        codes.finished[j] = none_is_useful(codes.values[j], work.values, n)
        keep_used(codes, j, work)
        code_residual(points[j], atoms, indices, codes.values[j], codes.counts[j], residual)
        for f in range(residual.shape[0]):
            residuals[s, f] = residual[f]


@kernel
def extend(
    scores: NDArray[np.floating],
    running: NDArray[np.int64],
    problems: NetProblems,
    candidates: NDArray[np.int32],
    work: WorkingSet,
    codes: Codes,
) -> None:
    """Add the atoms that violate the optimality conditions most; points without any are finished.

    Parameters
    ----------
    scores : IN, overwritten
        Correlations of all atoms with the residuals of the running points, a row for each.
    running, problems : IN
        As for `settle_tile`.
    candidates, work : scratch
    codes : IN and OUT
        There must be room for all candidates.
    """
    for s in range(running.shape[0]):
        j = running[s]
        penalty = penalty_of(problems, j)
        own = problems.own[j]
        if own >= 0:
            scores[s, own] = 0
        n = load(scores[s], codes, j, work)
        n_new = largest(scores[s], penalty.l1 + penalty.tol, candidates.shape[0], candidates)
        codes.finished[j] = n_new == 0 and violation(work, n, penalty) <= penalty.tol
        enlarge(scores[s], candidates, n_new, codes, j, work)
