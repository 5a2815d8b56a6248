import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from subspan.embedding import operator


def test_equals_the_dense_product_whatever_the_threads():
    # Several tasks, the last one shorter.
    n = 2 * operator.ROWS_PER_TASK + 37
    rng = np.random.default_rng(0)
    half = csr_array(random_array((n, n), density=0.01, random_state=rng))
    graph = csr_array(half + half.T)
    degrees = graph.sum(axis=1)
    dense = graph.toarray() / np.sqrt(np.outer(degrees, degrees))
    block = rng.standard_normal((n, 5))
    results = []
    for n_threads in (1, 2, 3):
        with operator.normalised_product(graph, np.sqrt(degrees), n_threads) as product:
            results.append(product(block))
    np.testing.assert_allclose(results[0], dense @ block, atol=1e-13)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("weight", [1e-300, 1.0, 1e300])
def test_extreme_weights(weight):
    graph = csr_array(np.array([[0.0, weight, 0.0], [weight, 0.0, weight], [0.0, weight, 0.0]]))
    with operator.normalised_product(graph, np.sqrt(graph.sum(axis=1)), 1) as product:
        matrix = product(np.eye(3))
    np.testing.assert_allclose(matrix[1], [0.5**0.5, 0.0, 0.5**0.5], rtol=1e-12)
