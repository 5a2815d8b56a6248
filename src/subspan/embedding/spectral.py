"""Points in the space of the leading eigenvectors of the normalised affinity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.embedding.components import ordered_components
from subspan.embedding.dimension import gap_dimension, largest_dimension
from subspan.embedding.eigen import FEWEST_PRODUCTS, Eigenpairs, leading_eigenpairs
from subspan.embedding.operator import normalised_graph
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Certificate, Embedding, InputError

# Residual at which the eigenvalues are good enough to choose the dimension by their gaps.
CHOICE_TOL = 1e-3
NO_EDGES = "affinity: all weights are zero, so no point is linked to another"


def spectral_embedding(
    affinity: csr_array | NDArray[np.floating],
    n_clusters: int,
    *,
    n_components: int | Literal["auto"] | None = None,
    seed: int = 0,
    tol: float = 1e-6,
    max_products: int = 2000,
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
    _check_counts(int(embedded.sum()), n_clusters, n_components)
    with single_threaded_libraries(), normalised_graph(graph, embedded, n_threads) as inner:
        product = inner.product
        indicators = _indicators(components[embedded], inner.root_degrees)
        solve = partial(
            leading_eigenpairs,
            product,
            len(indicators),
            locked=indicators,
            row_cost=inner.row_cost,
            seed=seed,
        )
        if n_components == "auto":
            pairs = _pairs_before_gap(solve, indicators.shape[1], n_clusters, tol, max_products - 1)
        else:
            n_wanted = max(0, (n_components or n_clusters) - indicators.shape[1])
            pairs = solve(n_wanted, tol=tol, max_products=max_products - 1)
        drift = float(np.linalg.norm(product(indicators) - indicators, axis=0).max())
    leading = _positive_peaks(np.hstack([indicators, pairs.vectors[:, : pairs.n_wanted]]))
    vectors = np.zeros((len(components), leading.shape[1]))
    vectors[embedded] = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    # Rounding may lift an eigenvalue above 1, which none of them exceeds.
    eigenvalues = np.concatenate([np.ones(indicators.shape[1]), np.minimum(pairs.values, 1.0)])
    return Embedding(vectors, eigenvalues, components, embedded, _certificate(pairs, drift, tol))


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


def _check_counts(n_embedded: int, n_clusters: int, n_components: int | Literal["auto"] | None) -> None:
    if n_clusters < 1:
        raise InputError(f"n_clusters={n_clusters}: must be at least 1")
    if n_clusters > n_embedded:
        raise InputError(f"n_clusters={n_clusters}, but the graph links only {n_embedded} points to others")
    if n_components is None or n_components == "auto":
        return
    if not 1 <= n_components <= n_embedded:
        raise InputError(
            f"n_components={n_components}: must be between 1 and {n_embedded}, the number of linked points"
        )


def _indicators(components: NDArray[np.int64], roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit eigenvectors of eigenvalue 1, one per component: the roots of its degrees, else zero."""
    indicators = np.zeros((components.size, int(components.max()) + 1))
    indicators[np.arange(components.size), components] = roots
    indicators /= np.linalg.norm(indicators, axis=0)
    return indicators


def _pairs_before_gap(
    solve: Callable[..., Eigenpairs], n_exact: int, n_clusters: int, tol: float, max_products: int
) -> Eigenpairs:
    """The pairs before the largest gap: a loose search shows the spectrum, a second one refines."""
    n_seen = largest_dimension(n_clusters) + 1 - n_exact
    loose = solve(n_seen, tol=max(tol, CHOICE_TOL), max_products=max_products)
    spectrum = np.concatenate([np.ones(n_exact), loose.values[: loose.n_wanted]])
    n_wanted = gap_dimension(spectrum, n_clusters) - n_exact
    fine = bool(np.all(loose.residuals[:n_wanted] <= tol))
    left = max_products - loose.n_products
    if fine or left < FEWEST_PRODUCTS:
        return replace(loose, n_wanted=n_wanted, converged=loose.converged and fine)
    tight = solve(n_wanted, tol=tol, max_products=left, start=loose.vectors)
    return replace(
        tight,
        values=np.concatenate([tight.values, loose.values[tight.values.size :]]),
        n_products=loose.n_products + tight.n_products,
    )


def _positive_peaks(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with signs such that the entry of largest magnitude, the first of equals, is positive."""
    peaks = np.argmax(np.abs(vectors), axis=0)
    signed: NDArray[np.float64] = vectors * np.sign(vectors[peaks, np.arange(vectors.shape[1])])
    return signed


def _certificate(pairs: Eigenpairs, drift: float, tol: float) -> Certificate:
    """Evidence for all vectors: the exact ones, whose residual is `drift`, and the ones searched for."""
    residual = max(drift, float(pairs.residuals[: pairs.n_wanted].max(initial=0.0)))
    # With exact vectors only, the search outside them was the probe; the smallest eigenvalue is 1.
    excess = pairs.probe_excess if pairs.n_wanted else float(pairs.values.max(initial=-1.0)) - 1.0
    return Certificate(pairs.converged and drift <= tol, residual, excess, pairs.n_products + 1)
