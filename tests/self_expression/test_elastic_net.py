"""Elastic-net self-expression against scikit-learn, the optimality conditions, and itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import ElasticNet

from subspan.datasets import make_union_of_subspaces
from subspan.self_expression import elastic_net
from subspan.self_expression.elastic_net import (
    ElasticNetSettings,
    gram_bytes,
    largest_of_each_row,
    represent_by_elastic_net,
)
from subspan.self_expression.lasso_codes import WorkingSets
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

# Of the optimality conditions, relative to the largest correlation.
ALLOWED = 1e-6


def coefficients(X: np.ndarray, tau: float = 0.9, gamma: float = 50.0, **options) -> csr_array:
    settings = ElasticNetSettings(tau, gamma, options.pop("alpha", None))
    return represent_by_elastic_net(ArraySource(X), settings, budget=10**9, **options).coefficients


def weights(X: np.ndarray, tau: float, gamma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    products = np.abs(X @ X.T)
    np.fill_diagonal(products, 0)
    coherence = products.max(axis=1, keepdims=True)
    return coherence, coherence / gamma, (1 - tau) / tau * coherence / gamma


def worst_violation(X: np.ndarray, C: csr_array, tau: float, gamma: float) -> float:
    """Over all points and atoms, in float64, relative to the point's largest correlation."""
    X, codes = X.astype("float64"), C.toarray().astype("float64")
    coherence, l1, l2 = weights(X, tau, gamma)
    gradient = (X - codes @ X) @ X.T - l2 * codes
    used = np.abs(gradient - l1 * np.sign(codes))
    violation = np.where(codes != 0, used, np.abs(gradient) - l1) / coherence
    np.fill_diagonal(violation, 0)
    return violation.max()


def noisy(dtype: str = "float64", n_features: int = 30) -> np.ndarray:
    X, _ = make_union_of_subspaces(4, 3, n_features, 50, noise=0.3, random_state=0)
    return unit_rows(X.astype(dtype))


def exact(dtype: str) -> np.ndarray:
    """Six dimensions of nine, without noise: any seven atoms of a subspace are dependent."""
    return make_union_of_subspaces(3, 6, 9, 60, random_state=0, dtype=dtype)[0]


def duplicated(dtype: str) -> np.ndarray:
    X = exact(dtype)
    X[:20], X[20:25] = X[30:50], -X[50:55]
    return X


def tied(dtype: str) -> np.ndarray:
    """Rows with four entries -1, 1: a great many of their inner products are equal."""
    rng = np.random.default_rng(2)
    X = np.zeros((150, 30), dtype)
    for row in X:
        row[rng.choice(30, 4, replace=False)] = rng.choice([-0.5, 0.5], 4)
    return X


@pytest.mark.parametrize("seed", [10, 14, 18])
def test_points_on_lines_get_exact_coefficients(seed: int) -> None:
    # With the constant any three atoms of a line are dependent: when one of them leaves the support, rounding
    # may leave nothing of the pivots of the others. It once made NaN of them.
    rng = np.random.default_rng(seed)
    lines = [rng.uniform(-1, 1, (40, 1)) * rng.standard_normal(3) + rng.standard_normal(3) for _ in range(3)]
    X = np.column_stack([np.concatenate(lines), np.ones(120)])
    C = coefficients(X, tau=1.0)
    assert np.isfinite(C.data).all()
    assert worst_violation(X, C, 1.0, 50.0) <= ALLOWED


@pytest.mark.parametrize("tau", [1.0, 0.9, 0.3])
@pytest.mark.parametrize("gamma", [3.0, 40.0])
def test_coefficients_are_those_of_scikit_learn(tau, gamma):
    X = noisy()
    C = coefficients(X, tau, gamma).toarray()
    _, l1, l2 = (w.ravel() for w in weights(X, tau, gamma))
    for j in range(0, len(X), 17):
        peer = ElasticNet(
            alpha=(l1[j] + l2[j]) / 30, l1_ratio=tau, fit_intercept=False, tol=1e-13, max_iter=10**6
        )
        others = np.delete(np.arange(len(X)), j)
        assert C[j, others] == pytest.approx(peer.fit(X[others].T, X[j]).coef_, abs=1e-6)
    assert not C.diagonal().any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("with_gram", [True, False])
