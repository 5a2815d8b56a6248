"""Pursuits from an anchor: a point less its nearest point, over the differences of others to that one.

So coefficients sum to one exactly: the anchor takes what the others leave. Differences are compared at unit
length. Otherwise the farthest points would be picked, which may belong to any flat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.pursuit.state import DEPENDENT, TWINS, Picks

Doubles = NDArray[np.float64]


class AnchoredScratch(NamedTuple):
    """Buffers of one running task."""

    # (n_points,) squared distances of all points from one of them, and products of the residual with their
    # differences to the anchor.
    distances: Doubles
    products: Doubles
    free: NDArray[np.bool_]
    # What is left of the query, feature by feature.
    residual: Doubles
    # Cholesky factor over the differences picked, its inverse times their products with the query, and their
    # coefficients.
    factor: Doubles
    forward: Doubles
    values: Doubles


@part
def measure_distances(columns: Doubles, point: int, out: Doubles) -> None:
    """Squared distances of all points from one of them."""
    n = np.uint64(columns.shape[1])
    for i in range(n):
        out[i] = 0.0
    for d in range(columns.shape[0]):
        column, own = columns[d], columns[d, point]
        for i in range(n):
            out[i] += (column[i] - own) ** 2


@part
def multiply(columns: Doubles, anchor: int, residual: Doubles, out: Doubles) -> None:
    """Inner products of the differences of all points to the anchor with the residual."""
    n = np.uint64(columns.shape[1])
    for i in range(n):
        out[i] = 0.0
    for d in range(columns.shape[0]):
        # The anchor is taken off first: products with the points themselves would cancel.
        column, start, own = columns[d], columns[d, anchor], residual[d]
        for i in range(n):
            out[i] += own * (column[i] - start)


@part
def between(columns: Doubles, one: int, other: int, origin: int) -> float:
    """Inner product of two points as seen from a third one."""
    total = 0.0
    for d in range(columns.shape[0]):
        total += (columns[d, one] - columns[d, origin]) * (columns[d, other] - columns[d, origin])
    return total


@part
def nearest_point(
    query: int, limit: float, columns: Doubles, scratch: AnchoredScratch, events: NDArray[np.int64]
) -> int:
    """The nearest point that is no copy of the query, the first of equals; -1 if there is none."""
    nearest = -1
    measure_distances(columns, query, scratch.distances)
    for i in range(columns.shape[1]):
        scratch.free[i] = scratch.distances[i] > limit
        events[TWINS] += i != query and not scratch.free[i]
        if scratch.free[i] and (nearest < 0 or scratch.distances[i] < scratch.distances[nearest]):
            nearest = i
    return nearest


@part
def most_aligned(anchor: int, columns: Doubles, scratch: AnchoredScratch, precision: float) -> int:
    """The point in whose direction, as seen from the anchor, most of the residual lies; -1 if none does.

    The first of equals. On a line all points are equal but for rounding, which would pick those near the
    anchor: the line would fall apart.
    """
    multiply(columns, anchor, scratch.residual, scratch.products)
    more = 1 + 8 * columns.shape[0] * precision
    best, winner = 0.0, -1
    for i in range(columns.shape[1]):
        if scratch.free[i]:
            score = scratch.products[i] ** 2 / scratch.distances[i]
            if score > best * more:
                best, winner = score, i
    return winner


@part
def extend_factor(
    query: int, k: int, atom: int, atoms: NDArray[np.int32], columns: Doubles, scratch: AnchoredScratch,
    precision: float,
) -> bool:  # fmt: skip
    """Add an atom to the factor over the `k` differences picked; False if it depends on them."""
    anchor, factor, forward = atoms[0], scratch.factor, scratch.forward
    own = scratch.distances[atom]
    pivot, right = own, between(columns, atom, query, anchor)
    for a in range(k):
        total = between(columns, atoms[a + 1], atom, anchor)
        for b in range(a):
            total -= factor[k, b] * factor[a, b]
        factor[k, a] = total / factor[a, a]
        pivot -= factor[k, a] ** 2
        right -= factor[k, a] * forward[a]
    if not pivot > 4 * (k + 1) * precision * own:
        return False
    factor[k, k] = np.sqrt(pivot)
    forward[k] = right / factor[k, k]
    atoms[k + 1] = atom
    return True


@part
def solve(query: int, k: int, atoms: NDArray[np.int32], columns: Doubles, scratch: AnchoredScratch) -> float:
    """Coefficients of the `k` differences, and the residual; returns its squared length."""
    factor, values, residual, anchor = scratch.factor, scratch.values, scratch.residual, atoms[0]
    for a in range(k - 1, -1, -1):
        total = scratch.forward[a]
        for b in range(a + 1, k):
            total -= factor[b, a] * values[b]
        values[a] = total / factor[a, a]
    squared = 0.0
    for d in range(columns.shape[0]):
        total = columns[d, query] - columns[d, anchor]
        for a in range(k):
            total -= values[a] * (columns[d, atoms[a + 1]] - columns[d, anchor])
        residual[d] = total
        squared += total**2
    return squared


@kernel
def anchored_pursuits(
    columns: Doubles,
    queries: NDArray[np.int64],
    squared_tol: float,
    precision: float,
    scratch: AnchoredScratch,
    picks: Picks,
    events: NDArray[np.int64],
) -> None:
    """Represent some of the points, the columns, by the others; `picks` and `events` are OUT.

    The first atom of each is its anchor.
    """
    most = picks.atoms.shape[1]
    for q in range(queries.shape[0]):
        query, atoms = queries[q], picks.atoms[q]
        length = 0.0
        for d in range(columns.shape[0]):
            length += columns[d, query] ** 2
        # Differences this small are rounding errors.
        limit = (8 * precision) ** 2 * length
        anchor = nearest_point(query, limit, columns, scratch, events)
        picks.counts[q] = 0
        if anchor < 0:
            continue
        atoms[0] = anchor
        measure_distances(columns, anchor, scratch.distances)
        scratch.free[query] = False
        for i in range(columns.shape[1]):
            scratch.free[i] = scratch.free[i] and scratch.distances[i] > limit
        k = refused = 0
        squared = solve(query, 0, atoms, columns, scratch)
        while k + 1 < most and refused <= most and squared > max(squared_tol, limit):
            atom = most_aligned(anchor, columns, scratch, precision)
            if atom < 0:
                break
            scratch.free[atom] = False
            if extend_factor(query, k, atom, atoms, columns, scratch, precision):
                k += 1
                squared = solve(query, k, atoms, columns, scratch)
            else:
                events[DEPENDENT] += 1
                refused += 1
        picks.counts[q] = k + 1
        rest = 1.0
        for a in range(k):
            picks.values[q, a + 1] = scratch.values[a]
            rest -= scratch.values[a]
        picks.values[q, 0] = rest
