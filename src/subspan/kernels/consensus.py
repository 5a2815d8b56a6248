"""The consensus step of Algorithm 2: average the solutions of the sub-problems, query by query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.pursuit.state import Picks, Queries


@part
def insert_sorted(atoms: NDArray[np.int32], n: int, atom: int, numbers: NDArray[np.int64]) -> None:
    """Put `atom` in its place among the first `n`, which are sorted by their numbers."""
    # Sums then have the order of the rows of the data, however the atoms are stored.
    while n > 0 and numbers[atoms[n - 1]] > numbers[atom]:
        atoms[n] = atoms[n - 1]
        n -= 1
    atoms[n] = atom


@part
def sum_solutions(
    picks: Picks,
    j: int,
    numbers: NDArray[np.int64],
    totals: NDArray[np.float64],
    times: NDArray[np.int32],
    touched: NDArray[np.int32],
) -> int:
    """Sum the solutions of query `j`, and count how many use each atom; returns the number of atoms."""
    n = 0
    for t in range(picks.atoms.shape[0]):
        for p in range(picks.counts[t, j]):
            atom = picks.atoms[t, j, p]
            if picks.values[t, j, p] != 0:
                if times[atom] == 0:
                    insert_sorted(touched, n, atom, numbers)
                    n += 1
                times[atom] += 1
                totals[atom] += picks.values[t, j, p]
    return n


@part
def squared_change(
    old_atoms: NDArray[np.int32],
    old_values: NDArray[np.float64],
    atoms: NDArray[np.int32],
    totals: NDArray[np.float64],
    times: NDArray[np.int32],
) -> float:
    """||new - old||^2, over the atoms of the old vector, then over those that are new."""
    change = 0.0
    for e in range(old_atoms.shape[0]):
        change += (totals[old_atoms[e]] - old_values[e]) ** 2
        times[old_atoms[e]] = 1
    for p in range(atoms.shape[0]):
        if times[atoms[p]] == 0:
            change += totals[atoms[p]] ** 2
    for e in range(old_atoms.shape[0]):
        times[old_atoms[e]] = 0
    return change


@kernel
def average_solutions(
    picks: Picks,
    queries: Queries,
    numbers: NDArray[np.int64],
    over_chosen: bool,
    squared_tol: float,
    totals: NDArray[np.float64],
    times: NDArray[np.int32],
    touched: NDArray[np.int32],
    squares: NDArray[np.float64],
) -> None:
    """Replace c_j by the average of the b_j of all sub-problems, and deactivate converged queries.

    Parameters
    ----------
    picks : IN
        Solutions, one leading entry for each sub-problem.
    queries : IN and OUT
        Those still under way are `active`; the targets are the vectors c_j.
    numbers : IN
        Row of each atom in the data, by which entries of c_j are sorted.
    over_chosen : IN
        Divide by the number of sub-problems that chose the atom (S3COMP*) instead of by all.
    squared_tol : IN
        A query has converged once ||new - old||^2 <= squared_tol * ||old||^2.
    totals, times, touched : scratch
        Zero on entry and on return, as long as there are atoms.
    squares : IN and OUT
        (., 2): squared change and squared norm of each c_j. Of a query that has converged the norm stays.
    """
    active, atoms, values = queries.active, queries.target_atoms, queries.target_values
    for j in range(active.shape[0]):
        squares[j, 0] = 0.0
        if not active[j]:
            continue
        n_old = queries.target_counts[j]
        old_norm = 0.0
        for e in range(n_old):
            old_norm += values[j, e] ** 2
        n = sum_solutions(picks, j, numbers, totals, times, touched)
        norm = 0.0
        for p in range(n):
            atom = touched[p]
            totals[atom] /= times[atom] if over_chosen else picks.atoms.shape[0]
            norm += totals[atom] ** 2
            # Only what was touched is cleared: clearing all atoms would take longer than the sums.
            times[atom] = 0
        change = squared_change(atoms[j, :n_old], values[j, :n_old], touched[:n], totals, times)
        active[j] = change > squared_tol * old_norm
        for p in range(n):
            atom = touched[p]
            atoms[j, p] = atom
            values[j, p] = totals[atom]
            totals[atom] = 0.0
        queries.target_counts[j] = n
        squares[j, 0] = change
        squares[j, 1] = norm
