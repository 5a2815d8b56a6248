"""Exemplars: a few points that represent all others well, found farthest first, and codes over them.

The cost of a point x over the exemplars A is the minimum of ||c||_1 + regularization / 2 ||x - cA||^2. The
point of largest cost becomes the next exemplar. Costs only fall as exemplars join, so a cost computed
earlier is an upper bound, and few have to be computed anew at each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from subspan.execution.steps import track
from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, squared_norms
from subspan.handover import InputError
from subspan.kernels.exemplars import (
    ExemplarWorkspace,
    Search,
    add_exemplar,
    build_heap,
    exemplar_codes,
    farthest_point,
    sift_down,
)

Floats = NDArray[np.floating]

# Smallest difference of costs that counts, relative to the largest possible cost; far above rounding.
FINEST_SHARE = 2.0**-40
# Share of the largest squared norm by which a correlation may exceed its bound at the optimum.
SLACK = 1e-9


@dataclass(frozen=True)
class ExemplarCodes:
    """The exemplars in the order of their choice, and every point in terms of them."""

    exemplars: NDArray[np.int64]
    # One row for each point, one column for each exemplar.
    codes: csr_array
    # How many costs were computed for each choice but the first, which is random.
    n_evaluated: NDArray[np.int64]


def search_bytes(n_points: int, n_exemplars: int) -> int:
    """Memory of a search besides the points.

    Examples
    --------
    >>> search_bytes(10_000, 500)
    49400000
    """
    # Inner products with their signs, two matrices among exemplars, and a few numbers for each point.
    return 9 * n_points * n_exemplars + 16 * n_exemplars**2 + 40 * n_points


def encode_by_exemplars(
    points: Floats,
    n_exemplars: int,
    *,
    regularization: float,
    seed: int = 0,
    threads: int = 1,
) -> ExemplarCodes:
    """Find exemplars farthest first and represent every point by them.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        Rows, C-contiguous, float32 or float64; everything is computed in float64.
    n_exemplars : int
        How many to find, at most the number of points.
    regularization : float
        Weight of the squared residual against the norm of the coefficients (lambda).
    seed : int
        Decides the first exemplar; the others follow, ties going to the lowest index.
    threads : int
        For the codes. The result does not depend on it.

    Returns
    -------
    ExemplarCodes
        Exemplars themselves have the code 1 - 1 / (regularization ||x||^2) on their own column.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.repeat(np.eye(3), 2, axis=0)
    >>> found = encode_by_exemplars(points, 3, regularization=10.0)
    >>> np.sort(found.exemplars // 2).tolist()
    [0, 1, 2]
    >>> found.codes.toarray().max(axis=1).round(3).tolist()
    [0.9, 0.9, 0.9, 0.9, 0.9, 0.9]
    """
    if not 1 <= n_exemplars <= len(points):
        raise InputError(
            "{n_exemplars} must lie between 1 and the number of distinct rows, {}.",
            len(points),
            n_exemplars=n_exemplars,
        )
    search = new_search(points, n_exemplars, regularization)
    first = int(np.random.default_rng(seed).integers(len(points)))
    n_evaluated = find_exemplars(search, first)
    codes = _codes(search, threads)
    return ExemplarCodes(search.exemplars, _with_own_codes(codes, search), n_evaluated)


def new_search(points: Floats, n_exemplars: int, regularization: float) -> Search:
    """A search that has no exemplar yet."""
    n_points = len(points)
    norms = squared_norms(points)
    largest = float(norms.max())
    return Search(
        points=points,
        squared_norms=norms,
        weight=1.0 / regularization,
        slack=SLACK * largest,
        resolution=2.0 / largest / FINEST_SHARE,
        exemplars=np.full(n_exemplars, -1, np.int64),
        gram=np.zeros((n_exemplars, n_exemplars)),
        products=np.zeros((n_points, n_exemplars)),
        n_products=np.zeros(n_points, np.int64),
        signs=np.zeros((n_points, n_exemplars), np.int8),
        # No cost exceeds that of no exemplars at all.
        keys=np.full(n_points, 1.0 / FINEST_SHARE),
        exact_for=np.zeros(n_points, np.int64),
        heap=np.arange(n_points),
    )


def new_workspace(search: Search) -> ExemplarWorkspace:
    """Buffers for one thread."""
    n_exemplars = len(search.exemplars)
    # Independent atoms, and a row for one that depends on them.
    n_support = min(n_exemplars, search.points.shape[1]) + 1
    return ExemplarWorkspace(
        support=np.zeros(n_support, np.int64),
        values=np.zeros(n_support),
        target=np.zeros(n_support),
        forward=np.zeros(n_support),
        factor=np.zeros((n_support, n_support)),
        correlations=np.zeros(n_exemplars),
    )


def find_exemplars(search: Search, first: int) -> NDArray[np.int64]:
    """Fill the exemplars of a search; returns how many costs each choice but the first took."""
    work = new_workspace(search)
    n_exemplars = len(search.exemplars)
    n_evaluated = np.zeros(n_exemplars - 1, np.int64)
    add_exemplar(search, first, 0)
    build_heap(search)
    for n_found in track("exemplars", range(1, n_exemplars)):
        n_evaluated[n_found - 1] = farthest_point(search, n_found, work)
        add_exemplar(search, int(search.heap[0]), n_found)
        # The new exemplar, now without a cost, goes to the bottom.
        sift_down(search, 0)
    return n_evaluated


def point_codes(search: Search, start: int, stop: int, n_found: int) -> tuple[Floats, NDArray[np.float64]]:
    """Coefficients of points start to stop over the first exemplars, and their costs."""
    codes = np.empty((stop - start, n_found), search.points.dtype)
    values = np.empty(stop - start)
    exemplar_codes(search, start, stop, n_found, new_workspace(search), codes, values)
    return codes, values / search.weight


def _codes(search: Search, threads: int) -> csr_array:
    n_points, n_exemplars = search.signs.shape

    def solve(start: int) -> csr_array:
        codes, _ = point_codes(search, start, min(start + TILE, n_points), n_exemplars)
        return csr_array(codes)

    tiles = run_in_threads(solve, range(0, n_points, TILE), threads, "tiles of points")
    return csr_array(vstack(list(tiles)))


def _with_own_codes(codes: csr_array, search: Search) -> csr_array:
    """The codes of the exemplars replaced by a multiple of themselves."""
    n_points, n_exemplars = codes.shape
    others = np.ones(n_points, bool)
    others[search.exemplars] = False
    kept = codes.copy()
    kept.data[np.repeat(~others, np.diff(codes.indptr))] = 0
    kept.eliminate_zeros()
    own = np.maximum(1.0 - search.weight / search.squared_norms[search.exemplars], 0.0)
    places = (search.exemplars, np.arange(n_exemplars))
    merged = csr_array(kept + csr_array((own.astype(codes.dtype), places), shape=codes.shape))
    merged.eliminate_zeros()
    merged.sort_indices()
    return merged
