"""Systems with a sparse normalised graph, solved by a factorisation where that is cheap.

A search that multiplies by the inverse sees the eigenvalues next to 1 far apart, however close they are. Its
price is the factor. The factor of a graph that falls into loosely joined parts stays sparse. That of a graph
whose vertices are linked at random fills up, and the search is better off without.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, eye_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

Doubles = NDArray[np.float64]

# Distance of the shift from the largest eigenvalue, 1. The matrix stays positive definite.
SHIFT = 1e-6


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
