"""Online low-rank representation against the slow, obvious algorithm, and as a stream."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.online_low_rank import OnlineBasis, OnlineWeights


def points_with_errors(dtype: str = "float64") -> np.ndarray:
    X, _ = make_union_of_subspaces(3, 2, 20, 40, random_state=0)
    X[::7, 3] += 0.8
    return X.astype(dtype)


def encode(z, D, lambda1, lambda2):
    """Code and errors of one point by turns, everything solved anew."""
    v, e = np.zeros(D.shape[1]), np.zeros(len(z))
    system = D.T @ D + np.eye(D.shape[1]) / lambda1
    for _ in range(1000):
        new_v = np.linalg.solve(system, D.T @ (z - e))
        rest = z - D @ new_v
        new_e = np.sign(rest) * np.maximum(np.abs(rest) - lambda2 / lambda1, 0)
        done = [
            np.linalg.norm(new - old) <= 1e-3 * np.linalg.norm(new) for new, old in ((new_v, v), (new_e, e))
        ]
        v, e = new_v, new_e
        if all(done):
            break
    return v, e


def slow_epochs(Z, D, n_epochs, lambda1, lambda2, lambda3):
    """The published algorithm, one column of the basis after the other."""
    d = D.shape[1]
    D, A, B = D.copy(), np.zeros((d, d)), np.zeros(D.shape)
    for _ in range(n_epochs):
        M, U, V = np.zeros(D.shape), [], []
        for t, z in enumerate(Z, start=1):
            pull = lambda3 * np.sqrt(t)
            v, e = encode(z, D, lambda1, lambda2)
            u = (D - M).T @ z / (z @ z + 1 / pull)
            M += np.outer(z, u)
            A += np.outer(v, v)
            B += np.outer(z - e, v)
            hessian, target = lambda1 * A + pull * np.eye(d), lambda1 * B + pull * M
            for j in range(d):
                D[:, j] -= (D @ hessian[:, j] - target[:, j]) / hessian[j, j]
            U.append(u)
            V.append(v)
    return D, M, np.array(U), np.array(V)


@pytest.mark.parametrize("weights", [OnlineWeights(), OnlineWeights(2.0, 0.1, 3.0)])
@pytest.mark.parametrize("n_basis", [1, 6, 30])
def test_equals_the_obvious_algorithm(weights, n_basis):
    Z = points_with_errors()
    stream = OnlineBasis.start(20, n_basis, weights, seed=1)
    D, M, U, V = slow_epochs(Z, stream.vectors.T, 2, *weights.resolved(20))
    for _ in range(2):
        stream.begin_epoch()
        coefficients, codes = stream.learn(Z)
    np.testing.assert_allclose(stream.vectors, D.T, atol=1e-8)
    np.testing.assert_allclose(coefficients, U, atol=1e-8)
    np.testing.assert_allclose(codes, V, atol=1e-8)

    lambda1, lambda2, lambda3 = weights.resolved(20)
    # Every point has been taken twice.
    value = 0.5 * (U**2).sum() + lambda3 * np.sqrt(len(Z)) / 2 * ((D - M) ** 2).sum()
    for z in Z:
        v, e = encode(z, D, lambda1, lambda2)
        value += 2 * (lambda1 / 2 * ((z - D @ v - e) ** 2).sum() + 0.5 * v @ v + lambda2 * np.abs(e).sum())
    assert stream.objective(Z) == pytest.approx(value / (2 * len(Z)), rel=1e-8)


def test_a_stream_in_parts_is_the_stream():
    Z = points_with_errors("float32")
    whole, parts = (OnlineBasis.start(20, 6, OnlineWeights(), seed=0) for _ in range(2))
    coefficients, codes = whole.learn(Z)
    pieces = [parts.learn(piece) for piece in np.split(Z, [1, 40, 100])]
    assert np.array_equal(np.concatenate([piece[0] for piece in pieces]), coefficients)
    assert np.array_equal(np.concatenate([piece[1] for piece in pieces]), codes)
    assert np.array_equal(parts.vectors, whole.vectors)
    assert parts.n_seen == whole.n_seen == 120
    assert parts.objective(Z) == pytest.approx(whole.objective(Z), rel=1e-12)


def test_objective_falls():
    Z = points_with_errors()
    stream = OnlineBasis.start(20, 6, OnlineWeights(), seed=0)
    values = []
    for _ in range(5):
        stream.begin_epoch()
        stream.learn(Z)
        values.append(stream.objective(Z))
    assert (np.diff(values) < 0).all()
    assert values[-1] < 0.6 * values[0]


def test_objective_does_not_depend_on_threads():
    Z = np.random.default_rng(0).standard_normal((1500, 10))
    stream = OnlineBasis.start(10, 4, OnlineWeights(), seed=0)
    stream.learn(Z)
    assert stream.objective(Z, 1) == stream.objective(Z, 3)


def test_points_without_errors_or_code_are_finite():
    """Where the errors or the code stay zero there is nothing to divide by."""
    Z = np.vstack([np.zeros((2, 8)), np.full((5, 8), 1e-3), np.eye(8)])
    stream = OnlineBasis.start(8, 3, OnlineWeights(), seed=0)
    for part in stream.learn(Z):
        assert np.isfinite(part).all()
    assert np.isfinite(stream.vectors).all()
    assert np.isfinite(stream.objective(Z))
