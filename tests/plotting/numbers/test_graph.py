from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from subspan.affinity import ImplicitAffinity
from subspan.handover import Factors, InputError
from subspan.plotting.numbers import cluster_connectivity, ordered_affinity, representatives
from subspan.plotting.numbers.graph import ROWS_AT_ONCE

N_POINTS = 90


class OnlyToCsr:
    """The least that an affinity has to offer."""

    def __init__(self, matrix):
        self.matrix, self.shape = matrix, matrix.shape

    def tocsr(self):
        return csr_array(self.matrix)


def random_graph(n_points=N_POINTS, density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_points, n_points)) * (rng.random((n_points, n_points)) < density), 1)
    return upper + upper.T


def random_labels(n_points=N_POINTS, seed=1):
    return np.random.default_rng(seed).choice([7, -1, 2, 5], n_points, p=[0.5, 0.1, 0.3, 0.1])


FORMS = {
    "dense": lambda graph: graph,
    "float32": lambda graph: graph.astype(np.float32),
    "csr": csr_array,
    "coo": coo_array,
    "only tocsr": OnlyToCsr,
    "implicit": lambda graph: ImplicitAffinity(csr_array(graph)),
}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request):
    return request.param


def brute_grid(graph, labels, edges):
    """Cell means of the graph, permuted as a whole."""
    names = [*sorted(set(labels.tolist()) - {-1}), -1]
    order = [row for name in names for row in np.flatnonzero(labels == name)]
    ordered = graph[np.ix_(order, order)]
    cells = [slice(a, b) for a, b in pairwise(edges)]
    return np.array([[ordered[rows, columns].mean() for columns in cells] for rows in cells])


@pytest.mark.parametrize("max_cells", [7, 40, 400])
def test_ordered_affinity_equals_the_permuted_matrix(form, max_cells):
    graph, labels = random_graph(), random_labels()
    found = ordered_affinity(form(graph), labels, max_cells)
    assert found.clusters.tolist() == [2, 5, 7, -1]
    assert found.grid.shape == (min(max_cells, N_POINTS),) * 2
    assert found.edges[-1] == found.boundaries[-1] == N_POINTS
    np.testing.assert_allclose(found.grid, brute_grid(graph, labels, found.edges), rtol=1e-5)


def test_weights_between_clusters(form):
    graph, labels = random_graph(), random_labels()
    found = ordered_affinity(form(graph), labels)
    names = found.clusters.tolist()
    expected = [[graph[np.ix_(labels == a, labels == b)].sum() for b in names] for a in names]
    np.testing.assert_allclose(found.weights, expected, rtol=1e-5)
    inside = [expected[i][i] / sum(expected[i]) for i in range(len(names))]
    np.testing.assert_allclose(found.inside, inside, rtol=1e-5)
    same = labels[:, None] == labels
    assert found.inside_total == pytest.approx(graph[same].sum() / graph.sum(), rel=1e-5)


def test_a_cluster_without_edges_has_no_share():
    found = ordered_affinity(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), [0, 0, 1])
    assert found.inside[0] == 1
    assert np.isnan(found.inside[1])


def test_more_points_than_are_read_at_once():
    n_points = 2 * ROWS_AT_ONCE + 100
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, n_points, (2, 9000))
    half = csr_array((rng.random(9000), pairs), shape=(n_points, n_points))
    graph = csr_array(half + half.T)
    labels = rng.integers(0, 30, n_points)
    found = ordered_affinity(graph, labels)
    assert found.grid.shape == (400, 400)
    cells = np.diff(found.edges)
    assert (found.grid * np.outer(cells, cells)).sum() == pytest.approx(graph.sum())
    assert set(cells) <= {5, 6}
    expected = brute_grid(graph.toarray(), labels, found.edges)
    np.testing.assert_allclose(found.grid, expected, atol=1e-12)


