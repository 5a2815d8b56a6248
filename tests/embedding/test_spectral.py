import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array, diags_array, random_array
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from subspan.embedding import spectral_embedding
from subspan.handover import InputError
from subspan.labeling import label_embedding


def random_block(rng, size, density=0.2):
    """A connected random graph: a ring, so that it is connected, and random edges."""
    edges = random_array((size, size), density=density, random_state=rng)
    ring = diags_array([np.full(size - 1, 0.5)], offsets=[1])
    return csr_array(edges + edges.T + ring + ring.T)


def without_loops(graph):
    graph = csr_array(graph)
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph


def block_graph(sizes, seed=0, shuffle=True):
    """Blocks without links between them, vertices in random order, and the block of each vertex."""
    rng = np.random.default_rng(seed)
    graph = without_loops(block_diag([random_block(rng, size) for size in sizes]))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    order = rng.permutation(len(truth)) if shuffle else np.arange(len(truth))
    return csr_array(graph[order][:, order]), truth[order]


def linked_blocks(weight, seed=0, n_blocks=10, size=70):
    """Blocks in a ring of single links of the given weight, relative to edges of order one."""
    graph, _ = block_graph([size] * n_blocks, seed, shuffle=False)
    dense = graph.toarray()
    rng = np.random.default_rng(seed)
    for block in range(n_blocks):
        for _ in range(3):
            row = block * size + rng.integers(size)
            column = (block + 1) % n_blocks * size + rng.integers(size)
            dense[row, column] = dense[column, row] = weight
    return csr_array(dense)


def dense_truth(graph):
    """All eigenvalues and eigenvectors of the normalised graph, largest first."""
    degrees = graph.sum(axis=1)
    values, vectors = eigh(graph.toarray() / np.sqrt(np.outer(degrees, degrees)))
    return values[::-1], vectors[:, ::-1]


def assert_same_space(embedding, vectors):
    """Inner products of unit rows do not depend on the basis of the eigenspace."""
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(embedding.vectors @ embedding.vectors.T, rows @ rows.T, atol=1e-3)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_clusters", [2, 5, 10, 20, 50])
def test_orthogonal_components_are_the_clusters(n_clusters, seed):
    sizes = np.random.default_rng(seed).integers(5, 30, size=n_clusters)
    graph, truth = block_graph(sizes, seed)
    embedding = spectral_embedding(graph, n_clusters, seed=seed)
    assert embedding.certificate.converged
    assert embedding.certificate.residual < 1e-12
    assert embedding.certificate.probe_excess < 0
    assert np.all(embedding.eigenvalues[:n_clusters] == 1.0)
    assert np.all(embedding.eigenvalues[n_clusters:] < 1.0 - 1e-4)
    assert embedding.embedded.all()
    np.testing.assert_allclose(embedding.vectors @ embedding.vectors.T, truth[:, None] == truth, atol=1e-12)
    assert adjusted_rand_score(truth, label_embedding(embedding.vectors, n_clusters)) == 1.0


def test_rows_times_their_lengths_are_eigenvectors_of_the_random_walk():
    graph = csr_array(block_diag([linked_blocks(1e-2, n_blocks=3), linked_blocks(1e-2, n_blocks=2)]))
    embedding = spectral_embedding(graph, 5, tol=1e-10)
    vectors = embedding.vectors * embedding.lengths[:, None]
    walk = graph.toarray() / graph.sum(axis=1)[:, None]
    np.testing.assert_allclose(walk @ vectors, vectors * embedding.eigenvalues[:5], atol=1e-8)


