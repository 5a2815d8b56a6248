"""Dense graphs in the embedding: against a dense solver, and against the same graph as a sparse one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array

from subspan.embedding import ordered_components, spectral_embedding
from subspan.embedding.operator import normalised_graph
from subspan.handover import InputError


def clustered_graph(sizes: list[int], background: float = 0.1, seed: int = 0) -> np.ndarray:
    """Weights near one inside the blocks and near `background` outside."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.where(truth[:, None] == truth, 1.0, background) * rng.random((len(truth), len(truth)))
    graph = weights + weights.T
    np.fill_diagonal(graph, 0)
    return graph


def dense_truth(graph: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    degrees = graph.sum(axis=1)
    values, vectors = eigh(graph / np.sqrt(np.outer(degrees, degrees)))
    return values[::-1], vectors[:, ::-1]


@pytest.mark.parametrize("size", [30, 200])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equals_a_dense_solver(size, dtype):
    graph = clustered_graph([size, size, size, size]).astype(dtype)
    values, vectors = dense_truth(graph.astype(float))
    embedding = spectral_embedding(graph, 4)
    assert embedding.certificate.converged
    assert embedding.certificate.residual <= 1e-6
    np.testing.assert_allclose(embedding.eigenvalues[:4], values[:4], atol=1e-6)
    rows = vectors[:, :4] / np.linalg.norm(vectors[:, :4], axis=1, keepdims=True)
    np.testing.assert_allclose(embedding.vectors @ embedding.vectors.T, rows @ rows.T, atol=1e-4)


@pytest.mark.parametrize("n_components", [None, 6, "auto"])
def test_equals_the_sparse_way(n_components):
    graph = clustered_graph([250, 200, 220], background=0.3)
    dense = spectral_embedding(graph, 3, n_components=n_components)
    sparse = spectral_embedding(csr_array(graph), 3, n_components=n_components)
    assert dense.vectors.shape == sparse.vectors.shape
    wanted = dense.vectors.shape[1]
    np.testing.assert_allclose(dense.eigenvalues[:wanted], sparse.eigenvalues[:wanted], atol=1e-9)
    np.testing.assert_allclose(dense.vectors @ dense.vectors.T, sparse.vectors @ sparse.vectors.T, atol=1e-3)


def test_components_and_isolated_points():
    blocks = [clustered_graph([size], seed=size) for size in (40, 300, 5, 400)]
    graph = block_diag([np.zeros((1, 1)), *blocks, np.zeros((2, 2))]).toarray()
    order = np.random.default_rng(0).permutation(len(graph))
    graph = graph[order][:, order]
    dense, sparse = spectral_embedding(graph, 3), spectral_embedding(csr_array(graph), 3)
    assert np.array_equal(dense.components, sparse.components)
    assert np.array_equal(dense.embedded, sparse.embedded)
    assert dense.embedded.sum() == 740
    assert dense.certificate.residual < 1e-12
    np.testing.assert_allclose(dense.vectors, sparse.vectors, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_components_of_thin_graphs(seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((60, 60)) < 0.02, 1)
    graph = (upper | upper.T).astype(np.float32)
    assert ordered_components(graph).tolist() == ordered_components(csr_array(graph)).tolist()


def test_same_bits_for_any_number_of_threads():
    graph = clustered_graph([300, 400]).astype(np.float32)
    one, two = (spectral_embedding(graph, 2, n_components="auto", n_threads=n) for n in (1, 2))
    assert np.array_equal(one.vectors, two.vectors)
    assert np.array_equal(one.eigenvalues, two.eigenvalues)
    assert one.certificate == two.certificate


@pytest.mark.parametrize("factor", [2.0**-1060, 2.0**-1000, 2.0**1000])
def test_scale_of_the_weights_does_not_matter(factor):
    graph = np.round(clustered_graph([40, 40]) * 64)
    plain = spectral_embedding(graph, 2)
    np.testing.assert_allclose(spectral_embedding(graph * factor, 2).vectors, plain.vectors, atol=1e-9)


def test_product_of_a_single_precision_graph_is_exact_to_double_precision():
    graph = clustered_graph([400, 300]).astype(np.float32)
    exact = graph.astype(float)
    roots = np.sqrt(exact.sum(axis=1))
    block = np.random.default_rng(1).standard_normal((700, 3))
    with normalised_graph(graph, np.ones(700, bool), 2) as normalised:
        product = normalised.product(block)
    np.testing.assert_allclose(product, exact / np.outer(roots, roots) @ block, atol=1e-14)


def test_graph_without_edges():
    with pytest.raises(InputError, match="all weights are zero"):
        spectral_embedding(np.zeros((5, 5)), 2)