@pytest.mark.parametrize("kept_as", [np.asarray, csr_array])
def test_factors_are_their_whole_product(kept_as):
    rng = np.random.default_rng(0)
    thin = rng.random((N_POINTS, 6))
    labels = random_labels()
    factors = Factors(kept_as(thin), kept_as(thin), np.arange(N_POINTS))
    whole = thin @ thin.T
    of_factors, of_whole = ordered_affinity(factors, labels, 13), ordered_affinity(whole, labels, 13)
    np.testing.assert_allclose(of_factors.grid, of_whole.grid)
    np.testing.assert_allclose(of_factors.weights, of_whole.weights)
    np.testing.assert_allclose(
        cluster_connectivity(factors, labels).values, cluster_connectivity(whole, labels).values, atol=1e-9
    )
    chosen = representatives(factors, labels).rows
    assert [rows.tolist() for rows in chosen] == [
        rows.tolist() for rows in representatives(whole, labels).rows
    ]


def second_eigenvalue(graph):
    scale = 1 / np.sqrt(graph.sum(axis=1))
    return np.linalg.eigvalsh(np.eye(len(graph)) - scale[:, None] * graph * scale)[1]


def test_connectivity_of_the_clusters_found(form):
    graph, labels = random_graph(density=0.6), random_labels()
    found = cluster_connectivity(form(graph), labels)
    assert found.clusters.tolist() == [2, 5, 7]
    assert found.sizes.tolist() == [(labels == name).sum() for name in (2, 5, 7)]
    expected = [second_eigenvalue(graph[np.ix_(labels == name, labels == name)]) for name in (2, 5, 7)]
    np.testing.assert_allclose(found.values, expected, rtol=1e-4)


@pytest.mark.parametrize("n_columns", [1, 3, 50])
def test_connectivity_of_factors_narrow_and_wide(n_columns):
    thin = np.random.default_rng(0).random((12, n_columns))
    found = cluster_connectivity(Factors(thin, thin, np.arange(12)), np.zeros(12))
    assert found.values[0] == pytest.approx(second_eigenvalue(thin @ thin.T), abs=1e-9)


def test_connectivity_of_single_points_and_of_unequal_factors():
    thin = np.ones((3, 2))
    assert cluster_connectivity(Factors(thin, thin, np.arange(3)), [0, 1, 1]).values.tolist() == [0, 1]
    with pytest.raises(InputError, match="the two factors of a symmetric graph must be equal"):
        cluster_connectivity(Factors(thin, 2 * thin, np.arange(3)), [0, 1, 1])


def test_representatives_have_the_largest_weight_inside(form):
    graph, labels = random_graph(), random_labels()
    found = representatives(form(graph), labels, 4)
    assert found.clusters.tolist() == [2, 5, 7]
    for name, rows, weights in zip(found.clusters, found.rows, found.weights, strict=True):
        members = np.flatnonzero(labels == name)
        inside = {row: graph[row, members].sum() for row in members}
        expected = sorted(inside, key=lambda row: -inside[row])[:4]
        assert rows.tolist() == expected
        np.testing.assert_allclose(weights, [inside[row] for row in expected], rtol=1e-5)


@pytest.mark.parametrize("function", [ordered_affinity, cluster_connectivity, representatives])
@pytest.mark.parametrize(
    ("affinity", "labels", "sentence"),
    [
        (np.ones((3, 2)), [0, 1, 1], r"affinity must be a square matrix, got shape \(3, 2\)"),
        (np.ones((3, 3)), [0, 1], "affinity has 3 rows, but labels has 2 labels"),
        (csr_array((3, 3)), [0, 1, 1], "affinity has no edge"),
        (np.diag([1.0, np.nan], 1), [0, 1, 1], "affinity holds NaN or infinity, first at row 1, column 2"),
        ("graph", [0], "affinity must be a square matrix"),
        (Factors(np.ones((3, 1)), np.ones((3, 1)), np.arange(3)), [0, 1], "affinity has 3 rows, but labels"),
    ],
)
def test_wrong_graphs_are_refused(function, affinity, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        function(affinity, labels)


def test_no_representatives_are_refused():
    with pytest.raises(InputError, match="n_shown=0: must be at least 1"):
        representatives(np.ones((3, 3)), [0, 0, 1], 0)
