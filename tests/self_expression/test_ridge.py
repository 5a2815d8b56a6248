"""Least squares representation against its problem solved one point at a time."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.self_expression.ridge import ridge_factors

SHAPES = [(30, 6), (9, 25), (12, 12)]


def random_points(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).standard_normal(shape)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def row_by_normal_equations(points: np.ndarray, j: int, regularization: float, *, alone: bool) -> np.ndarray:
    """Ridge regression of point j on all points, or on all others."""
    others = np.delete(np.arange(len(points)), j) if alone else np.arange(len(points))
    atoms = points[others]
    row = np.zeros(len(points))
    row[others] = np.linalg.solve(atoms @ atoms.T + regularization * np.eye(len(atoms)), atoms @ points[j])
    return row


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("zero_diagonal", [True, False])
@pytest.mark.parametrize("regularization", [1e-5, 0.01, 3.0])
def test_equals_ridge_regressions(shape, zero_diagonal, regularization):
    points = random_points(shape)
    rows = [
        row_by_normal_equations(points, j, regularization, alone=zero_diagonal) for j in range(len(points))
    ]
    expected = np.array(rows) * (1 - np.eye(len(points)))
    found = ridge_factors(points, regularization, zero_diagonal=zero_diagonal)
    assert found.left.shape[1] <= min(shape)
    np.testing.assert_allclose(found.rows(0, len(points)), expected, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_perturbation_without_a_diagonal_is_better(shape):
    points, rng = random_points(shape, 1), np.random.default_rng(2)
    n_points = len(points)

    def cost(coefficients: np.ndarray) -> float:
        return ((points - coefficients @ points) ** 2).sum() + 0.1 * (coefficients**2).sum()

    best = ridge_factors(points, 0.1, zero_diagonal=True).rows(0, n_points)
    gradient = 2 * (best @ points - points) @ points.T + 0.2 * best
    np.testing.assert_allclose(gradient * (1 - np.eye(n_points)), 0, atol=1e-10)
    for size in (1.0, 1e-2, 1e-4):
        off_diagonal = rng.standard_normal((n_points, n_points)) * (1 - np.eye(n_points))
        assert cost(best + size * off_diagonal) > cost(best)


def test_few_features_and_many_are_one_formula():
    """The same points in more dimensions have the same inner products, so the other Gram matrix is used."""
    points = random_points((20, 6))
    wide = points @ np.linalg.qr(np.random.default_rng(3).standard_normal((50, 6)))[0].T
    for zero_diagonal in (True, False):
        one, other = (
            ridge_factors(rows, 0.02, zero_diagonal=zero_diagonal).rows(0, 20) for rows in (points, wide)
        )
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_the_two_forms_differ_by_a_factor_for_each_point():
    points = random_points((25, 8))
    first, second = (ridge_factors(points, 0.1, zero_diagonal=form).rows(0, 25) for form in (True, False))
    ratios = first.sum(axis=1) / second.sum(axis=1)
    np.testing.assert_allclose(first, second * ratios[:, None], atol=1e-12)
    assert (ratios > 1).all()


@pytest.mark.parametrize("regularization", [1e-30, 1e-12])
def test_directions_of_rounding_are_not_blown_up(regularization):
    flat = random_points((40, 3)) @ np.random.default_rng(1).standard_normal((3, 10))
    found = ridge_factors(flat, regularization, zero_diagonal=True).rows(0, 40)
    assert np.abs(found).max() < 10
    np.testing.assert_allclose(found @ flat, flat, atol=1e-6)


def test_single_precision_stays():
    points = random_points((30, 6)).astype(np.float32)
    found = ridge_factors(points, 0.1, zero_diagonal=True)
    assert found.left.dtype == found.right.dtype == np.float32
    double = ridge_factors(points.astype(float), 0.1, zero_diagonal=True).rows(0, 30)
    np.testing.assert_allclose(found.rows(0, 30), double, atol=1e-5)
