"""Farthest-first search for exemplars: the cost of one point, and the point of largest cost.

The cost of a point x over the exemplars A is the minimum of 1/2 ||x - cA||^2 + weight ||c||_1. Between two
visits of a point only a few exemplars are added, so its last solution is a good start. Only the signs of its
coefficients are kept: they give the support S, and the coefficients solve G_SS c = b_S - weight * sign. Then
atoms enter one by one, the one that violates the optimality conditions most first, and leave when their
coefficient reaches zero. The Cholesky factor of G_SS is updated each time. The objective falls at every step,
so the steps end at the minimum. They end earlier if the point can no longer be the farthest.

Costs are compared as whole multiples of a small unit (`key`). So costs that differ by rounding are equal, and
the lowest index decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part

# An atom depends on the support if at most this share of its squared norm lies outside the span of it.
SMALLEST_PIVOT = 1e-10
# Most steps for each exemplar. One atom enters or leaves at a step, so far fewer are needed.
STEPS_PER_EXEMPLAR = 10


class ExemplarWorkspace(NamedTuple):
    """Buffers for the solution of one point."""

    support: NDArray[np.int64]
    # Coefficients of the support, and the minimum that they move towards.
    values: NDArray[np.float64]
    target: NDArray[np.float64]
    forward: NDArray[np.float64]
    # Rows of the lower Cholesky factor of G_SS.
    factor: NDArray[np.float64]
    # Correlations of the residual with all exemplars.
    correlations: NDArray[np.float64]


class Search(NamedTuple):
    """The exemplars so far, and what is known of every point."""

    points: NDArray[np.floating]
    squared_norms: NDArray[np.float64]
    weight: float
    # A correlation that exceeds the weight by less than this is a rounding error.
    slack: float
    # Keys per unit of the objective.
    resolution: float
    exemplars: NDArray[np.int64]
    gram: NDArray[np.float64]
    # (n_points, n_exemplars): inner products, of which the first `n_products` are known, and signs.
    products: NDArray[np.float64]
    n_products: NDArray[np.int64]
    signs: NDArray[np.int8]
    # Upper bounds of the costs, -1 for exemplars, and the number of exemplars for which they are exact.
    keys: NDArray[np.float64]
    exact_for: NDArray[np.int64]
    # Points with the largest key first, then the lowest index, as a binary heap.
    heap: NDArray[np.int64]


@part
def dot_prefix(one: NDArray[np.floating], other: NDArray[np.floating], n: int) -> float:
    """Inner product of the first n entries in float64; eight sums, so that additions need not wait."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = np.uint64(n - n % 8)
    for i in range(np.uint64(0), whole, np.uint64(8)):
        s0 += np.float64(one[i]) * np.float64(other[i])
        s1 += np.float64(one[i + np.uint64(1)]) * np.float64(other[i + np.uint64(1)])
        s2 += np.float64(one[i + np.uint64(2)]) * np.float64(other[i + np.uint64(2)])
        s3 += np.float64(one[i + np.uint64(3)]) * np.float64(other[i + np.uint64(3)])
        s4 += np.float64(one[i + np.uint64(4)]) * np.float64(other[i + np.uint64(4)])
        s5 += np.float64(one[i + np.uint64(5)]) * np.float64(other[i + np.uint64(5)])
        s6 += np.float64(one[i + np.uint64(6)]) * np.float64(other[i + np.uint64(6)])
        s7 += np.float64(one[i + np.uint64(7)]) * np.float64(other[i + np.uint64(7)])
    for i in range(whole, np.uint64(n)):
        s0 += np.float64(one[i]) * np.float64(other[i])
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))


@part
def append_atom(gram: NDArray[np.float64], atom: int, size: int, work: ExemplarWorkspace) -> bool:
    """Extend the factor by one atom; False if it depends on the support, which then stays as it is."""
    row = work.factor[size]
    for q in range(size):
        row[q] = (gram[atom, work.support[q]] - dot_prefix(work.factor[q], row, q)) / work.factor[q, q]
    pivot = gram[atom, atom] - dot_prefix(row, row, size)
    if pivot <= SMALLEST_PIVOT * gram[atom, atom]:
        return False
    row[size] = np.sqrt(pivot)
    work.support[size] = atom
    work.values[size] = 0.0
    return True


@part
def remove_atom(position: int, size: int, work: ExemplarWorkspace) -> None:
    """Remove one atom from the support; Givens rotations make the factor triangular again."""
    factor = work.factor
    for q in range(position, size - 1):
        work.support[q] = work.support[q + 1]
        work.values[q] = work.values[q + 1]
        for p in range(q + 2):
            factor[q, p] = factor[q + 1, p]
    for q in range(position, size - 1):
        length = np.sqrt(factor[q, q] ** 2 + factor[q, q + 1] ** 2)
        cosine = factor[q, q] / length
        sine = factor[q, q + 1] / length
        factor[q, q] = length
        for p in range(q + 1, size - 1):
            left, right = factor[p, q], factor[p, q + 1]
            factor[p, q] = cosine * left + sine * right
            factor[p, q + 1] = cosine * right - sine * left


