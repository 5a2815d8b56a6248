"""Embedding of points that are represented by a few of them: cost and memory linear in the points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subspan.embedding.atom_graph import (
    AtomGraph,
    PassJob,
    WeightedRows,
    edges_among_atoms,
    survey,
    vectors_of_all,
)
from subspan.embedding.atom_search import Products, leading_pairs
from subspan.embedding.eigen import MOST_PRODUCTS, TOL
from subspan.embedding.operator import normalised_product
from subspan.embedding.search import Checkpoint, Doubles
from subspan.embedding.shared import certificate, check_counts, positive_peaks, wanted_pairs
from subspan.execution.blocks import run_blocks
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Embedding

# Carries out a pass over all rows; yields the parts of the sum in order.
Runner = Callable[[PassJob], Iterator[dict[str, NDArray[Any]]]]


def atom_embedding(
    rows: WeightedRows,
    n_clusters: int,
    *,
    n_components: int | Literal["auto"] | None = None,
    seed: int = 0,
    max_products: int = MOST_PRODUCTS,
    n_threads: int = 1,
    runner: Runner | None = None,
    checkpoint: Checkpoint | None = None,
) -> Embedding:
    """Embed the points by the largest eigenvectors of D^-1/2 (|C| + |C|^T) D^-1/2, read row by row of C.

    The vectors are those of `spectral_embedding`, but the graph is not formed. It is meant for coefficients
    with few columns that are not zero. The result is float32, which is enough to tell clusters apart.

    Parameters
    ----------
    rows : WeightedRows
        |C|, scaled as wanted.
    n_clusters, n_components, seed, max_products, n_threads : as for `spectral_embedding`
    runner : callable, optional
        Carries out a pass over the rows; by default this process with `n_threads` threads.
    checkpoint : Checkpoint, optional
        Where the search is kept, so that the same call goes on with it.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from subspan.affinity import ImplicitAffinity
    >>> C = csr_array(np.kron(np.eye(2), [[0, 1, 1], [1, 0, 1], [0, 1, 0]]))
    >>> atom_embedding(ImplicitAffinity(C), 2).vectors.round(3).tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    """
    graph = survey(rows, n_clusters)
    check_counts(int(graph.embedded.sum()), n_clusters, n_components)
    exact = _exact_vectors(graph)
    n_exact = exact.shape[1]
    among = edges_among_atoms(graph)
    with single_threaded_libraries(), normalised_product(among, graph.roots, n_threads) as times_among:
        products = _products(graph, times_among, runner or partial(run_blocks, threads=n_threads))
        solve = partial(leading_pairs, products, exact, seed=seed, checkpoint=checkpoint)
        pairs = wanted_pairs(solve, n_exact, n_clusters, n_components, TOL, max_products)
    values = np.concatenate([np.ones(n_exact), np.minimum(pairs.values, 1.0)])
    n_vectors = n_exact + pairs.n_wanted
    leading = positive_peaks(np.hstack([exact, pairs.vectors[:, : pairs.n_wanted]]))
    vectors, lengths = vectors_of_all(graph, leading, values[:n_vectors], np.float32)
    proof = certificate(pairs, 0.0, TOL)
    return Embedding(vectors, values, graph.components, graph.embedded, proof, graph.atoms, lengths)


def _exact_vectors(graph: AtomGraph) -> Doubles:
    """Parts on the atoms of the eigenvectors of value 1: the roots of the degrees of each component."""
    components = graph.components[graph.embedded]
    whole = np.bincount(components, graph.degrees[graph.embedded])
    exact = np.zeros((len(graph.atoms), len(whole)))
    of_atoms = graph.components[graph.atoms]
    exact[np.arange(len(exact)), of_atoms] = graph.roots / np.sqrt(whole[of_atoms])
    return exact


def _products(graph: AtomGraph, times_among: Callable[[Doubles], Doubles], run: Runner) -> Products:
    roots = graph.roots[:, None]

    def products(block: Doubles) -> tuple[Doubles, Doubles]:
        job = PassJob(graph.rows, graph.position, graph.degrees, block / roots)
        total = np.zeros_like(block)
        for part in run(job):
            total += part["sum"]
        return times_among(block), total / roots

    return products
