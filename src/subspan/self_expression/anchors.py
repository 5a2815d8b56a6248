"""Sets of anchor points, few but spread over the data, and the codes of all points over them."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, in_panels, tile_product
from subspan.handover import InputError
from subspan.self_expression.lasso_codes import elastic_net_codes_with_cost

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]

# Rounds of 2-means in one split. Splits need not be perfect: they are random to begin with.
ROUNDS = 5


def sample_anchors(
    points: Floats, n_anchors: int, n_sets: int, *, seed: int = 0, threads: int = 1
) -> list[Indices]:
    """Sorted indices of the anchors of each set, by a randomised hierarchical clustering.

    All points are one cluster at first. The largest cluster is split in two, by 2-means from two random
    points of it, until there are `n_anchors` clusters. The point nearest to the mean of each is an anchor.
    Two random points decide each split, so the sets differ, but each of them covers the data.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
    n_anchors : int
        Anchors in a set, at most the number of points.
    n_sets : int
        Number of sets.
    seed : int
        Fixes them; each set also depends on its number, not on how many there are.
    threads : int
        They change nothing in the result.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.repeat(np.eye(3), 4, axis=0)
    >>> [(anchors // 4).tolist() for anchors in sample_anchors(points, 3, 2)]
    [[0, 1, 2], [0, 1, 2]]
    """
    if not 1 <= n_anchors <= len(points):
        raise InputError(
            "{n_anchors} must lie between 1 and the number of distinct rows, {}.",
            len(points),
            n_anchors=n_anchors,
        )

    def find(number: int) -> Indices:
        return _anchors(points, n_anchors, np.random.default_rng([seed, number]))

    return list(run_in_threads(find, range(n_sets), threads, "sets of anchors"))


def _anchors(points: Floats, n_anchors: int, rng: np.random.Generator) -> Indices:
    """One set: split the largest cluster, the one with the lowest index first of equals."""
    # Members are sorted, so that no two clusters share their first one.
    leaves: list[tuple[int, int, Indices]] = [(-len(points), 0, np.arange(len(points)))]
    while len(leaves) < n_anchors:
        _, _, members = heapq.heappop(leaves)
        second = _second_half(points[members], rng)
        for part in (members[~second], members[second]):
            heapq.heappush(leaves, (-len(part), int(part[0]), part))
    return np.sort([_central(points, members) for _, _, members in leaves])


def _second_half(rows: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows belong to the second of two clusters; none is empty."""
    one, other = rows[rng.choice(len(rows), 2, replace=False)]
    second = np.zeros(len(rows), bool)
    for _ in range(ROUNDS):
        across = other - one
        nearer_to_other = rows @ across > across @ (one + other) / 2
        if nearer_to_other.all() or not nearer_to_other.any():
            break
        if np.array_equal(nearer_to_other, second):
            return second
        second = nearer_to_other
        one, other = rows[~second].mean(axis=0), rows[second].mean(axis=0)
    if not second.any():
        # Copies of one point, as far as rounding can tell: any two halves will do.
        second[len(rows) // 2 :] = True
    return second


def _central(points: Floats, members: Indices) -> int:
    """The member nearest to the mean, the first of equals."""
    rows = points[members]
    distances = ((rows - rows.mean(axis=0)) ** 2).sum(axis=1)
    return int(members[distances.argmin()])


def anchor_codes(points: Floats, anchors: Indices, *, regularization: float, threads: int = 1) -> csr_array:
    """Lasso codes of every point over the anchors, as rows over all points; no point represents itself.

    Row j minimises 1/2 ||x_j - c A||^2 + l1_j ||c||_1 with l1_j = max_i |a_i' x_j| / regularization over the
    anchors other than x_j: at a regularization of 1 no coefficient is left, whatever the point.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        float32 or float64, the type of the codes.
    anchors : array of int
        Points that may represent others, sorted.
    regularization : float
        Weight of the residual, above 1.
    threads : int
        They change nothing in the result.

    Returns
    -------
    csr_array of shape (n_points, n_points)
        Only the columns of anchors are filled.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]])
    >>> codes = anchor_codes(points, np.array([0, 1]), regularization=4.0)
    >>> codes.toarray().round(2).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.6, 0.4, 0.0]]
    """
    atoms = points[anchors]
    own = np.full(len(points), -1)
    own[anchors] = np.arange(len(anchors))
    coherence = _coherence(points, atoms, own, threads)
    # A point that is orthogonal to all anchors keeps no coefficient at any weight.
    weights = np.where(coherence > 0, coherence / regularization, 1.0)
    codes, _ = elastic_net_codes_with_cost(points, atoms, l1=weights, own_atom=own, threads=threads)
    columns = anchors.astype(codes.indices.dtype)[codes.indices]
    return csr_array((codes.data, columns, codes.indptr), shape=(len(points), len(points)))


def _coherence(points: Floats, atoms: Floats, own: Indices, threads: int) -> NDArray[np.float64]:
    """Largest magnitude of the inner products of each point with the atoms but its own."""
    panels = in_panels(atoms)

    def largest(start: int) -> NDArray[np.float64]:
        rows = points[start : start + TILE]
        products = np.abs(tile_product(rows, panels))
        anchors = np.flatnonzero(own[start : start + TILE] >= 0)
        products[anchors, own[start + anchors]] = 0
        coherence: NDArray[np.float64] = products.max(axis=1).astype(np.float64)
        return coherence

    tiles = run_in_threads(largest, range(0, len(points), TILE), threads, "tiles of points")
    return np.concatenate(list(tiles))
