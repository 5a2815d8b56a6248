"""Thresholded ridge against the dense closed form."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.self_expression.ridge import ridge_factors
from subspan.self_expression.thresholded_ridge import thresholded_ridge

SHAPES = [(300, 6), (9, 25), (40, 40), (130, 17)]


def random_points(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).standard_normal(shape)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def dense_then_cut(points: np.ndarray, regularization: float, n_neighbors: int) -> np.ndarray:
    """All coefficients by a linear solve, the diagonal away, the largest of each row kept."""
    gram = points @ points.T
    hat = np.linalg.solve(gram + regularization * np.eye(len(points)), gram)
    full = hat * (1 - np.eye(len(points))) / (1 - np.diag(hat))[:, None]
    order = np.argsort(-np.abs(full), axis=1, kind="stable")[:, :n_neighbors]
    cut = np.zeros_like(full)
    np.put_along_axis(cut, order, np.take_along_axis(full, order, axis=1), axis=1)
    return cut


def same_bits(one, other) -> bool:
    parts = ("indptr", "indices", "data")
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("regularization", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("n_neighbors", [1, 5, 8])
def test_equals_the_dense_form(shape, regularization, n_neighbors):
    points = random_points(shape)
    found = thresholded_ridge(points, regularization, n_neighbors)
    expected = dense_then_cut(points, regularization, n_neighbors)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-9)
    assert (np.diff(found.indptr) == n_neighbors).all()
    assert found.has_sorted_indices


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_and_blocks_change_no_bit(shape, dtype):
    points = random_points(shape).astype(dtype)
    first = thresholded_ridge(points, 0.1, 5)
    assert first.dtype == dtype
    for threads, block_rows in [(2, 128), (1, 1), (2, 7), (1, 1000)]:
        assert same_bits(first, thresholded_ridge(points, 0.1, 5, threads=threads, block_rows=block_rows))


def test_single_precision_is_close():
    points = random_points((200, 12))
    single = thresholded_ridge(points.astype(np.float32), 0.1, 6).toarray()
    double = thresholded_ridge(points, 0.1, 6).toarray()
    # Where two coefficients nearly tie the other one may be kept.
    assert ((single != 0) == (double != 0)).mean() > 0.999
    both = (single != 0) & (double != 0)
    np.testing.assert_allclose(single[both], double[both], atol=1e-5)


def test_ties_go_to_the_lowest_index():
    """Point 0 is as close to 1 as to 2 and 3, to the last bit."""
    points = np.array([[1.0, 0, 0, 0], [0.6, 0.8, 0, 0], [0.6, 0, 0.8, 0], [0.6, 0, 0, 0.8]])
    full = ridge_factors(points, 0.5, zero_diagonal=True).rows(0, 4)[0]
    assert np.ptp(full[1:]) < 1e-12
    # Equal coefficients need equal factors: the corners of a square have them.
    square = np.array([[1.0, 0], [0, 1.0], [-1.0, 0], [0, -1.0]])
    found = thresholded_ridge(square, 0.5, 3)
    # Only the opposite corner is not orthogonal, and zeros are not kept.
    assert found.indices.tolist() == [2, 3, 0, 1]
    copies = np.array([[1.0, 0], [1.0, 0], [1.0, 0], [0, 1.0]])
    found = thresholded_ridge(copies, 0.5, 1)
    assert found.indices.tolist() == [1, 0, 0]
    assert np.diff(found.indptr).tolist() == [1, 1, 1, 0]


def test_all_coefficients_may_be_kept():
    points = random_points((20, 5))
    found = thresholded_ridge(points, 0.1, 100).toarray()
    np.testing.assert_allclose(found, ridge_factors(points, 0.1, zero_diagonal=True).rows(0, 20), atol=1e-12)


def test_the_two_forms_keep_the_same_entries():
    points = random_points((60, 8))
    one, other = (thresholded_ridge(points, 0.1, 4, zero_diagonal=form) for form in (True, False))
    assert np.array_equal(one.indices, other.indices)
    sums = [np.abs(form.toarray()).sum(axis=1, keepdims=True) for form in (one, other)]
    np.testing.assert_allclose(one.toarray() / sums[0], other.toarray() / sums[1], atol=1e-12)


@pytest.mark.parametrize(("regularization", "n_neighbors"), [(0.0, 3), (-1.0, 3), (0.1, 0)])
def test_refuses_what_makes_no_sense(regularization, n_neighbors):
    with pytest.raises(InputError):
        thresholded_ridge(random_points((10, 3)), regularization, n_neighbors)
