"""Connectivity against dense eigenvalues and against graphs whose spectrum is known."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from scipy import sparse

from subspan.handover import InputError
from subspan.metrics import connectivity

# The function hides the module of the same name.
module = importlib.import_module("subspan.metrics.connectivity")

CONTAINERS = [np.asarray, sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix]


def path(n_points: int) -> np.ndarray:
    return np.eye(n_points, k=1) + np.eye(n_points, k=-1)


def cycle(n_points: int) -> np.ndarray:
    ring = path(n_points)
    ring[0, -1] = ring[-1, 0] = 1.0
    return ring


def star(n_points: int) -> np.ndarray:
    hub = np.zeros((n_points, n_points))
    hub[0, 1:] = hub[1:, 0] = 1.0
    return hub


def random_graph(n_points: int, density: float, seed: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    half = sparse.random_array((n_points, n_points), density=density, random_state=rng)
    ring = sparse.csr_array(cycle(n_points)) * 0.1
    return sparse.csr_array(half + half.T + ring)


def second_smallest_eigenvalue(weights: np.ndarray) -> float:
    """The paper's definition with NumPy's dense solver."""
    scale = 1.0 / np.sqrt(weights.sum(axis=1))
    laplacian = np.eye(len(weights)) - scale[:, None] * weights * scale
    return float(np.linalg.eigh(laplacian).eigenvalues[1])


@pytest.mark.parametrize("n_points", [2, 3, 7, 50])
@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (lambda n: np.ones((n, n)) - np.eye(n), lambda n: n / (n - 1)),
        (path, lambda n: 1 - np.cos(np.pi / (n - 1))),
        (lambda n: cycle(n) if n > 2 else path(n), lambda n: 1 - np.cos(2 * np.pi / n)),
        (star, lambda n: 1.0 if n > 2 else 2.0),
        # With a loop at every point the complete graph's operator has rank one.
        (lambda n: np.ones((n, n)), lambda n: 1.0),  # noqa: ARG005
    ],
    ids=["complete", "path", "cycle", "star", "complete with loops"],
)
def test_closed_forms(graph, expected, n_points):
    result = connectivity(graph(n_points), np.zeros(n_points))
    assert result.per_class == pytest.approx([expected(n_points)], abs=1e-12)


@pytest.mark.parametrize("container", CONTAINERS)
def test_equals_dense_eigenvalues_class_by_class(container):
    graph = random_graph(120, 0.15, seed=3).toarray()
    labels = np.random.default_rng(3).choice(["left", "middle", "right"], size=120)
    result = connectivity(container(graph), labels)
    expected = [
        second_smallest_eigenvalue(graph[np.ix_(labels == c, labels == c)]) for c in np.unique(labels)
    ]
    assert result.classes.tolist() == ["left", "middle", "right"]
    assert result.per_class == pytest.approx(expected, abs=1e-12)
    assert result.minimum == pytest.approx(min(expected))
    assert result.mean == pytest.approx(np.mean(expected))


def chain_of_blobs(link: float) -> sparse.csr_array:
    """Ten dense blobs whose leading eigenvalues crowd together as the links between them fade."""
    blobs = sparse.block_diag([random_graph(30, 0.3, seed) for seed in range(10)], format="csr")
    return sparse.csr_array(blobs + link * sparse.csr_array(cycle(300)))


@pytest.mark.parametrize(
    "graph",
    [
        random_graph(250, 0.02, seed=0),
        random_graph(250, 0.2, seed=1),
        sparse.csr_array(path(300)),
        sparse.csr_array(np.ones((200, 200)) - np.eye(200)),
        *(chain_of_blobs(link) for link in (1.0, 1e-2, 1e-4, 1e-6)),
    ],
    ids=["sparse", "denser", "path", "complete", "blobs", "blobs-2", "blobs-4", "blobs-6"],
)
def test_sparse_solver_equals_dense_eigenvalues(graph, monkeypatch):
    # Only the sparse solver may answer here.
    monkeypatch.setattr(module, "eigh", None)
    result = module._algebraic_connectivity(graph, dense_size=100)
    assert result == pytest.approx(second_smallest_eigenvalue(graph.toarray()), abs=1e-9)


def test_dense_solver_takes_over_when_the_sparse_one_does_not_converge():
    result = module._algebraic_connectivity(sparse.csr_array(path(400)), dense_size=100, max_restarts=1)
    assert result == pytest.approx(1 - np.cos(np.pi / 399), abs=1e-12)


def test_falling_apart_is_exactly_zero():
    two_parts = np.kron(np.eye(2), np.ones((5, 5)))
    assert connectivity(two_parts, np.zeros(10)).per_class.tolist() == [0.0]
    isolated = np.ones((4, 4))
    isolated[3, :] = isolated[:, 3] = 0.0
    assert connectivity(isolated, np.zeros(4)).minimum == 0.0
    only_a_loop = isolated.copy()
    only_a_loop[3, 3] = 1.0
    assert connectivity(only_a_loop, np.zeros(4)).minimum == 0.0
    linked_to_the_other_class_only = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=float)
    assert connectivity(linked_to_the_other_class_only, [0, 1, 1]).per_class.tolist() == [0.0, 0.0]


def test_a_single_point_and_an_empty_graph_are_zero():
    assert connectivity(np.ones((1, 1)), ["only"]).per_class.tolist() == [0.0]
    assert connectivity(sparse.csr_array((4, 4)), [0, 0, 1, 1]).per_class.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("factor", [2.0**-300, 1e-3, 1e12])
def test_a_common_factor_changes_nothing(factor):
    graph = random_graph(60, 0.2, seed=5)
    scaled = connectivity(graph * factor, np.arange(60) % 2).per_class
    assert scaled == pytest.approx(connectivity(graph, np.arange(60) % 2).per_class, rel=1e-12)


def test_the_argument_is_left_alone():
    graph = random_graph(20, 0.3, seed=8)
    graph.data[3] = 0.0
    before = graph.copy()
    with pytest.raises(InputError, match="not symmetric"):
        connectivity(graph, np.zeros(20))
    assert np.array_equal(graph.data, before.data)
    assert graph.nnz == before.nnz


def wrong_at(row: int, column: int, value: float) -> np.ndarray:
    weights = np.ones((4, 4))
    weights[row, column] = value
    return weights


@pytest.mark.parametrize(
    ("affinity", "message"),
    [
        (np.ones((2, 3)), r"affinity must be a square matrix, got shape \(2, 3\)"),
        (np.ones((3, 3)), "affinity has 3 rows, but labels_true has 4 labels"),
        (np.full((4, 4), "x"), "affinity must hold real numbers"),
        (wrong_at(1, 3, np.inf), "affinity holds NaN or infinity, first at row 1, column 3"),
        (wrong_at(2, 0, -0.5), "affinity has a negative entry at row 2, column 0"),
        (sparse.csr_array(wrong_at(2, 1, -0.5)), "affinity has a negative entry at row 2, column 1"),
        (wrong_at(3, 1, 0.5), "affinity is not symmetric: rows (1 and 3|3 and 1) disagree"),
    ],
)
def test_bad_input(affinity, message):
    with pytest.raises(InputError, match=message):
        connectivity(affinity, ["p", "q", "p", "q"])


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_negative_entry_is_named(container):
    graph = path(4)
    graph[2, 1] = -1.0
    with pytest.raises(InputError, match="negative entry at row 2, column 1"):
        connectivity(container(graph), np.zeros(4))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_asymmetry_is_relative_to_the_largest_edge(scale):
    graph = path(4)
    graph[1, 2] += 1e-7
    assert connectivity(scale * graph, np.zeros(4)).per_class[0] > 0
    graph[1, 2] += 1e-5
    with pytest.raises(InputError, match="not symmetric: rows 1 and 2"):
        connectivity(scale * graph, np.zeros(4))
