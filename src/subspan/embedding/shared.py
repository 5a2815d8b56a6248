"""Parts of all embeddings: checks, exact eigenvectors, choice of the dimension, evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subspan.embedding.eigen import FEWEST_PRODUCTS, Eigenpairs
from subspan.embedding.search import Goal, RitzPairs
from subspan.handover import Certificate, InputError

# Residual at which the eigenvalues are good enough to choose the dimension by their gaps.
CHOICE_TOL = 1e-3


def check_counts(n_embedded: int, n_clusters: int, n_components: int | Literal["auto"] | None) -> None:
    """Refuse more clusters or components than points that are embedded."""
    if n_clusters < 1:
        raise InputError("{n_clusters}: must be at least 1", n_clusters=n_clusters)
    if n_clusters > n_embedded:
        raise InputError(
            "{n_clusters}, but the graph links only {} points to others", n_embedded, n_clusters=n_clusters
        )
    if n_components is None or n_components == "auto":
        return
    if not 1 <= n_components <= n_embedded:
        raise InputError(
            "{n_components}: must be between 1 and {}, the number of linked points",
            n_embedded,
            n_components=n_components,
        )


def indicator_vectors(components: NDArray[np.int64], roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit eigenvectors of eigenvalue 1, one per component: the roots of its degrees, else zero."""
    indicators = np.zeros((components.size, int(components.max()) + 1))
    indicators[np.arange(components.size), components] = roots
    indicators /= np.linalg.norm(indicators, axis=0)
    return indicators


def largest_dimension(n_clusters: int) -> int:
    """Largest number of eigenvectors that is considered for `n_clusters` clusters.

    Examples
    --------
    >>> largest_dimension(3), largest_dimension(40)
    (6, 50)
    """
    return min(2 * n_clusters, n_clusters + 10)


def gap_dimension(eigenvalues: NDArray[np.float64], n_clusters: int) -> int:
    """Number of leading eigenvectors before the largest gap in the spectrum, at least `n_clusters`.

    Parameters
    ----------
    eigenvalues : array
        Descending. A gap needs a value on either side, so at most one less than given is chosen.
    n_clusters : int
        Smallest number considered; the largest is `largest_dimension(n_clusters)`.

    Examples
    --------
    >>> import numpy as np
    >>> gap_dimension(np.array([1.0, 0.95, 0.9, 0.89, 0.5, 0.45]), 3)
    4
    """
    considered = eigenvalues[n_clusters - 1 : largest_dimension(n_clusters) + 1]
    if considered.size < 2:
        return n_clusters
    return n_clusters + int(np.argmax(considered[:-1] - considered[1:]))


def pairs_before_gap(
    solve: Callable[..., Eigenpairs], n_exact: int, n_clusters: int, tol: float, max_products: int
) -> Eigenpairs:
    """The pairs before the largest gap: a loose search shows the spectrum, a second one refines."""
    n_seen = largest_dimension(n_clusters) + 1 - n_exact
    loose = solve(n_seen, tol=max(tol, CHOICE_TOL), max_products=max_products, certain=False)
    spectrum = np.concatenate([np.ones(n_exact), loose.values[: loose.n_wanted]])
    n_wanted = gap_dimension(spectrum, n_clusters) - n_exact
    goal = Goal(loose.values.size, n_wanted, tol, known_value=1.0)
    fine = loose.converged and goal.proved(RitzPairs(loose.values, loose.vectors, loose.residuals), 0.0)
    left = max_products - loose.n_products
    if fine or left < FEWEST_PRODUCTS:
        return replace(loose, n_wanted=n_wanted, converged=fine, gap=goal.gap(loose.values))
    tight = solve(n_wanted, tol=tol, max_products=left, start=loose.vectors)
    return replace(
        tight,
        values=np.concatenate([tight.values, loose.values[tight.values.size :]]),
        n_products=loose.n_products + tight.n_products,
    )


def wanted_pairs(
    solve: Callable[..., Eigenpairs],
    n_exact: int,
    n_clusters: int,
    n_components: int | Literal["auto"] | None,
    tol: float,
    max_products: int,
) -> Eigenpairs:
    """As many pairs beside the exact ones as `n_components` asks for."""
    if n_components == "auto":
        return pairs_before_gap(solve, n_exact, n_clusters, tol, max_products)
    n_wanted = max(0, (n_components or n_clusters) - n_exact)
    return solve(n_wanted, tol=tol, max_products=max_products)


def embedded_rows(
    exact: NDArray[np.float64],
    pairs: Eigenpairs,
    embedded: NDArray[np.bool_],
    root_degrees: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The exact and the wanted vectors side by side, rows of unit length, and `Embedding.lengths`.

    Points left out have zeros in both.
    """
    leading = positive_peaks(np.hstack([exact, pairs.vectors[:, : pairs.n_wanted]]))
    norms = np.linalg.norm(leading, axis=1)
    vectors, lengths = np.zeros((len(embedded), leading.shape[1])), np.zeros(len(embedded))
    vectors[embedded] = leading / norms[:, None]
    lengths[embedded] = norms / root_degrees
    return vectors, lengths


def positive_peaks(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with signs such that the entry of largest magnitude, the first of equals, is positive."""
    peaks = np.argmax(np.abs(vectors), axis=0)
    signed: NDArray[np.float64] = vectors * np.sign(vectors[peaks, np.arange(vectors.shape[1])])
    return signed


def certificate(pairs: Eigenpairs, drift: float, tol: float) -> Certificate:
    """Evidence for all vectors: the exact ones, whose residual is `drift`, and the ones searched for."""
    residual = max(drift, float(pairs.residuals[: pairs.n_wanted].max(initial=0.0)))
    # If all wanted vectors are exact, the smallest wanted eigenvalue is 1, and the search was the probe.
    excess = pairs.probe_excess if pairs.n_wanted else float(pairs.values.max(initial=-1.0)) - 1.0
    return Certificate(pairs.converged and drift <= tol, residual, excess, pairs.n_products + 1, pairs.gap)
