"""Systems with the shifted graph against NumPy's dense solver, and the estimate of their cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, random_array

from subspan.embedding.operator import SHIFT, inverse_if_cheap, most_work


def ring(size: int, reach: int) -> csr_array:
    """Every vertex linked to the `reach` next ones on either side."""
    rng = np.random.default_rng(size)
    offsets = range(1, reach + 1)
    band = diags_array([rng.uniform(0.5, 1, size - i) for i in offsets], offsets=offsets)
    return csr_array(band + band.T)


@pytest.mark.parametrize("reach", [1, 4])
def test_as_a_dense_solver(reach):
    graph = ring(50, reach)
    roots = np.sqrt(graph.sum(axis=1))
    matrix = (1 + SHIFT) * np.eye(50) - graph.toarray() / np.outer(roots, roots)
    block = np.random.default_rng(0).standard_normal((50, 3))
    times_inverse = inverse_if_cheap(graph, roots, n_columns=40)
    np.testing.assert_allclose(matrix @ times_inverse(block), block, atol=1e-8)


def test_a_graph_without_structure_has_no_cheap_factor():
    tangled = random_array((400, 400), density=0.05, random_state=np.random.default_rng(0))
    graph = csr_array(tangled + tangled.T + ring(400, 1))
    assert inverse_if_cheap(graph, np.sqrt(graph.sum(axis=1)), n_columns=64) is None


@pytest.mark.parametrize("reach", [1, 3, 10])
def test_the_estimate_of_a_band_is_its_profile(reach):
    shuffled = np.random.default_rng(0).permutation(200)
    graph = csr_array(ring(200, reach)[shuffled][:, shuffled])
    # The order of vertices does not matter: a band is found again, or nearly.
    assert 190 * reach**2 <= most_work(graph) <= 200 * (2 * reach) ** 2


def test_the_estimate_is_never_below_what_the_factor_needs():
    rng = np.random.default_rng(1)
    graph = csr_array(random_array((60, 60), density=0.05, random_state=rng))
    graph = csr_array(graph + graph.T + ring(60, 1))
    assert most_work(graph) >= graph.nnz / 2
