"""The symmetrically normalised affinity as an operator on blocks of vectors, and systems with it.

A search that multiplies by the inverse sees the eigenvalues next to 1 far apart, however close they are. Its
price is a factorisation. The factor of a graph that falls into loosely joined parts stays sparse. That of a
graph whose vertices are linked at random fills up, and the search is better off without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, eye_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from subspan.embedding.search import Product

Doubles = NDArray[np.float64]

ROWS_PER_TASK = 1024
# A dense graph is multiplied tile by tile: in float64 a tile stays in the second-level cache.
TILE_ROWS = 256
TILE_COLUMNS = 512
# Distance of the shift from the largest eigenvalue, 1. The matrix stays positive definite.
SHIFT = 1e-6


@dataclass(frozen=True)
class NormalisedGraph:
    """D^-1/2 A D^-1/2 for the part of a graph that is embedded."""

    product: Product
    # Square roots of the row sums of A, up to one common factor.
    root_degrees: NDArray[np.float64]
    # Multiplications in a row of the product.
    row_cost: float
    # Takes the columns of the search's basis, gives `inverse_if_cheap`.
    inverse: Callable[[int], Product | None]


@contextmanager
def normalised_graph(
    affinity: csr_array | NDArray[np.floating], members: NDArray[np.bool_], n_threads: int
) -> Iterator[NormalisedGraph]:
    """The normalised operator on the members, which have edges among themselves only.

    Parameters
    ----------
    affinity : csr_array or array of shape (n, n)
        Symmetric and non-negative. A dense one is read in place, whatever the members and its type.
    members : array of shape (n,)
        Vertices that take part, each with an edge.
    n_threads : int
        Threads for one product, which does not depend on them.

    Examples
    --------
    >>> import numpy as np
    >>> graph = np.array([[0.0, 0.0, 4.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    >>> with normalised_graph(graph, np.array([True, False, True]), 1) as normalised:
    ...     normalised.product(np.eye(2)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if isinstance(affinity, np.ndarray):
        roots = np.sqrt(_scaled_degrees(affinity))[members]
        with _dense_product(affinity, members, roots, n_threads) as product:
            yield NormalisedGraph(product, roots, float(len(affinity)), lambda _: None)
        return
    inner = affinity if members.all() else affinity[members][:, members]
    roots = np.sqrt(inner.sum(axis=1))
    with normalised_product(inner, roots, n_threads) as product:
        yield NormalisedGraph(product, roots, inner.nnz / len(roots), partial(inverse_if_cheap, inner, roots))


@contextmanager
def normalised_product(
    affinity: csr_array, root_degrees: NDArray[np.float64], n_threads: int
) -> Iterator[Product]:
    """Product with D^-1/2 A D^-1/2, its rows shared out to threads while the context is open.

    Each row of the result is one sum in a fixed order, so it does not depend on `n_threads`.

    Parameters
    ----------
    affinity : csr_array of shape (n, n)
        Symmetric, non-negative, every vertex with an edge.
    root_degrees : array of shape (n,)
        Square roots of the row sums.
    n_threads : int
        Threads for one product.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> graph = csr_array(np.array([[0.0, 4.0], [4.0, 0.0]]))
    >>> with normalised_product(graph, np.array([2.0, 2.0]), 1) as product:
    ...     product(np.eye(2)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    starts = range(0, affinity.shape[0], ROWS_PER_TASK)
    parts = [_normalised_rows(affinity, root_degrees, first) for first in starts]
    with ThreadPoolExecutor(n_threads, thread_name_prefix="subspan") as pool:
        run = map if n_threads == 1 else pool.map
        yield lambda block: np.vstack(list(run(lambda part: part @ block, parts)))


def _normalised_rows(affinity: csr_array, root_degrees: NDArray[np.float64], first: int) -> csr_array:
    rows = affinity[first : first + ROWS_PER_TASK]
    own_roots = np.repeat(root_degrees[first : first + ROWS_PER_TASK], np.diff(rows.indptr))
    # Two divisions, because the product of two tiny roots may underflow.
    rows.data = rows.data / own_roots / root_degrees[rows.indices]
    return rows


def _scaled_degrees(affinity: NDArray[np.floating]) -> NDArray[np.float64]:
    """Row sums of a dense graph in float64, for weights of at most 1."""
    unit = _unit(affinity)
    starts = range(0, len(affinity), TILE_ROWS)
    return np.concatenate(
        [(affinity[first : first + TILE_ROWS] * unit).sum(axis=1) for first in starts], dtype=np.float64
    )


@contextmanager
def _dense_product(
    affinity: NDArray[np.floating],
    members: NDArray[np.bool_],
    root_degrees: NDArray[np.float64],
    n_threads: int,
) -> Iterator[Product]:
    """Product with D^-1/2 A D^-1/2 for the members of a dense graph, which is read in place.

    The roots of the degrees scale the vectors and not the graph, so that no copy of the graph is made. Tiles
    are multiplied in float64 for any type of the graph. In float32 a product takes half the time, but its
    rounding errors are as large as the residuals that the search for eigenvectors must reach.
    """
    unit = _unit(affinity)
    starts = range(0, len(affinity), TILE_ROWS)

    def product(block: NDArray[np.float64]) -> NDArray[np.float64]:
        wide = np.zeros((len(affinity), block.shape[1]))
        wide[members] = block / root_degrees[:, None] * unit
        rows = run(lambda first: _times(affinity[first : first + TILE_ROWS], wide), starts)
        whole: NDArray[np.float64] = np.vstack(list(rows))[members]
        return whole / root_degrees[:, None]

    with ThreadPoolExecutor(n_threads, thread_name_prefix="subspan") as pool:
        run = map if n_threads == 1 else pool.map
        yield product


def _times(rows: NDArray[np.floating], block: NDArray[np.float64]) -> NDArray[np.float64]:
    """A few rows of the graph times a block, in float64 and in a fixed order."""
    total = np.zeros((len(rows), block.shape[1]))
    for first in range(0, rows.shape[1], TILE_COLUMNS):
        tile = rows[:, first : first + TILE_COLUMNS].astype(np.float64)
        total += tile @ block[first : first + TILE_COLUMNS]
    return total


def _unit(affinity: NDArray[np.floating]) -> np.float64:
    """The power of two that brings the largest weight to between 1/2 and 1, so that no sum overflows."""
    exponent = int(np.frexp(np.float64(affinity.max()))[1])
    # Bounded: the inverse of the smallest numbers, divided by the root of a degree, may overflow.
    return np.float64(np.ldexp(1.0, -max(exponent, -900)))


def inverse_if_cheap(
    affinity: csr_array, root_degrees: Doubles, n_columns: int
) -> Callable[[Doubles], Doubles] | None:
    """Product with the inverse of (1 + SHIFT) I - D^-1/2 A D^-1/2, or None if the factor might fill up.

    Parameters
    ----------
    affinity : csr_array of shape (n, n)
        Symmetric, non-negative, every vertex with an edge, its entries in order.
    root_degrees : array of shape (n,)
        Square roots of the row sums.
    n_columns : int
        Vectors in the basis of the search. The factor may cost as much as keeping these orthogonal.

    Examples
    --------
    >>> graph = csr_array(np.array([[0.0, 4.0], [4.0, 0.0]]))
    >>> times_inverse = inverse_if_cheap(graph, np.array([2.0, 2.0]), 10)
    >>> times_inverse(np.array([[1.0], [-1.0]])).round(6).tolist()
    [[0.5], [-0.5]]
    """
    if most_work(affinity) > affinity.shape[0] * n_columns**2:
        return None
    scaled = diags_array(1.0 / root_degrees)
    normalised = scaled @ affinity @ scaled
    shifted = csc_array((1.0 + SHIFT) * eye_array(affinity.shape[0]) - normalised)
    # Positive definite, so the diagonal serves as pivots and the factor is as sparse as its ordering allows.
    factor = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lambda block: factor.solve(np.asfortranarray(block))


def most_work(affinity: csr_array) -> float:
    """Multiplications of a factorisation in an order of narrow profile; a good order needs fewer.

    Row i of the factor has entries from the first neighbour of vertex i on.

    Examples
    --------
    >>> path = csr_array(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> most_work(path)
    2.0
    """
    order = reverse_cuthill_mckee(affinity, symmetric_mode=True)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    first = np.minimum.reduceat(place[affinity.indices], affinity.indptr[:-1])
    heights = np.maximum(place - first, 0).astype(np.float64)
    return float(heights @ heights)
