"""Elastic-net codes of points over a fixed dictionary whose Gram matrix is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, gram_matrix, in_panels, padded, squared_norms, tile_product
from subspan.handover import InputError
from subspan.kernels.elastic_net import solve_tile
from subspan.kernels.largest import largest_magnitudes
from subspan.kernels.working_set import (
    Codes,
    NetProblems,
    new_codes,
    new_net_scratch,
    new_working_set,
    with_room,
    without_room,
)

Floats = NDArray[np.floating]
Weights = float | NDArray[np.floating]

# Pivots of a Gram matrix below this many units of rounding are taken for zero.
PIVOT_ROUNDING = 16


@dataclass(frozen=True)
class WorkingSets:
    """Sizes of the working sets of points: they decide about time and memory, not about the codes."""

    # Atoms that may join at once: at first the largest correlations.
    candidates: int = 100
    # Atoms in all; made larger where they do not suffice.
    room: int = 400


WORKING_SETS = WorkingSets()


@dataclass(frozen=True)
class CodingProblem:
    """Up to a tile of points with the weights of their penalties, and how exact the codes must be."""

    # (TILE, at least n_atoms) inner products with all atoms.
    correlations: Floats
    n_atoms: int
    squared_norms: NDArray[np.float64]
    own_atom: NDArray[np.int64]
    l1: NDArray[np.float64]
    l2: NDArray[np.float64]
    # Largest violation of the optimality conditions, in units of correlations.
    tol: NDArray[np.float64]
    sizes: WorkingSets = WORKING_SETS

    def for_kernels(self, dtype: np.dtype) -> NetProblems:
        """The same for the compiled loops; `dtype` is the type of the inner products."""
        return NetProblems(self.own_atom, self.l1, self.l2, self.tol, pivot_precision(dtype))


def elastic_net_codes_with_cost(
    points: Floats,
    atoms: Floats,
    *,
    l1: Weights,
    l2: Weights = 0.0,
    own_atom: NDArray[np.int64] | None = None,
    tol: float = 1e-7,
    threads: int = 1,
    sizes: WorkingSets = WORKING_SETS,
) -> tuple[csr_array, NDArray[np.float64]]:
    """Row j minimises 1/2 ||x_j - c A||^2 + l1_j ||c||_1 + l2_j/2 ||c||^2 over the rows of `atoms`.

    Parameters
    ----------
    points : array of shape (n, d)
        float32 or float64, the type of the codes; small systems are solved in float64 in any case.
    atoms : array of shape (k, d)
        The dictionary A, of the same type. Its Gram matrix of k^2 numbers is held in memory.
    l1, l2 : float or array of shape (n,)
        Weights, l1 > 0 and l2 >= 0.
    own_atom : array of shape (n,), optional
        Atom that is the point itself and must not represent it; -1 for none.
    tol : float
        Largest violation of the optimality conditions, relative to the largest correlation of the point;
        inner products are rounded to the type of the data beforehand.
    threads : int
        They change nothing in the result.
    sizes : WorkingSets
        The first ones.

    Returns
    -------
    codes : csr_array of shape (n, k)
    cost : array of shape (n,)
        The minimum for each point.

    Examples
    --------
    >>> import numpy as np
    >>> codes, cost = elastic_net_codes_with_cost(np.array([[3.0, 0.5]]), np.eye(2), l1=1.0)
    >>> cost.tolist()
    [2.625]
    """
    n, k = len(points), len(atoms)
    own = np.full(n, -1) if own_atom is None else np.asarray(own_atom, np.int64)
    l1, l2 = _weights(l1, n, "l1"), _weights(l2, n, "l2")
    whole = padded(atoms)
    gram, panels = gram_matrix(whole, threads), in_panels(whole)

    def task(start: int) -> Codes:
        part = slice(start, min(start + TILE, n))
        rows = padded(points[part])
        correlations = tile_product(rows, panels)
        tols = tol * reach(correlations, own[part], k)
        squares = squared_norms(rows)
        problem = CodingProblem(correlations, k, squares, own[part], l1[part], l2[part], tols, sizes)
        return without_room(tile_codes(problem, gram))

    tiles = list(run_in_threads(task, range(0, n, TILE), threads, "tiles of points"))
    return sparse_codes(tiles, k, points.dtype), np.concatenate(
        [np.zeros(0), *[codes.cost for codes in tiles]]
    )


def reach(correlations: Floats, own_atom: NDArray[np.int64], n_atoms: int) -> NDArray[np.float64]:
    """Largest magnitude of each point's correlations with atoms other than itself (its coherence)."""
    out = np.empty(len(own_atom))
    largest_magnitudes(correlations, own_atom, n_atoms, out)
    return out


def tile_codes(problem: CodingProblem, gram: Floats, codes: Codes | None = None) -> Codes:
    """Solve the points of one tile over the atoms whose inner products are in `gram`.

    `codes` that are not far from the solution, such as those over a dictionary with fewer atoms, save work.
    """
    dtype, n_atoms = gram.dtype, problem.n_atoms
    codes = codes or new_codes(len(problem.own_atom), min(problem.sizes.room, n_atoms))
    scratch = new_net_scratch(n_atoms, problem.sizes.candidates, dtype)
    while True:
        capacity = codes.atoms.shape[1]
        solve_tile(
            problem.correlations, problem.squared_norms, gram, problem.for_kernels(dtype),
            scratch, new_working_set(capacity), codes,
        )  # fmt: skip
        if codes.finished.all():
            return codes
        codes = with_room(codes, min(2 * capacity, n_atoms))


def pivot_precision(dtype: np.dtype) -> float:
    """Size of a pivot, relative to the atom's squared norm, that is rounding."""
    return PIVOT_ROUNDING * float(np.finfo(dtype).eps)


def sparse_codes(tiles: list[Codes], n_atoms: int, dtype: np.dtype) -> csr_array:
    """Rows of all tiles as one matrix with sorted indices."""
    rows = [sparse_rows(codes) for codes in tiles]
    counts = np.concatenate([np.zeros(1, np.int64), *[codes.counts for codes in tiles]])
    indptr = np.cumsum(counts, dtype=np.int64)
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    indices = np.concatenate([np.zeros(0, np.int32), *[index for index, _ in rows]])
    values = np.concatenate([np.zeros(0, dtype), *[value.astype(dtype) for _, value in rows]])
    matrix = csr_array((values, indices, indptr), shape=(len(counts) - 1, n_atoms))
    matrix.sort_indices()
    return matrix


def sparse_rows(codes: Codes) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Atoms and coefficients of a tile, row after row."""
    listed = np.arange(codes.atoms.shape[1]) < codes.counts[:, None]
    return codes.atoms[listed], codes.values[listed]


def _weights(weights: Weights, n_points: int, name: str) -> NDArray[np.float64]:
    """One weight for each point."""
    each = np.ascontiguousarray(np.broadcast_to(np.asarray(weights, np.float64), (n_points,)))
    bad = ~np.isfinite(each) | (each <= 0 if name == "l1" else each < 0)
    if bad.any():
        limit = "positive" if name == "l1" else "not negative"
        raise InputError(f"{name} must be finite and {limit}, but is {each[bad][0]:.6g}.")
    return each