@part
def solve_back(size: int, work: ExemplarWorkspace) -> None:
    """Fill `target` with L^-T `forward`; `forward` is overwritten."""
    for q in range(size - 1, -1, -1):
        work.target[q] = work.forward[q] / work.factor[q, q]
        for p in range(np.uint64(q)):
            work.forward[p] -= work.target[q] * work.factor[q, p]


@part
def solve_support(
    products: NDArray[np.float64], weight: float, signs: NDArray[np.int8], size: int, work: ExemplarWorkspace
) -> None:
    """Fill `target` with the minimum over the support for the given signs."""
    for q in range(size):
        atom = work.support[q]
        right = products[atom] - weight * signs[atom]
        work.forward[q] = (right - dot_prefix(work.factor[q], work.forward, q)) / work.factor[q, q]
    solve_back(size, work)


@part
def settle_support(
    products: NDArray[np.float64], weight: float, signs: NDArray[np.int8], size: int, work: ExemplarWorkspace
) -> int:
    """Move to the minimum over the support; atoms leave when their coefficient reaches zero."""
    while size > 0:
        solve_support(products, weight, signs, size, work)
        step, leaving = 1.0, -1
        for q in range(size):
            if work.target[q] * signs[work.support[q]] <= 0.0:
                way = work.values[q] - work.target[q]
                share = work.values[q] / way if way != 0.0 else 0.0
                if leaving < 0 or share < step:
                    step, leaving = share, q
        if leaving < 0:
            for q in range(size):
                work.values[q] = work.target[q]
            break
        for q in range(size):
            work.values[q] += step * (work.target[q] - work.values[q])
        signs[work.support[leaving]] = 0
        remove_atom(leaving, size, work)
        size -= 1
    return size


@part
def exchange(
    gram: NDArray[np.float64], atom: int, signs: NDArray[np.int8], size: int, work: ExemplarWorkspace
) -> int:
    """Add an atom that depends on the support, in place of the atom whose coefficient reaches zero first.

    The coefficients move along the linear dependence: the residual stays the same, and their norm falls.
    """
    # `append_atom` has failed, but has left the row of the atom in the factor.
    for q in range(size):
        work.forward[q] = work.factor[size, q]
    solve_back(size, work)
    step, leaving = np.inf, -1
    for q in range(size):
        away = signs[atom] * work.target[q]
        if away * work.values[q] > 0.0 and work.values[q] / away < step:
            step, leaving = work.values[q] / away, q
    if leaving < 0:
        signs[atom] = 0
        return size
    for q in range(size):
        work.values[q] -= step * signs[atom] * work.target[q]
    signs[work.support[leaving]] = 0
    remove_atom(leaving, size, work)
    if append_atom(gram, atom, size - 1, work):
        work.values[size - 1] = step * signs[atom]
        return size
    signs[atom] = 0
    return size - 1


@part
def take_up(
    gram: NDArray[np.float64],
    products: NDArray[np.float64],
    weight: float,
    signs: NDArray[np.int8],
    n_atoms: int,
    work: ExemplarWorkspace,
) -> int:
    """The solution with the given signs; atoms whose coefficient has the other sign are dropped."""
    size = 0
    for atom in range(n_atoms):
        if signs[atom] != 0:
            if append_atom(gram, atom, size, work):
                size += 1
            else:
                signs[atom] = 0
    solve_support(products, weight, signs, size, work)
    for q in range(size):
        # A coefficient of the wrong sign becomes zero; `settle_support` then removes its atom.
        work.values[q] = max(work.target[q] * signs[work.support[q]], 0.0) * signs[work.support[q]]
    return settle_support(products, weight, signs, size, work)


@part
def correlate(
    gram: NDArray[np.float64], products: NDArray[np.float64], n_atoms: int, size: int, work: ExemplarWorkspace
) -> None:
    """Fill `correlations` with those of the residual."""
    out = work.correlations
    for i in range(np.uint64(n_atoms)):
        out[i] = products[i]
    for q in range(size):
        row = gram[work.support[q]]
        value = work.values[q]
        for i in range(np.uint64(n_atoms)):
            out[i] -= value * row[i]


@part
def exemplar_objective(
    squared_norm: float, products: NDArray[np.float64], weight: float, size: int, work: ExemplarWorkspace
) -> float:
    """1/2 ||x - cA||^2 + weight ||c||_1 from inner products alone."""
    explained = length = 0.0
    for q in range(size):
        atom = work.support[q]
        explained += (products[atom] + work.correlations[atom]) * work.values[q]
        length += abs(work.values[q])
    return 0.5 * max(squared_norm - explained, 0.0) + weight * length


