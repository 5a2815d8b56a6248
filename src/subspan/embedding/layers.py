"""One embedding of several graphs on the same points, merged on the Grassmann manifold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.embedding.components import ordered_components
from subspan.embedding.eigen import MOST_PRODUCTS, TOL, leading_eigenpairs
from subspan.embedding.operator import normalised_product
from subspan.embedding.search import Product
from subspan.embedding.shared import (
    certificate,
    check_counts,
    positive_peaks,
    wanted_pairs,
)
from subspan.embedding.spectral import spectral_embedding
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Embedding, InputError


def merged_embedding(
    layers: Sequence[csr_array],
    n_clusters: int,
    *,
    alpha: float = 0.5,
    n_components: int | Literal["auto"] | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> Embedding:
    """Embed the points by the subspace that is nearest to those of all layers, and smooth on their graphs.

    With S_i the normalised graph of layer i, L_i = I - S_i, and U_i its leading eigenvectors, these are the
    smallest eigenvectors of sum_i L_i - alpha sum_i U_i U_i'. Each row is scaled to unit length. One layer
    gives the embedding of its graph, whatever `alpha` is.

    Parameters
    ----------
    layers : sequence of csr_array of shape (n, n)
        Graphs as `spectral_embedding` takes them.
    n_clusters : int
        Number of clusters to be told apart.
    alpha : float
        Weight of the distance between subspaces against the smoothness on each graph.
    n_components : int, "auto" or None
        Number of eigenvectors of each layer and of all together: see `spectral_embedding`.
    seed, n_threads
        As for `spectral_embedding`, which each layer passes first.

    Returns
    -------
    Embedding
        Its components are those of the union of the graphs: points without an edge in any layer, and
        components in excess of `n_clusters`, are left out. A point without an edge in one layer is left
        out of the sums of that layer only. Eigenvalues are those of
        (sum_i S_i + alpha sum_i U_i U_i') / ((1 + alpha) n_layers), largest first: 1 where all layers agree.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> path = np.diag([1.0, 1.0, 0.0, 1.0, 1.0], 1)
    >>> cycle = path + np.diag([1.0, 0.0, 0.0, 1.0], 2)
    >>> embedding = merged_embedding([csr_array(path + path.T), csr_array(cycle + cycle.T)], 2)
    >>> (np.abs(embedding.vectors @ embedding.vectors.T) > 0.5).astype(int)[0].tolist()
    [1, 1, 1, 0, 0, 0]
    """
    _check_layers(layers, alpha)
    embed = partial(
        spectral_embedding,
        n_clusters=n_clusters,
        n_components=n_components,
        seed=seed,
        n_threads=n_threads,
    )
    # The merged problem of one layer has the same vectors, but scaled eigenvalues.
    if len(layers) == 1:
        return embed(layers[0])
    graphs = [_scaled(layer) for layer in layers]
    components = ordered_components(_union(graphs))
    embedded = (components >= 0) & (components < n_clusters)
    check_counts(int(embedded.sum()), n_clusters, n_components)
    spaces = np.hstack([_eigenvectors(graph, embed(graph))[embedded] for graph in graphs])
    inner = graphs if embedded.all() else [graph[embedded][:, embedded] for graph in graphs]
    with single_threaded_libraries(), _merged_product(inner, spaces, alpha, n_threads) as product:
        row_cost = sum(graph.nnz for graph in inner) / len(spaces) + spaces.shape[1]
        solve = partial(leading_eigenpairs, product, len(spaces), row_cost=row_cost, seed=seed)
        pairs = wanted_pairs(solve, 0, n_clusters, n_components, TOL, MOST_PRODUCTS)
    vectors = np.zeros((len(components), pairs.n_wanted))
    leading = positive_peaks(pairs.vectors[:, : pairs.n_wanted])
    vectors[embedded] = _unit_rows(leading)
    return Embedding(vectors, pairs.values, components, embedded, certificate(pairs, 0.0, TOL))


def _check_layers(layers: Sequence[csr_array], alpha: float) -> None:
    if len(layers) == 0:
        raise InputError("layers: there must be at least one graph")
    shapes = sorted({layer.shape for layer in layers})
    if len(shapes) > 1:
        raise InputError(f"layers: all graphs must have the same points, but shapes are {shapes}")
    if not (0 <= alpha < np.inf):
        raise InputError("{alpha}: must be finite and not negative", alpha=alpha)


def _scaled(layer: csr_array) -> csr_array:
    """The graph in float64 with largest weight 1, its entries in order."""
    graph = layer.astype(np.float64)
    graph.sum_duplicates()
    if graph.nnz:
        graph.data /= max(graph.data.max(), np.finfo(np.float64).tiny)
    graph.eliminate_zeros()
    return graph


def _union(graphs: Sequence[csr_array]) -> csr_array:
    """Every edge that some layer has."""
    union = graphs[0]
    for graph in graphs[1:]:
        union = csr_array(union + graph)
    return union


def _eigenvectors(graph: csr_array, embedding: Embedding) -> NDArray[np.float64]:
    """The leading eigenvectors themselves, from rows that were scaled to unit length."""
    assert embedding.lengths is not None
    lengths = embedding.lengths * np.sqrt(graph.sum(axis=1))
    vectors: NDArray[np.float64] = embedding.vectors * lengths[:, None]
    return vectors


@contextmanager
def _merged_product(
    graphs: Sequence[csr_array], spaces: NDArray[np.float64], alpha: float, n_threads: int
) -> Iterator[Product]:
    """Product with (sum_i S_i + alpha sum_i U_i U_i') / ((1 + alpha) n_layers), all U_i side by side."""
    scale = (1.0 + alpha) * len(graphs)
    with ExitStack() as stack:
        products = [
            stack.enter_context(normalised_product(graph, np.sqrt(graph.sum(axis=1)), n_threads))
            for graph in graphs
        ]

        def product(block: NDArray[np.float64]) -> NDArray[np.float64]:
            total = alpha * (spaces @ (spaces.T @ block))
            for layer in products:
                total += layer(block)
            return total / scale

        yield product


def _unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of unit length; one that no leading eigenvector reaches stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float64] = vectors / np.where(norms > 0.0, norms, 1.0)
    return unit