@pytest.mark.parametrize("make", [noisy, exact, duplicated, tied])
def test_optimality_conditions_hold(dtype, with_gram, make):
    X = make(dtype)
    for tau, gamma in ((1.0, 5.0), (1.0, 500.0), (0.9, 200.0), (0.2, 50.0)):
        C = coefficients(X, tau, gamma, with_gram=with_gram)
        assert C.dtype == dtype
        assert worst_violation(X, C, tau, gamma) < (ALLOWED if dtype == "float32" else 1e-9), (tau, gamma)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_with_and_without_gram_agree(dtype):
    X = noisy(dtype)
    one = coefficients(X, gamma=100.0, with_gram=True).toarray()
    other = coefficients(X, gamma=100.0, with_gram=False).toarray()
    assert one == pytest.approx(other, abs=1e-4 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("with_gram", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_change_nothing(with_gram, dtype):
    X = make_union_of_subspaces(4, 4, 20, 120, noise=0.2, random_state=1, dtype=dtype)[0]
    one, two = (coefficients(X, with_gram=with_gram, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.indptr, two.indptr)
    assert np.array_equal(one.indices, two.indices)
    assert np.array_equal(one.data, two.data)


@pytest.mark.parametrize("with_gram", [True, False])
def test_rows_of_any_length(with_gram):
    X = noisy("float32") * np.geomspace(0.01, 100, 200, dtype="float32")[:, None]
    C = coefficients(X, with_gram=with_gram)
    # Errors of a product grow with the length of its atom; they are small beside the largest correlation.
    assert worst_violation(X, C, 0.9, 50.0) < 1e-5
    assert C.nnz > 200


@pytest.mark.parametrize("with_gram", [True, False])
def test_a_point_orthogonal_to_all_others_has_no_coefficients(with_gram):
    X = np.zeros((40, 9))
    X[1:, 1:] = make_union_of_subspaces(3, 2, 8, 13, random_state=0)[0]
    X[0, 0] = 1
    found = represent_by_elastic_net(
        ArraySource(X), ElasticNetSettings(0.9, 50.0), budget=10**9, with_gram=with_gram
    )
    assert found.counts == {"empty_representations": 1, "unsettled": 0}
    assert (np.diff(found.coefficients.indptr) > 0).tolist() == [False] + [True] * 39


def test_a_fixed_alpha_is_the_same_for_all():
    X = noisy()
    C = coefficients(X, 0.5, alpha=0.1, with_gram=False).toarray()
    gradient = (X - C @ X) @ X.T - 0.05 * C
    assert gradient[C != 0] == pytest.approx(0.05 * np.sign(C[C != 0]))
    np.fill_diagonal(gradient, 0)
    assert np.abs(gradient).max() == pytest.approx(0.05)


def test_only_the_largest_coefficients_are_kept():
    X = noisy()
    every = coefficients(X)
    kept = coefficients(X, n_nonzero=4)
    assert np.diff(kept.indptr).max() == 4
    for j in range(len(X)):
        magnitudes = np.sort(np.abs(every.toarray()[j]))[-4:]
        assert np.sort(np.abs(kept.toarray()[j]))[-4:] == pytest.approx(magnitudes)
    few = csr_array(np.array([[0.0, 2.0, -2.0, 1.0]]))
    assert largest_of_each_row(few, 1).toarray().tolist() == [[0, 2, 0, 0]]


@pytest.mark.parametrize("with_gram", [True, False])
def test_working_sets_grow_beyond_their_first_room(with_gram):
    X = noisy(n_features=60)[::2]
    roomy = coefficients(X, 0.1, 1000.0, with_gram=with_gram)
    sizes = WorkingSets(candidates=9, room=12)
    narrow = coefficients(X, 0.1, 1000.0, with_gram=with_gram, sizes=sizes)
    assert np.diff(roomy.indptr).max() > 50
    assert narrow.toarray() == pytest.approx(roomy.toarray(), abs=1e-9)


def test_memory_decides_about_the_gram_matrix(monkeypatch):
    seen = []
    plain = elastic_net.gram_matrix
    monkeypatch.setattr(elastic_net, "gram_matrix", lambda *a: seen.append(1) or plain(*a))
    source, settings = ArraySource(noisy()), ElasticNetSettings(1.0, 5.0)
    needed = gram_bytes(200, 8)
    assert needed >= 200**2 * 8
    represent_by_elastic_net(source, settings, budget=needed - 1)
    assert not seen
    represent_by_elastic_net(source, settings, budget=needed)
    assert seen


def test_points_that_run_out_of_rounds_are_counted():
    found = represent_by_elastic_net(
        ArraySource(noisy()),
        ElasticNetSettings(0.9, 50.0),
        budget=10**9,
        with_gram=False,
        sizes=WorkingSets(candidates=5),
        max_rounds=1,
    )
    assert found.counts["unsettled"] > 0