@part
def most_violating(signs: NDArray[np.int8], bound: float, n_atoms: int, work: ExemplarWorkspace) -> int:
    """The atom outside the support with the largest correlation above `bound`, or -1."""
    entering = -1
    for atom in range(n_atoms):
        if signs[atom] == 0 and abs(work.correlations[atom]) > bound:
            bound = abs(work.correlations[atom])
            entering = atom
    return entering


@part
def key(value: float, resolution: float) -> float:
    """A cost as a whole number of units; smaller differences do not count."""
    return float(np.floor(value * resolution + 0.5))


@part
def evaluate_point(
    search: Search, point: int, n_atoms: int, goal: float, work: ExemplarWorkspace
) -> tuple[float, bool, int]:
    """Objective of a point over the first exemplars, whether it is the minimum, and the size of its support.

    If the key falls below `goal`, it ends early and the value is an upper bound.
    """
    gram, products, signs = search.gram, search.products[point], search.signs[point]
    for i in range(search.n_products[point], n_atoms):
        other = search.points[search.exemplars[i]]
        products[i] = dot_prefix(search.points[point], other, other.shape[0])
    search.n_products[point] = max(search.n_products[point], n_atoms)
    size = take_up(gram, products, search.weight, signs, n_atoms, work)
    before = np.inf
    for _ in range(STEPS_PER_EXEMPLAR * n_atoms):
        correlate(gram, products, n_atoms, size, work)
        now = exemplar_objective(search.squared_norms[point], products, search.weight, size, work)
        if key(now, search.resolution) < goal:
            return now, False, size
        entering = most_violating(signs, search.weight + search.slack, n_atoms, work)
        if entering < 0 or now >= before:
            return now, True, size
        before = now
        signs[entering] = 1 if work.correlations[entering] > 0.0 else -1
        if append_atom(gram, entering, size, work):
            size += 1
        else:
            size = exchange(gram, entering, signs, size, work)
        size = settle_support(products, search.weight, signs, size, work)
    return before, True, size


@kernel
def sift_down(search: Search, place: int) -> None:
    """Restore the order of the heap below one place."""
    heap, keys = search.heap, search.keys
    moved = heap[place]
    while True:
        child = 2 * place + 1
        if child >= heap.shape[0]:
            break
        if child + 1 < heap.shape[0]:
            left, right = heap[child], heap[child + 1]
            if keys[right] > keys[left] or (keys[right] == keys[left] and right < left):
                child += 1
        below = heap[child]
        if keys[below] < keys[moved] or (keys[below] == keys[moved] and moved < below):
            break
        heap[place] = below
        place = child
    heap[place] = moved


@kernel
def build_heap(search: Search) -> None:
    """Make a heap of entries in any order."""
    for place in range(search.heap.shape[0] // 2 - 1, -1, -1):
        sift_down(search, place)


@kernel
def farthest_point(search: Search, n_atoms: int, work: ExemplarWorkspace) -> int:
    """The point of largest cost over the first exemplars; returns how many costs were computed.

    Afterwards the point is at the top of the heap. Old keys are upper bounds, so points are visited from
    the largest key on, until the largest key is exact for these exemplars.
    """
    goal = -1.0
    n_evaluated = 0
    while search.exact_for[search.heap[0]] != n_atoms:
        point = search.heap[0]
        value, exact, _ = evaluate_point(search, point, n_atoms, goal, work)
        search.keys[point] = min(search.keys[point], key(value, search.resolution))
        if exact:
            search.exact_for[point] = n_atoms
            goal = max(goal, search.keys[point])
        sift_down(search, 0)
        n_evaluated += 1
    return n_evaluated


@kernel
def add_exemplar(search: Search, point: int, n_atoms: int) -> None:
    """Make a point the next exemplar, after the first `n_atoms`."""
    search.exemplars[n_atoms] = point
    for i in range(n_atoms + 1):
        other = search.points[search.exemplars[i]]
        product = dot_prefix(search.points[point], other, other.shape[0])
        search.gram[n_atoms, i] = product
        search.gram[i, n_atoms] = product
    search.keys[point] = -1.0


@kernel
def exemplar_codes(
    search: Search,
    start: int,
    stop: int,
    n_atoms: int,
    work: ExemplarWorkspace,
    codes: NDArray[np.floating],
    values: NDArray[np.float64],
) -> None:
    """Fill `codes` with the coefficients of points start to stop, and `values` with their objectives."""
    for point in range(start, stop):
        values[point - start], _, size = evaluate_point(search, point, n_atoms, -1.0, work)
        for i in range(codes.shape[1]):
            codes[point - start, i] = 0.0
        for q in range(size):
            codes[point - start, work.support[q]] = work.values[q]
