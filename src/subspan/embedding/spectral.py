"""Points in the space of the leading eigenvectors of the normalised affinity."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.embedding.components import ordered_components
from subspan.embedding.eigen import BLOCKS_ON_ALL, GUARD_VECTORS, MOST_PRODUCTS, TOL, leading_eigenpairs
from subspan.embedding.operator import normalised_graph
from subspan.embedding.shared import (
    certificate,
    check_counts,
    embedded_rows,
    indicator_vectors,
    wanted_pairs,
)
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Embedding, InputError

NO_EDGES = "affinity: all weights are zero, so no point is linked to another"


def spectral_embedding(
    affinity: csr_array | NDArray[np.floating],
    n_clusters: int,
    *,
    n_components: int | Literal["auto"] | None = None,
    seed: int = 0,
    tol: float = TOL,
    max_products: int = MOST_PRODUCTS,
    n_threads: int = 1,
) -> Embedding:
    """Embed the points by the largest eigenvectors of D^-1/2 A D^-1/2, each row scaled to unit length.

    The connected components come first. Their indicator vectors, weighted with the roots of the
    degrees, are exact eigenvectors of eigenvalue 1, and only the rest is searched for, orthogonal to
    them. Points without an edge are left out. Of more components than clusters the `n_clusters` largest
    are embedded, the points of the others are left out too.

    Parameters
    ----------
    affinity : csr_array or array of shape (n, n)
        Symmetric and non-negative, zero diagonal, no explicit zeros. A dense one is read in place: there
        is no second array of its size.
    n_clusters : int
        Number of clusters to be told apart.
    n_components : int, "auto" or None
        Number of eigenvectors. None means `n_clusters`; "auto" means as many, but at least
        `n_clusters`, as stand before the largest gap of the spectrum. Never fewer than the components
        that are embedded, since a choice among their equal eigenvalues would be arbitrary.
    seed : int
        Fixes the random starting vectors.
    tol : float
        Largest residual of a wanted eigenpair, which also bounds the error of its eigenvalue.
    max_products : int
        Cap on the products of the graph with a block of vectors; the search and its proof take at least
        8. At the cap the best vectors so far are returned, and the certificate says `converged=False`.
    n_threads : int
        Threads for these products. The result does not depend on it.

    Returns
    -------
    Embedding
        `eigenvalues` has a few values more than there are vectors, to show the gap behind the last one.
        These are found with a residual of about 1e-2 for the first and whatever came with the search for
        the others, so they may be a little too small.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> embedding = spectral_embedding(csr_array(np.kron(np.eye(2), triangle)), 2)
    >>> embedding.vectors.round(6).tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    >>> embedding.eigenvalues[:3].round(6).tolist()
    [1.0, 1.0, -0.5]
    """
    graph = _checked(affinity)
    components = ordered_components(graph)
    embedded = (components >= 0) & (components < n_clusters)
    check_counts(int(embedded.sum()), n_clusters, n_components)
    with single_threaded_libraries(), normalised_graph(graph, embedded, n_threads) as inner:
        product = inner.product
        invert = inner.inverse(BLOCKS_ON_ALL * (n_clusters + GUARD_VECTORS))
        indicators = indicator_vectors(components[embedded], inner.root_degrees)
        solve = partial(
            leading_eigenpairs,
            product,
            len(indicators),
            locked=indicators,
            row_cost=inner.row_cost,
            invert=invert,
            seed=seed,
        )
        n_exact = indicators.shape[1]
        pairs = wanted_pairs(solve, n_exact, n_clusters, n_components, tol, max_products - 1)
        drift = float(np.linalg.norm(product(indicators) - indicators, axis=0).max())
    vectors, lengths = embedded_rows(indicators, pairs, embedded, inner.root_degrees)
    # Rounding may lift an eigenvalue above 1, which none of them exceeds.
    eigenvalues = np.concatenate([np.ones(indicators.shape[1]), np.minimum(pairs.values, 1.0)])
    proof = certificate(pairs, drift, tol)
    return Embedding(vectors, eigenvalues, components, embedded, proof, lengths=lengths)


def _checked(affinity: csr_array | NDArray[np.floating]) -> csr_array | NDArray[np.floating]:
    """A sparse graph in float64 with largest weight 1, so that no degree overflows, its entries in order.

    A dense one stays as it is: its weights are scaled when they are read.
    """
    if isinstance(affinity, np.ndarray):
        if affinity.max(initial=0) == 0:
            raise InputError(NO_EDGES)
        return affinity
    graph = affinity.astype(np.float64)
    graph.sum_duplicates()
    graph.eliminate_zeros()
    if graph.nnz == 0:
        raise InputError(NO_EDGES)
    graph.data /= graph.data.max()
    graph.eliminate_zeros()
    return graph
