"""Embedding of a graph A A^T that is given by its factor and never formed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from subspan.embedding.components import ordered_components
from subspan.embedding.eigen import GUARD_VECTORS, MOST_PRODUCTS, TOL, Eigenpairs, judged, leading_eigenpairs
from subspan.embedding.orthogonal import orthonormal_directions
from subspan.embedding.search import Goal, Product, RitzPairs
from subspan.embedding.shared import (
    certificate,
    check_counts,
    embedded_rows,
    indicator_vectors,
    wanted_pairs,
)
from subspan.execution.threads import run_in_threads, single_threaded_libraries
from subspan.handover import Embedding

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

ROWS_PER_TASK = 1024
# Up to this length of the shorter side of the factor, its dense Gram matrix is faster than a search.
DENSE_SIDE = 1500
# Steps and vectors of the power iteration that finds the size of the spectrum.
POWER_STEPS = 4
POWER_WIDTH = 4


def factored_embedding(
    columns: Floats,
    n_clusters: int,
    *,
    n_components: int | Literal["auto"] | None = None,
    seed: int = 0,
    tol: float = TOL,
    n_threads: int = 1,
    dense_side: int = DENSE_SIDE,
) -> Embedding:
    """Embed the points by the largest eigenvectors of D^-1/2 A A^T D^-1/2, rows scaled to unit length.

    These are the leading left singular vectors of D^-1/2 A. The degrees A (A^T 1) count the loops on the
    diagonal of A A^T. Otherwise as `spectral_embedding`: components come first, the rest by the Gram matrix
    of the factor if one of its sides is short, by a search with a proof if not.

    Parameters
    ----------
    columns : array of shape (n, c)
        The factor A, not negative: affinities of n points with c sampled tuples.
    tol : float
        Largest residual of a wanted eigenpair, relative to the first eigenvalue that is searched for: below
        those of the components, which are 1, this spectrum of squares may be small.
    n_clusters, n_components, seed, n_threads
        As for `spectral_embedding`; besides those of the components there are no more than c vectors.
    dense_side : int
        Longest shorter side of the factor of which a dense Gram matrix is formed.

    Examples
    --------
    >>> import numpy as np
    >>> columns = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 1.0]])
    >>> embedding = factored_embedding(columns, 2)
    >>> embedding.vectors.round(6).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> embedding.eigenvalues[:2].tolist()
    [1.0, 1.0]
    """
    components = factored_components(columns)
    embedded = (components >= 0) & (components < n_clusters)
    check_counts(int(embedded.sum()), n_clusters, n_components)
    inner = columns if embedded.all() else columns[embedded]
    roots = np.sqrt(_degrees(inner))
    indicators = indicator_vectors(components[embedded], roots)
    with single_threaded_libraries(), factored_product(inner, roots, n_threads) as product:
        if min(inner.shape) <= dense_side:
            gram = _deflated_gram(inner, roots, indicators, n_threads)
            solve = partial(_dense_pairs, gram, inner, roots, product)
        else:
            solve = partial(_searched_pairs, product, indicators, seed)
        n_exact = indicators.shape[1]
        pairs = wanted_pairs(solve, n_exact, n_clusters, n_components, tol, MOST_PRODUCTS - 1)
        drift = float(np.linalg.norm(product(indicators) - indicators, axis=0).max())
    vectors, lengths = embedded_rows(indicators, pairs, embedded, roots)
    eigenvalues = np.concatenate([np.ones(indicators.shape[1]), np.clip(pairs.values, 0.0, 1.0)])
    proof = certificate(pairs, drift, tol)
    return Embedding(vectors, eigenvalues, components, embedded, proof, lengths=lengths)


def _dense_pairs(
    gram: Doubles,
    columns: Floats,
    roots: Doubles,
    product: Product,
    n_wanted: int,
    *,
    tol: float,
    certain: bool = True,
    **_: object,
) -> Eigenpairs:
    """Pairs from the Gram matrix of one side. There is no search, so no pair can be missed."""
    n_pairs = min(n_wanted + GUARD_VECTORS, len(gram))
    values, vectors = eigh(gram, subset_by_index=(len(gram) - n_pairs, len(gram) - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    if columns.shape[1] < columns.shape[0]:
        # Left singular vectors from right ones; there is none for a singular value of zero.
        images = np.vstack([_rows(columns, block) @ vectors for block in _blocks(len(columns))])
        images /= roots[:, None]
        lengths = np.linalg.norm(images, axis=0)
        vectors = images / np.where(lengths > np.sqrt(np.finfo(float).eps), lengths, np.inf)
    residuals = np.linalg.norm(product(vectors) - vectors * values, axis=0)
    beyond = values[n_wanted : n_wanted + 1]
    excess = float(beyond[0] - values[n_wanted - 1]) if n_wanted and beyond.size else 0.0
    unit = max(float(values[0]), np.finfo(float).eps)
    goal = Goal(n_pairs, n_wanted, tol, 1.0 / unit, certain)
    found = judged(RitzPairs(values / unit, vectors, residuals / unit), goal, excess / unit, 2)
    return _in_units(found, unit)


def _searched_pairs(
    product: Product,
    indicators: Doubles,
    seed: int,
    n_wanted: int,
    *,
    tol: float,
    max_products: int,
    start: Doubles | None = None,
    certain: bool = True,
) -> Eigenpairs:
    """Pairs by search, in units of the largest eigenvalue besides the known ones."""
    rng = np.random.default_rng(seed)
    block = rng.standard_normal((len(indicators), POWER_WIDTH))
    for _ in range(POWER_STEPS):
        block = product(orthonormal_directions(block, [indicators]))
    unit = max(float(np.linalg.norm(block, 2)), np.finfo(float).tiny)
    pairs = leading_eigenpairs(
        lambda vectors: product(vectors) / unit,
        len(indicators),
        n_wanted,
        locked=indicators,
        locked_value=1.0 / unit,
        start=start,
        seed=seed,
        tol=tol,
        max_products=max_products - POWER_STEPS,
        certain=certain,
    )
    return replace(_in_units(pairs, unit), n_products=pairs.n_products + POWER_STEPS)


def _in_units(pairs: Eigenpairs, unit: float) -> Eigenpairs:
    """Pairs of the operator from those of the operator divided by a number. The gap stays relative."""
    return replace(
        pairs,
        values=unit * pairs.values,
        residuals=unit * pairs.residuals,
        probe_excess=unit * pairs.probe_excess,
    )


def _deflated_gram(columns: Floats, roots: Doubles, indicators: Doubles, n_threads: int) -> Doubles:
    """Gram matrix of the shorter side of D^-1/2 A, without the known singular vectors, whose value is 1."""
    short = columns.shape[1] < columns.shape[0]

    def part(block: slice) -> Doubles:
        if short:
            rows = _rows(columns, block) / roots[block, None]
            return np.asarray(rows.T @ rows)
        some = columns[:, block] / roots[:, None]
        return np.asarray(some @ some.T)

    parts = run_in_threads(part, _blocks(max(columns.shape)), n_threads, "blocks of rows")
    gram: Doubles = sum(parts, np.zeros(()))
    known = indicators
    if short:
        scaled = indicators / roots[:, None]
        known = sum((_rows(columns, b).T @ scaled[b] for b in _blocks(len(columns))), np.zeros(()))
    return gram - known @ known.T


@contextmanager
def factored_product(columns: Floats, root_degrees: Doubles, n_threads: int) -> Iterator[Product]:
    """Product with D^-1/2 A A^T D^-1/2 in float64, by fixed blocks of rows that threads share.

    Examples
    --------
    >>> import numpy as np
    >>> with factored_product(np.array([[1.0], [3.0]]), np.array([2.0, 4.0]), 1) as product:
    ...     product(np.eye(2)).tolist()
    [[0.25, 0.375], [0.375, 0.5625]]
    """
    blocks = _blocks(len(columns))
    with ThreadPoolExecutor(n_threads, thread_name_prefix="subspan") as pool:
        run = map if n_threads == 1 else pool.map

        def product(vectors: Doubles) -> Doubles:
            scaled = vectors / root_degrees[:, None]
            # Summed in the order of the blocks, so that the result does not depend on the threads.
            sums = sum(run(lambda block: _rows(columns, block).T @ scaled[block], blocks))
            image = np.vstack(list(run(lambda block: _rows(columns, block) @ sums, blocks)))
            return image / root_degrees[:, None]

        yield product


def factored_components(columns: Floats) -> NDArray[np.int64]:
    """Connected components of the graph A A^T, numbered as by `ordered_components`.

    Examples
    --------
    >>> import numpy as np
    >>> factored_components(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 1.0], [3.0, 1.0]])).tolist()
    [0, -1, 0, 0, 0]
    """
    linked = columns > 0
    first = np.full(len(columns), -1, np.int64)
    unseen = np.ones(columns.shape[1], np.bool_)
    for root in range(len(columns)):
        frontier = np.array([root]) if first[root] < 0 else np.empty(0, np.int64)
        while frontier.size:
            first[frontier] = root
            reached = np.flatnonzero(linked[frontier].any(axis=0) & unseen)
            unseen[reached] = False
            frontier = np.flatnonzero(linked[:, reached].any(axis=1) & (first < 0))
    # Every point linked to the first of its component: the smallest graph with these components.
    star = csr_array((np.ones(len(first)), first, np.arange(len(first) + 1)), shape=(len(first),) * 2)
    return ordered_components(star)


def _degrees(columns: Floats) -> Doubles:
    sums = columns.sum(axis=0, dtype=np.float64)
    return np.concatenate([_rows(columns, block) @ sums for block in _blocks(len(columns))])


def _blocks(n_rows: int) -> list[slice]:
    return [slice(start, start + ROWS_PER_TASK) for start in range(0, n_rows, ROWS_PER_TASK)]


def _rows(columns: Floats, block: slice) -> Doubles:
    """A block in float64; a copy of the whole factor may be too large."""
    return columns[block].astype(np.float64, copy=False)