@pytest.mark.parametrize("weight", [0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("seed", range(2))
def test_near_components_against_dense(weight, seed):
    graph = linked_blocks(weight, seed)
    values, vectors = dense_truth(graph)
    embedding = spectral_embedding(graph, 10, seed=seed)
    assert embedding.certificate.converged
    assert embedding.certificate.residual <= 1e-6
    assert embedding.certificate.probe_excess <= 1e-4
    np.testing.assert_allclose(embedding.eigenvalues[:10], values[:10], atol=1e-6)
    assert_same_space(embedding, vectors[:, :10])
    labels = label_embedding(embedding.vectors, 10)
    assert adjusted_rand_score(np.repeat(np.arange(10), 70), labels) == 1.0


def test_fewer_components_than_clusters():
    first, second = linked_blocks(1e-3, 0, n_blocks=4, size=90), linked_blocks(1e-2, 1, n_blocks=3, size=90)
    graph = csr_array(block_diag([first, second]))
    values, vectors = dense_truth(graph)
    embedding = spectral_embedding(graph, 7)
    np.testing.assert_allclose(embedding.eigenvalues[:7], values[:7], atol=1e-6)
    assert embedding.eigenvalues[:2].tolist() == [1.0, 1.0]
    assert_same_space(embedding, vectors[:, :7])
    labels = label_embedding(embedding.vectors, 7)
    assert adjusted_rand_score(np.repeat(np.arange(7), 90), labels) == 1.0


def test_more_components_than_clusters():
    graph, truth = block_graph([40, 30, 20, 10, 5], seed=3)
    embedding = spectral_embedding(graph, 3)
    assert np.array_equal(embedding.components, truth)
    assert np.array_equal(embedding.embedded, truth < 3)
    assert embedding.vectors.shape == (105, 3)
    assert np.all(embedding.vectors[truth >= 3] == 0)
    np.testing.assert_allclose(np.linalg.norm(embedding.vectors[truth < 3], axis=1), 1.0)
    labels = label_embedding(embedding.vectors[embedding.embedded], 3)
    assert adjusted_rand_score(truth[truth < 3], labels) == 1.0


@pytest.mark.parametrize("size", [60, 400])
def test_isolated_points_change_nothing_for_the_others(size):
    graph, _ = block_graph([size, size])
    n_points = 2 * size + 7
    places = np.sort(np.random.default_rng(1).permutation(n_points)[: 2 * size])
    wide = graph.tocoo()
    scattered = csr_array((wide.data, (places[wide.row], places[wide.col])), shape=(n_points, n_points))
    alone, among = spectral_embedding(graph, 4), spectral_embedding(scattered, 4)
    assert np.array_equal(among.vectors[places], alone.vectors)
    assert np.array_equal(np.flatnonzero(among.embedded), places)
    assert np.all(among.vectors[~among.embedded] == 0)
    assert np.all(among.components[~among.embedded] == -1)


def test_path_graph_has_the_cosines_as_eigenvectors():
    # Its eigenvalues are cosines too, with gaps of 5e-8 at the top.
    ones = np.ones(9999)
    path = csr_array(diags_array([ones, ones], offsets=[-1, 1]))
    embedding = spectral_embedding(path, 3)
    assert embedding.certificate.converged
    np.testing.assert_allclose(embedding.eigenvalues[:3], np.cos(np.pi * np.arange(3) / 9999), atol=1e-12)
    waves = np.cos(np.pi * np.outer(np.arange(10_000), np.arange(3)) / 9999) * [1, 2**0.5, 2**0.5]
    np.testing.assert_allclose(
        np.abs(embedding.vectors), np.abs(waves / np.linalg.norm(waves, axis=1, keepdims=True)), atol=1e-3
    )


def test_long_band_stops_at_the_cap_and_says_so():
    # Too wide for a factor: the search has products only.
    band = csr_array(diags_array([np.ones(3000 - i) for i in range(1, 60)], offsets=range(1, 60)))
    embedding = spectral_embedding(csr_array(band + band.T), 2, max_products=30)
    assert not embedding.certificate.converged
    assert "after 30 products" in embedding.certificate.doubt
    assert embedding.certificate.residual > 1e-6
    np.testing.assert_allclose(np.linalg.norm(embedding.vectors, axis=1), 1.0)


def hypercube(dimension):
    count = 2**dimension
    rows = np.repeat(np.arange(count), dimension)
    columns = rows ^ np.tile(1 << np.arange(dimension), count)
    return csr_array((np.ones(rows.size), (rows, columns)), shape=(count, count))


@pytest.mark.parametrize("n_components", [4, 11, 12])
def test_repeated_eigenvalues_inside_one_component(n_components):
    # Eigenvalues 1 - j/5 with multiplicities 1, 10, 45, ...; the graph is bipartite, so -1 is one too.
    embedding = spectral_embedding(hypercube(10), 4, n_components=n_components)
    expected = np.repeat([1.0, 0.8, 0.6], [1, 10, 45])
    # Four of eleven equal ones are eigenvectors like any other four.
    assert embedding.certificate.converged == embedding.certificate.told_apart == (n_components == 11)
    assert embedding.certificate.n_products < 500
    np.testing.assert_allclose(embedding.eigenvalues[:n_components], expected[:n_components], atol=1e-6)


@pytest.mark.parametrize("size", [50, 700])
def test_complete_graph(size):
    graph = without_loops(np.ones((size, size)))
    embedding = spectral_embedding(graph, 3)
    assert "do not tell them apart" in embedding.certificate.doubt
    np.testing.assert_allclose(embedding.eigenvalues[:3], [1.0, -1 / (size - 1), -1 / (size - 1)], atol=1e-9)


def test_same_bits_for_any_number_of_threads():
    graph = without_loops(random_block(np.random.default_rng(0), 3000, density=0.003))
    one = spectral_embedding(graph, 4, n_components="auto")
    with threadpool_limits(2):
        two = spectral_embedding(graph, 4, n_components="auto", n_threads=2)
    assert np.array_equal(one.vectors, two.vectors)
    assert np.array_equal(one.eigenvalues, two.eigenvalues)
    assert one.certificate == two.certificate


@pytest.mark.parametrize("size", [50, 90])
def test_auto_keeps_the_vectors_before_the_largest_gap(size):
    graph = linked_blocks(1e-2, n_blocks=8, size=size)
    values, vectors = dense_truth(graph)
    embedding = spectral_embedding(graph, 6, n_components="auto")
    assert embedding.vectors.shape[1] == 8
    assert embedding.certificate.converged
    np.testing.assert_allclose(embedding.eigenvalues[:8], values[:8], atol=1e-6)
    assert embedding.eigenvalues.size >= 13
    assert np.all(np.diff(embedding.eigenvalues) <= 0)
    assert_same_space(embedding, vectors[:, :8])


def test_auto_at_the_cap():
    graph = linked_blocks(1e-2, n_blocks=8, size=90)
    embedding = spectral_embedding(graph, 6, n_components="auto", max_products=12)
    assert not embedding.certificate.converged
    assert embedding.certificate.n_products <= 12


def test_never_fewer_vectors_than_components():
    graph, _ = block_graph([20, 20, 20])
    assert spectral_embedding(graph, 3, n_components=1).vectors.shape[1] == 3
    assert spectral_embedding(graph, 2, n_components=1).vectors.shape[1] == 2


def test_signs_are_fixed_by_the_largest_entry():
    graph = linked_blocks(1e-2, n_blocks=2, size=20)
    _, vectors = dense_truth(graph)
    embedding = spectral_embedding(graph, 2)
    flipped = vectors[:, :2] * np.sign(vectors[np.abs(vectors[:, :2]).argmax(axis=0), [0, 1]])
    rows = flipped / np.linalg.norm(flipped, axis=1, keepdims=True)
    np.testing.assert_allclose(embedding.vectors, rows, atol=1e-9)


def test_scale_of_the_weights_does_not_matter():
    graph = linked_blocks(1e-3, n_blocks=3, size=30)
    plain = spectral_embedding(graph, 3)
    for factor in (2.0**-1000, 2.0**1000):
        assert np.array_equal(spectral_embedding(csr_array(graph * factor), 3).vectors, plain.vectors)


def test_single_precision_graph():
    graph = linked_blocks(1e-3)
    single = spectral_embedding(csr_array(graph, dtype=np.float32), 10)
    assert single.vectors.dtype == np.float64
    double = spectral_embedding(graph, 10)
    np.testing.assert_allclose(single.eigenvalues[:10], double.eigenvalues[:10], atol=1e-6)
    np.testing.assert_allclose(
        single.vectors @ single.vectors.T, double.vectors @ double.vectors.T, atol=1e-3
    )


@pytest.mark.parametrize("n_clusters", [1, 6, 12])
def test_pairs_up_to_one_point_per_cluster(n_clusters):
    graph = csr_array(np.kron(np.eye(6), [[0.0, 1.0], [1.0, 0.0]]))
    embedding = spectral_embedding(graph, n_clusters)
    assert embedding.embedded.sum() == min(12, 2 * n_clusters)
    labels = label_embedding(embedding.vectors[embedding.embedded], n_clusters)
    assert np.unique(labels).size == n_clusters
    if n_clusters == 6:
        assert np.array_equal(labels[::2], labels[1::2])


def test_graph_is_not_written_to():
    graph = linked_blocks(1e-3, n_blocks=2, size=20)
    before = graph.copy()
    spectral_embedding(graph, 2)
    assert np.array_equal(before.toarray(), graph.toarray())


@pytest.mark.parametrize("graph", [csr_array((4, 4)), csr_array((np.zeros(1), ([0], [1])), shape=(2, 2))])
def test_graph_without_edges_is_refused(graph):
    with pytest.raises(InputError, match="all weights are zero"):
        spectral_embedding(graph, 1)


def test_too_many_clusters_or_components_are_refused():
    graph = csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    with pytest.raises(InputError, match="n_clusters=3, but the graph links only 2 points"):
        spectral_embedding(graph, 3)
    with pytest.raises(InputError, match="n_components=3: must be between 1 and 2"):
        spectral_embedding(graph, 2, n_components=3)
    with pytest.raises(InputError, match="n_components=0"):
        spectral_embedding(graph, 2, n_components=0)
    with pytest.raises(InputError, match="n_clusters=0"):
        spectral_embedding(graph, 0)
