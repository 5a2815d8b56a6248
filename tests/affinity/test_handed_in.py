import numpy as np
import pytest
from scipy.sparse import coo_array, coo_matrix, csc_array, csc_matrix, csr_array, csr_matrix

from subspan import SSCOMP
from subspan.affinity import check_coefficients, check_graph
from subspan.handover import InputError

CONTAINERS = [np.asarray, csr_array, csr_matrix, csc_matrix, coo_matrix]
GRAPH = np.array([[9.0, 1.0, 0.0], [1.0, 0.0, 2.5], [0.0, 2.5, 0.0]])


@pytest.mark.parametrize("container", CONTAINERS)
def test_graph_comes_back_without_its_diagonal(container):
    given = container(GRAPH.copy())
    checked = check_graph(given)
    assert isinstance(checked, csr_array)
    np.testing.assert_array_equal(checked.toarray(), GRAPH - np.diag(np.diag(GRAPH)))
    dense = given if isinstance(given, np.ndarray) else given.toarray()
    np.testing.assert_array_equal(dense, GRAPH)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(np.float32, np.float32), (np.float16, np.float64), (int, np.float64), (bool, np.float64)],
)
def test_precision(given, expected):
    assert check_graph(GRAPH.astype(given)).dtype == expected
    assert check_coefficients(GRAPH.astype(given)).dtype == expected


def test_rounding_differences_are_averaged():
    graph = GRAPH.copy()
    graph[0, 1] += 1e-9
    checked = check_graph(graph)
    assert (checked != checked.T).nnz == 0
    assert checked[0, 1] == pytest.approx(1.0 + 5e-10, abs=1e-15)


def test_explicit_zeros_are_dropped():
    graph = csr_array(GRAPH)
    graph.data[graph.data == 1.0] = 0.0
    checked = check_graph(graph)
    assert checked.nnz == 2
    assert checked.has_sorted_indices


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((2, 1), np.nan, r"W: must be finite, but entry \(2, 1\) is nan"),
        ((0, 2), np.inf, r"W: must be finite, but entry \(0, 2\) is inf"),
        ((1, 2), -0.5, r"W: a graph must not be negative, but entry \(1, 2\) is -0.5"),
        ((0, 2), 0.25, r"W: a graph must be symmetric, but entry \(0, 2\) is 0.25 and entry \(2, 0\) is 0$"),
        ((2, 1), 2.6, r"W: a graph must be symmetric, but entry \(1, 2\) is 2.5 and entry \(2, 1\) is 2.6"),
    ],
)
def test_unusable_graph_is_refused_by_entry(container, place, value, message):
    graph = GRAPH.copy()
    graph[place] = value
    with pytest.raises(InputError, match=message):
        check_graph(container(graph), argument="W")


@pytest.mark.parametrize("check", [check_graph, check_coefficients])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 0), (2, 2, 2)])
def test_wrong_shape_is_refused(check, shape):
    with pytest.raises(InputError, match="X: must be a square matrix, but has shape"):
        check(np.ones(shape))


@pytest.mark.parametrize("check", [check_graph, check_coefficients])
@pytest.mark.parametrize("dtype", [complex, object, str])
def test_other_than_real_numbers_is_refused(check, dtype):
    with pytest.raises(InputError, match="X: must hold real numbers"):
        check(np.ones((2, 2)).astype(dtype))


@pytest.mark.parametrize("graph", [np.zeros((3, 3)), np.eye(3)])
def test_graph_without_edges_is_refused(graph):
    with pytest.raises(InputError, match="X: the graph has no edge between two points"):
        check_graph(graph)


@pytest.mark.parametrize("container", CONTAINERS)
def test_coefficients_keep_sign_and_asymmetry(container):
    given = np.array([[7.0, -1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 3.0]])
    expected = [[0.0, -1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    checked = check_coefficients(container(given))
    assert checked.toarray().tolist() == expected
    assert checked.nnz == 2


def test_coefficients_must_be_finite():
    with pytest.raises(InputError, match=r"C: must be finite, but entry \(0, 1\) is -inf"):
        check_coefficients([[0.0, -np.inf], [1.0, 0.0]], argument="C")


@pytest.mark.parametrize("kind", [csr_array, csc_array])
@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indices", 0, 10**6),
        ("indices", 1, -5),
        ("indptr", -1, 10**6),
        ("indptr", 1, 99),
        ("indptr", 0, 3),
        ("indptr", -1, 0),
    ],
)
@pytest.mark.parametrize("check", [check_graph, check_coefficients])
def test_a_damaged_sparse_matrix_is_refused_before_compiled_code_reads_it(check, part, place, value, kind):
    graph = kind(np.ones((4, 4)) - np.eye(4))
    getattr(graph, part)[place] = value
    with pytest.raises(InputError, match="X: the sparse matrix is damaged"):
        check(graph)
    affinity = "precomputed" if check is check_graph else "precomputed_representation"
    with pytest.raises(InputError, match="X: the sparse matrix is damaged"):
        SSCOMP(2, affinity=affinity).fit(graph)


def test_a_damaged_list_of_entries_is_refused():
    graph = coo_array(np.ones((4, 4)) - np.eye(4))
    graph.coords[0][2] = 10**6
    with pytest.raises(InputError, match="X: the sparse matrix is damaged"):
        check_graph(graph)
