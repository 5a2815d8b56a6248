"""Arrays of one elastic-net problem: the few atoms that may have a coefficient, and buffers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Atoms whose correlations are updated together: their numbers stay in the first-level cache.
ATOMS_AT_ONCE = 1024


class Penalty(NamedTuple):
    """The problem 1/2 ||x - c A||^2 + l1 ||c||_1 + l2/2 ||c||^2 of one point, and how well to solve it."""

    l1: float
    l2: float
    # Largest violation of the optimality conditions, in units of correlations.
    tol: float
    # Relative size below which a pivot of the Gram matrix is rounding.
    precision: float


class NetProblems(NamedTuple):
    """The problems of a tile of points, as for `Penalty`."""

    # The atom that is the point itself and must not be used, or -1.
    own: NDArray[np.int64]
    l1: NDArray[np.float64]
    l2: NDArray[np.float64]
    tol: NDArray[np.float64]
    precision: float


class WorkingSet(NamedTuple):
    """The atoms of one point that may have a coefficient, in float64; at most `capacity` of them."""

    # (capacity, at least capacity) inner products of the atoms.
    gram: NDArray[np.float64]
    # Coefficients, and correlations of the atoms with the residual.
    values: NDArray[np.float64]
    gradient: NDArray[np.float64]
    # Upper triangular factor of the Gram matrix of the chosen atoms, and vectors as long.
    factor: NDArray[np.float64]
    chosen: NDArray[np.int64]
    column: NDArray[np.float64]
    step: NDArray[np.float64]
    # For every atom on a path (see `small_net`): the part of the gradient that violates the optimality
    # conditions, the rate at which the gradient falls, and the role of the atom.
    pull: NDArray[np.float64]
    trend: NDArray[np.float64]
    role: NDArray[np.int8]


class NetScratch(NamedTuple):
    """Buffers of a search for the atoms of a point."""

    # Correlations of all atoms with the residual, and ATOMS_AT_ONCE of them in float64.
    scores: NDArray[np.floating]
    chunk: NDArray[np.float64]
    # As many as may join the working set at once.
    candidates: NDArray[np.int32]


class Codes(NamedTuple):
    """Solutions of a tile of points. A point that needs more room is continued after `with_room`."""

    # (n, capacity) atoms and their coefficients; the first `counts` of a row are in use.
    atoms: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    # 1/2 ||x - c A||^2 + l1 ||c||_1 + l2/2 ||c||^2.
    cost: NDArray[np.float64]
    finished: NDArray[np.bool_]


def new_working_set(capacity: int) -> WorkingSet:
    """Room for `capacity` atoms."""
    # With an odd number of cache lines per row, the rows use different sets of the cache.
    stride = -(-capacity // 16) * 16 + 8
    square = (capacity, stride)
    return WorkingSet(
        gram=np.empty(square),
        values=np.empty(capacity),
        gradient=np.empty(capacity),
        factor=np.empty(square),
        chosen=np.empty(capacity, np.int64),
        column=np.empty(capacity),
        step=np.empty(capacity),
        pull=np.empty(capacity),
        trend=np.empty(capacity),
        role=np.empty(capacity, np.int8),
    )


def new_net_scratch(n_atoms: int, n_candidates: int, dtype: np.dtype) -> NetScratch:
    """Buffers for a dictionary of `n_atoms` atoms, of which `n_candidates` may join at once."""
    return NetScratch(
        scores=np.empty(n_atoms, dtype),
        chunk=np.empty(ATOMS_AT_ONCE),
        candidates=np.empty(min(n_candidates, n_atoms), np.int32),
    )


def new_codes(n_points: int, capacity: int) -> Codes:
    """Nothing solved yet."""
    return Codes(
        atoms=np.zeros((n_points, capacity), np.int32),
        values=np.zeros((n_points, capacity)),
        counts=np.zeros(n_points, np.int64),
        cost=np.zeros(n_points),
        finished=np.zeros(n_points, bool),
    )


def without_room(codes: Codes) -> Codes:
    """A copy of the codes with no more places than the longest needs."""
    longest = int(codes.counts.max(initial=0))
    return codes._replace(atoms=codes.atoms[:, :longest].copy(), values=codes.values[:, :longest].copy())


def with_room(codes: Codes, capacity: int) -> Codes:
    """The same codes with `capacity` places for each point."""
    wider = new_codes(len(codes.counts), capacity)
    before = codes.atoms.shape[1]
    wider.atoms[:, :before] = codes.atoms
    wider.values[:, :before] = codes.values
    return wider._replace(counts=codes.counts, cost=codes.cost, finished=codes.finished)
