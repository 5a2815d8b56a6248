"""The consensus step of Algorithm 2: average the solutions of the sub-problems, point by point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


@part
def insert_sorted(sorted_values: NDArray[np.int32], n: int, value: int) -> None:
    """Put `value` in its place among the first `n` entries."""
    while n > 0 and sorted_values[n - 1] > value:
        sorted_values[n] = sorted_values[n - 1]
        n -= 1
    sorted_values[n] = value


@part
def squared_change(
    old_index: NDArray[np.int32],
    old_value: NDArray[np.float64],
    n_old: int,
    new_index: NDArray[np.int32],
    totals: NDArray[np.float64],
) -> float:
    """||new - old||^2 of two sparse vectors with sorted indices; `totals` is the new one, dense."""
    change = 0.0
    e = 0
    for p in range(new_index.shape[0]):
        while e < n_old and old_index[e] < new_index[p]:
            change += old_value[e] ** 2
            e += 1
        before = 0.0
        if e < n_old and old_index[e] == new_index[p]:
            before = old_value[e]
            e += 1
        change += (totals[new_index[p]] - before) ** 2
    while e < n_old:
        change += old_value[e] ** 2
        e += 1
    return change


@part
def sum_solutions(
    pick_index: NDArray[np.int32],
    pick_value: NDArray[np.float64],
    pick_count: NDArray[np.int32],
    j: int,
    totals: NDArray[np.float64],
    times: NDArray[np.int32],
    touched: NDArray[np.int32],
) -> int:
    """Add up the solutions of point `j` and count who chose each atom; the number of atoms chosen."""
    n = 0
    for t in range(pick_index.shape[0]):
        for p in range(pick_count[t, j]):
            i = pick_index[t, j, p]
            if pick_value[t, j, p] != 0:
                if times[i] == 0:
                    insert_sorted(touched, n, i)
                    n += 1
                times[i] += 1
                totals[i] += pick_value[t, j, p]
    return n


@kernel
def average_solutions(
    pick_index: NDArray[np.int32],
    pick_value: NDArray[np.float64],
    pick_count: NDArray[np.int32],
    over_chosen: bool,
    squared_tol: float,
    totals: NDArray[np.float64],
    times: NDArray[np.int32],
    touched: NDArray[np.int32],
    active: NDArray[np.bool_],
    index: NDArray[np.int32],
    value: NDArray[np.float64],
    count: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    """Replace c_j by the average of the b_j of all sub-problems, and retire points that came to rest.

    Parameters
    ----------
    pick_index, pick_value, pick_count : IN
        Solutions, one leading entry for each sub-problem.
    over_chosen : IN
        Divide by the number of sub-problems that chose the atom (S3COMP*) instead of by all.
    squared_tol : IN
        A point rests once ||new - old||^2 <= squared_tol * ||old||^2.
    totals, times, touched : scratch
        Zero on entry and on return, as long as there are atoms.
    active, index, value, count : IN and OUT
        Points still under way, and the vectors c_j with sorted indices.
    sums : OUT
        Squared change and squared norm of the c_j, summed over the points of the tile.
    """
    n_subproblems = pick_index.shape[0]
    for j in range(active.shape[0]):
        if not active[j]:
            for e in range(count[j]):
                sums[1] += value[j, e] ** 2
            continue
        n = sum_solutions(pick_index, pick_value, pick_count, j, totals, times, touched)
        # Entries that fell out of the support stay as zeros: pursuits go on to watch them.
        for e in range(count[j]):
            if times[index[j, e]] == 0:
                insert_sorted(touched, n, index[j, e])
                n += 1
        new_index = touched[:n]
        norm = 0.0
        for p in range(n):
            i = new_index[p]
            if times[i] > 0:
                totals[i] /= times[i] if over_chosen else n_subproblems
            norm += totals[i] ** 2
        change = squared_change(index[j], value[j], count[j], new_index, totals)
        old_norm = 0.0
        for e in range(count[j]):
            old_norm += value[j, e] ** 2
        active[j] = change > squared_tol * old_norm
        for p in range(n):
            i = new_index[p]
            index[j, p] = i
            value[j, p] = totals[i]
            totals[i] = 0.0
            times[i] = 0
        count[j] = n
        sums[0] += change
        sums[1] += norm
