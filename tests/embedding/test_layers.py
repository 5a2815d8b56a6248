"""Merged layers against the dense eigenproblem, and one layer against its own embedding."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array, random_array
from sklearn.metrics import adjusted_rand_score

from subspan.embedding import spectral_embedding
from subspan.embedding.layers import merged_embedding
from subspan.handover import InputError
from subspan.labeling import label_embedding


def linked_blocks(seed, n_blocks=5, size=40, noise=0.02):
    """Dense blocks under a sparse random graph, so that all are linked."""
    rng = np.random.default_rng(seed)
    blocks = block_diag([random_array((size, size), density=0.2, random_state=rng) for _ in range(n_blocks)])
    links = random_array(blocks.shape, density=noise, random_state=rng)
    graph = csr_array(blocks + 0.3 * links)
    graph.setdiag(0)
    graph.eliminate_zeros()
    return csr_array(graph + graph.T)


def normalised(graph):
    degrees = graph.sum(axis=1)
    roots = np.sqrt(np.where(degrees > 0, degrees, 1))
    return graph.toarray() / np.outer(roots, roots)


def dense_merge(graphs, n_components, alpha):
    """Smallest eigenvalues and eigenvectors of the modified Laplacian."""
    modified = np.zeros(graphs[0].shape)
    for graph in graphs:
        operator = normalised(graph)
        leading = eigh(operator)[1][:, -n_components:]
        modified += np.eye(len(operator)) - operator - alpha * leading @ leading.T
    return eigh(modified)


def row_products(vectors):
    """Inner products of unit rows do not depend on the basis of the eigenspace."""
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return rows @ rows.T


@pytest.mark.parametrize("alpha", [0.0, 0.5, 100.0])
@pytest.mark.parametrize("size", [40, 150])
def test_against_the_dense_eigenproblem(alpha, size):
    graphs = [linked_blocks(seed, size=size) for seed in range(3)]
    embedding = merged_embedding(graphs, 5, alpha=alpha)
    values, vectors = dense_merge(graphs, 5, alpha)
    assert embedding.certificate.converged
    np.testing.assert_allclose(row_products(embedding.vectors), row_products(vectors[:, :5]), atol=1e-3)
    # sum_i L_i - alpha sum_i U_i U_i' = 3 I - 3 (1 + alpha) M with M the operator that is searched.
    np.testing.assert_allclose(embedding.eigenvalues[:5], (3 - values[:5]) / 3 / (1 + alpha), atol=1e-6)
    assert embedding.eigenvalues[:5] == pytest.approx(np.sort(embedding.eigenvalues[:5])[::-1])


@pytest.mark.parametrize("n_components", [None, 7, "auto"])
def test_one_layer_is_its_own_embedding(n_components):
    graph = linked_blocks(0)
    merged = merged_embedding([graph], 5, n_components=n_components, alpha=3.0, seed=2)
    single = spectral_embedding(graph, 5, n_components=n_components, seed=2)
    assert np.array_equal(merged.vectors, single.vectors)
    assert np.array_equal(label_embedding(merged.vectors, 5), label_embedding(single.vectors, 5))


@pytest.mark.parametrize("size", [40, 150])
def test_copies_of_one_layer_give_its_subspace_and_labels(size):
    graph = linked_blocks(0, size=size)
    merged = merged_embedding([graph, 5.0 * graph, graph], 5, alpha=0.5)
    single = spectral_embedding(graph, 5)
    np.testing.assert_allclose(row_products(merged.vectors), row_products(single.vectors), atol=1e-4)
    np.testing.assert_allclose(merged.eigenvalues[:5], (single.eigenvalues[:5] + 0.5) / 1.5, atol=1e-6)
    labels = [label_embedding(embedding.vectors, 5) for embedding in (merged, single)]
    assert adjusted_rand_score(*labels) == 1.0


def test_layers_together_know_more_than_each_alone():
    truth = np.repeat(np.arange(4), 30)
    first, second = np.isin(truth, [0, 1]), np.isin(truth, [0, 2])
    # Each layer tells two pairs of blocks apart, and both together all four.
    graphs = [csr_array((side[:, None] == side).astype(float) - np.eye(120)) for side in (first, second)]
    embedding = merged_embedding(graphs, 4)
    assert adjusted_rand_score(truth, label_embedding(embedding.vectors, 4)) == 1.0


def test_isolated_points_and_surplus_components():
    graph = linked_blocks(1).tolil()
    # Point 3 has no edge anywhere, point 7 none in the first layer; 10 and 11 are linked to each other only.
    other = linked_blocks(2).tolil()
    for layer in (graph, other):
        for point in (3, 10, 11):
            layer[point, :] = 0
            layer[:, point] = 0
    graph[7, :] = 0
    graph[:, 7] = 0
    other[10, 11] = other[11, 10] = 1.0
    layers = [csr_array(graph), csr_array(other)]
    for layer in layers:
        layer.eliminate_zeros()
    embedding = merged_embedding(layers, 1)
    assert np.flatnonzero(~embedding.embedded).tolist() == [3, 10, 11]
    assert embedding.components[[3, 7, 10, 11]].tolist() == [-1, 0, 1, 1]
    assert not embedding.vectors[~embedding.embedded].any()
    assert np.allclose(np.linalg.norm(embedding.vectors[embedding.embedded], axis=1), 1)


def test_points_apart_in_some_layer_against_dense():
    graphs = [linked_blocks(seed).tolil() for seed in range(2)]
    graphs[0][17, :] = 0
    graphs[0][:, 17] = 0
    graphs = [csr_array(graph) for graph in graphs]
    graphs[0].eliminate_zeros()
    embedding = merged_embedding(graphs, 5)
    _, vectors = dense_merge(graphs, 5, 0.5)
    assert embedding.embedded.all()
    np.testing.assert_allclose(row_products(embedding.vectors), row_products(vectors[:, :5]), atol=1e-6)


def test_dimension_from_the_merged_spectrum():
    graphs = [linked_blocks(seed, n_blocks=6) for seed in range(2)]
    assert merged_embedding(graphs, 4, n_components="auto").vectors.shape[1] == 6
    assert merged_embedding(graphs, 4, n_components=5).vectors.shape[1] == 5


def test_threads_change_nothing():
    graphs = [linked_blocks(seed, size=300) for seed in range(2)]
    one, two = (merged_embedding(graphs, 5, n_threads=n) for n in (1, 2))
    assert np.array_equal(one.vectors, two.vectors)


@pytest.mark.parametrize(
    ("layers", "options", "sentence"),
    [
        ([], {}, "layers: there must be at least one graph"),
        ([csr_array(np.ones((2, 2))), csr_array(np.ones((3, 3)))], {}, "the same points, but shapes are"),
        ([linked_blocks(0)] * 2, {"alpha": -1.0}, r"alpha=-1.0: must be finite"),
        ([linked_blocks(0)] * 2, {"n_components": 300}, "n_components=300: must be between 1 and 200"),
        ([csr_array((5, 5))] * 2, {}, "n_clusters=3, but the graph links only 0 points"),
        ([linked_blocks(0), csr_array((200, 200))], {}, "all weights are zero"),
    ],
)
def test_bad_input(layers, options, sentence):
    with pytest.raises(InputError, match=sentence):
        merged_embedding(layers, 3, **options)
