"""Subspace-preserving error against the paper's formula, one point at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from subspan.handover import InputError
from subspan.metrics import subspace_preserving_error

CONTAINERS = [
    np.asarray,
    sparse.csr_array,
    sparse.csc_array,
    sparse.coo_array,
    sparse.csr_matrix,
    np.asfortranarray,
]


def error_by_definition(coefficients: np.ndarray, labels: list[object]) -> float:
    shares = []
    for row, label in zip(coefficients, labels, strict=True):
        total = sum(abs(value) for value in row)
        across = sum(abs(value) for value, other in zip(row, labels, strict=True) if other != label)
        shares.append(across / total if total > 0 else 1.0)
    return sum(shares) / len(shares)


def random_coefficients(n_points: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    coefficients = rng.standard_normal((n_points, n_points)) * (rng.random((n_points, n_points)) < 0.2)
    coefficients[rng.integers(n_points, size=3)] = 0.0
    return coefficients


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("seed", range(5))
def test_equals_the_definition(container, seed):
    coefficients = random_coefficients(40, seed)
    labels = np.random.default_rng(seed).choice(["a", "b", "c"], size=40).tolist()
    expected = error_by_definition(coefficients, labels)
    assert subspace_preserving_error(container(coefficients), labels) == pytest.approx(expected, abs=1e-14)


def test_more_rows_than_are_looked_at_together():
    labels = np.arange(1300) % 3
    coefficients = np.random.default_rng(0).standard_normal((1300, 1300)).astype(np.float32)
    weights = np.abs(coefficients.astype(np.float64))
    across = (weights * (labels[:, None] != labels)).sum(axis=1) / weights.sum(axis=1)
    for container in (np.asarray, sparse.csr_array):
        error = subspace_preserving_error(container(coefficients), labels)
        assert error == pytest.approx(across.mean(), abs=1e-12)


def test_only_own_class_is_exactly_zero_and_only_others_exactly_one():
    labels = np.repeat([0, 1], 10)
    same = labels[:, None] == labels
    weights = np.random.default_rng(1).standard_normal((20, 20))
    assert subspace_preserving_error(weights * same, labels) == 0.0
    assert subspace_preserving_error(sparse.csr_array(weights * ~same), labels) == 1.0


def test_rows_are_points_not_columns():
    coefficients = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert subspace_preserving_error(coefficients, [0, 0, 1]) == pytest.approx(1 / 6)


@pytest.mark.parametrize("container", CONTAINERS)
def test_empty_rows_count_as_wrong(container):
    coefficients = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert subspace_preserving_error(container(coefficients), [0, 0, 0]) == pytest.approx(1 / 3)
    coefficients[2, 0] = 1e-17
    assert subspace_preserving_error(container(coefficients), [0, 0, 0]) == pytest.approx(1 / 3)
    assert subspace_preserving_error(container(np.zeros((3, 3))), [0, 0, 1]) == 1.0


def test_a_common_factor_changes_nothing():
    coefficients, labels = random_coefficients(30, 7), np.arange(30) % 4
    small = subspace_preserving_error(coefficients * 2.0**-200, labels)
    assert small == subspace_preserving_error(coefficients, labels)


def test_stored_duplicates_are_summed_and_the_argument_is_left_alone():
    twice = sparse.csr_array((np.array([1.0, -1.0, 3.0, 1.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])))
    assert subspace_preserving_error(twice, [0, 1]) == pytest.approx(1 / 2)
    assert twice.nnz == 4


@pytest.mark.parametrize(
    ("coefficients", "message"),
    [
        (np.zeros(3), r"coefficients must be a square matrix, got shape \(3,\)"),
        (np.zeros((3, 2)), r"coefficients must be a square matrix, got shape \(3, 2\)"),
        (np.zeros((2, 2)), "coefficients has 2 rows, but labels_true has 3 labels"),
        (np.zeros((3, 3), dtype=complex), "coefficients must hold real numbers, got dtype complex128"),
        (np.diag([0.0, 0.0, np.nan]), "coefficients holds NaN or infinity, first at row 2, column 2"),
        (sparse.csr_array(np.diag([0.0, -np.inf, 1.0])), "NaN or infinity, first at row 1, column 1"),
    ],
)
def test_bad_input(coefficients, message):
    with pytest.raises(InputError, match=message):
        subspace_preserving_error(coefficients, [0, 0, 1])
