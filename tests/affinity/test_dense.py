"""The dense graph of factors against the plain formula, and its refusal where it does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.affinity import dense_affinity, symmetric_affinity
from subspan.handover import Factors, InputError


def random_factors(n_points: int, rank: int = 5, dtype: str = "float64", n_copies: int = 0) -> Factors:
    rng = np.random.default_rng(n_points)
    left, right = (rng.standard_normal((n_points, rank)).astype(dtype) for _ in range(2))
    point = np.arange(n_points)
    point[:n_copies] = point[n_copies : 2 * n_copies]
    return Factors(left, right, point)


def coefficients_by_definition(factors: Factors) -> np.ndarray:
    coefficients = factors.left.astype(float) @ factors.right.astype(float).T
    for i, j in np.argwhere(factors.point[:, None] == factors.point):
        coefficients[i, j] = 0
    return coefficients


@pytest.mark.parametrize("n_points", [2, 100, 256, 600])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-13)])
def test_equals_the_plain_formula(n_points, dtype, tolerance):
    factors = random_factors(n_points, dtype=dtype, n_copies=n_points // 4)
    magnitudes = np.abs(coefficients_by_definition(factors))
    graph = dense_affinity(factors)
    assert graph.dtype == dtype
    np.testing.assert_allclose(graph, (magnitudes + magnitudes.T) / 2, atol=tolerance)
    assert np.array_equal(graph, graph.T)
    assert not graph.diagonal().any()


@pytest.mark.parametrize("scale", [None, "max", "l2"])
def test_equals_the_sparse_way(scale):
    factors = random_factors(300, n_copies=20)
    factors.left[7] = 0
    expected = symmetric_affinity(csr_array(coefficients_by_definition(factors)), scale).toarray()
    np.testing.assert_allclose(dense_affinity(factors, scale), expected, rtol=1e-12)


def test_same_bits_for_any_number_of_threads():
    factors = random_factors(700, rank=40, dtype="float32")
    one = dense_affinity(factors, "l2")
    for n_threads in (2, 3):
        assert np.array_equal(dense_affinity(factors, "l2", n_threads=n_threads), one)


def test_factors_are_left_alone():
    factors = random_factors(50)
    left = factors.left.copy()
    dense_affinity(factors, "max")
    assert np.array_equal(factors.left, left)


def test_unknown_scale():
    with pytest.raises(InputError, match="scale='l1': must be None, 'max' or 'l2'"):
        dense_affinity(random_factors(3), "l1")


def test_no_graph_is_begun_that_does_not_fit():
    with pytest.raises(InputError, match=r"^memory_budget: .* the graph is dense, so take fewer rows"):
        dense_affinity(random_factors(50, dtype="float32"), budget=9000)
    assert dense_affinity(random_factors(50, dtype="float32"), budget=10_000).shape == (50, 50)
