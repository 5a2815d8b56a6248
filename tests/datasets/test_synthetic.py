"""Synthetic data against the geometry it promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, kstest

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError


def span(points: np.ndarray, dimension: int) -> np.ndarray:
    """Orthonormal rows of the best subspace through the origin."""
    return np.linalg.svd(points, full_matrices=False)[2][:dimension]


def test_the_defaults_are_the_papers_setup():
    X, y = make_union_of_subspaces(random_state=0)
    assert X.shape == (500, 9)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert np.bincount(y).tolist() == [100] * 5
    assert [np.linalg.matrix_rank(X[y == label]) for label in range(5)] == [6] * 5
    assert np.linalg.matrix_rank(X) == 9
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 5, 8])
def test_rank_and_norm_of_every_class(dimension):
    X, y = make_union_of_subspaces(4, dimension, 8, [9, 20, 31, 42], random_state=dimension)
    assert np.bincount(y).tolist() == [9, 20, 31, 42]
    for label in range(4):
        singular = np.linalg.svd(X[y == label], compute_uv=False)
        assert (singular[:dimension] > 1e-3).all()
        assert singular[dimension:] == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0, abs=1e-12)


def test_points_are_uniform_on_the_sphere_of_their_subspace():
    X, y = make_union_of_subspaces(2, 4, 12, 4000, random_state=1)
    for label in range(2):
        basis = span(X[y == label], 4)
        # A random direction of the subspace, not one that the data chose.
        direction = np.random.default_rng(label).standard_normal(4)
        cosines = X[y == label] @ basis.T @ (direction / np.linalg.norm(direction))
        # The squared cosine with a fixed direction is Beta(1/2, (d - 1)/2), and both signs are as likely.
        assert kstest(cosines**2, beta(0.5, 1.5).cdf).pvalue > 0.01
        assert abs(np.mean(cosines > 0) - 0.5) < 0.03
        assert 4 * np.cov((X[y == label] @ basis.T).T) == pytest.approx(np.eye(4), abs=0.1)


def test_subspaces_are_uniform():
    # The squared length of the projection of a fixed axis on a random line of R^5 is Beta(1/2, 2).
    X, y = make_union_of_subspaces(800, 1, 5, 1, shuffle=False, random_state=2)
    assert kstest(X[:, 0] ** 2, beta(0.5, 2).cdf).pvalue > 0.01
    assert X.mean(axis=0) == pytest.approx(0.0, abs=0.06)
    assert y.tolist() == list(range(800))


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_noise_has_the_size_asked_for(noise):
    clean, y = make_union_of_subspaces(3, 4, 40, 500, random_state=3)
    noisy, y_noisy = make_union_of_subspaces(3, 4, 40, 500, noise=noise, random_state=3)
    assert np.array_equal(y, y_noisy)
    assert np.sqrt(np.mean(np.sum((noisy - clean) ** 2, axis=1))) == pytest.approx(noise, rel=0.02)
    for label in range(3):
        basis = span(clean[y == label], 4)
        points = noisy[y == label]
        squared_distances = np.sum((points - points @ basis.T @ basis) ** 2, axis=1)
        # Off a subspace of dimension 4 lie 36 of the 40 coordinates of the noise.
        assert np.mean(squared_distances) == pytest.approx(noise**2 * 36 / 40, rel=0.05)


def test_noise_leaves_outliers_as_they_were():
    arguments = {"n_outliers": 10, "shuffle": False, "random_state": 4}
    clean, _ = make_union_of_subspaces(**arguments)
    noisy, _ = make_union_of_subspaces(noise=0.5, **arguments)
    assert np.array_equal(clean[500:], noisy[500:])
    assert (clean[:500] != noisy[:500]).all()


@pytest.mark.parametrize(("affine", "shift"), [(True, 1.0), (0.25, 0.25), (3, 3.0)])
def test_affine_subspaces_miss_the_origin_by_the_shift(affine, shift):
    X, y = make_union_of_subspaces(4, 3, 7, 60, affine=affine, random_state=5)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.hypot(1.0, shift), abs=1e-12)
    for label in range(4):
        points = X[y == label]
        center = points.mean(axis=0)
        basis = span(points - center, 3)
        assert np.linalg.matrix_rank(points - center) == 3
        assert np.linalg.matrix_rank(points) == 4
        assert np.linalg.norm(center - center @ basis.T @ basis) == pytest.approx(shift, abs=1e-12)


def test_shifts_point_everywhere():
    # One point each: a long shift and a short step along the line, so the point shows where the shift goes.
    X, _ = make_union_of_subspaces(3000, 1, 4, 1, affine=5.0, random_state=6)
    assert X.mean(axis=0) == pytest.approx(0.0, abs=0.2)
    assert (X > 0).mean(axis=0) == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(("affine", "ambient"), [(False, 12), (False, 30), (2.0, 15)])
def test_orthogonal_subspaces(affine, ambient):
    X, y = make_union_of_subspaces(3, 4, ambient, 20, affine=affine, orthogonal=True, random_state=7)
    products = np.abs(X @ X.T)
    assert products[y[:, None] != y].max() < 1e-12
    width = 5 if affine else 4
    assert [np.linalg.matrix_rank(X[y == label]) for label in range(3)] == [width] * 3


def test_outliers_fill_the_space():
    X, y = make_union_of_subspaces(2, 2, 6, 30, n_outliers=2000, shuffle=False, random_state=8)
    assert (y[60:] == -1).all()
    assert (y[:60] >= 0).all()
    outliers = X[y == -1]
    assert np.linalg.norm(outliers, axis=1) == pytest.approx(1.0, abs=1e-12)
    assert kstest(outliers[:, 2] ** 2, beta(0.5, 2.5).cdf).pvalue > 0.01
    assert outliers.mean(axis=0) == pytest.approx(0.0, abs=0.05)


def test_a_seed_fixes_everything():
    arguments = {"noise": 0.1, "affine": True, "n_outliers": 7}
    X, y = make_union_of_subspaces(**arguments, random_state=9)
    again, y_again = make_union_of_subspaces(**arguments, random_state=np.random.default_rng(9))
    assert np.array_equal(X, again)
    assert np.array_equal(y, y_again)
    other, _ = make_union_of_subspaces(**arguments, random_state=10)
    assert not np.array_equal(X, other)


def test_subspaces_do_not_depend_on_the_number_of_points():
    few, y_few = make_union_of_subspaces(n_per_subspace=10, random_state=11)
    many, y_many = make_union_of_subspaces(n_per_subspace=[40, 50, 60, 70, 80], n_outliers=5, random_state=11)
    for label in range(5):
        basis = span(many[y_many == label], 6)
        points = few[y_few == label]
        assert points @ basis.T @ basis == pytest.approx(points, abs=1e-12)


def test_shuffling_mixes_rows_and_keeps_them_with_their_labels():
    ordered, y_ordered = make_union_of_subspaces(shuffle=False, n_outliers=3, random_state=12)
    mixed, y_mixed = make_union_of_subspaces(shuffle=True, n_outliers=3, random_state=12)
    assert y_ordered.tolist() == np.repeat([0, 1, 2, 3, 4, -1], [100, 100, 100, 100, 100, 3]).tolist()
    assert not np.array_equal(y_mixed, y_ordered)
    by_row = {row.tobytes(): label for row, label in zip(ordered, y_ordered, strict=True)}
    assert [by_row[row.tobytes()] for row in mixed] == y_mixed.tolist()


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32")])
def test_float32_is_the_rounded_float64(dtype):
    X, _ = make_union_of_subspaces(random_state=13, noise=0.1, dtype=dtype)
    exact, _ = make_union_of_subspaces(random_state=13, noise=0.1)
    assert X.dtype == np.float32
    assert X.flags.c_contiguous
    assert np.array_equal(X, exact.astype(np.float32))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_subspaces": 0}, "n_subspaces must be at least 1, got 0"),
        ({"dimension": 2.5}, "dimension must be a whole number, got 2.5"),
        ({"ambient": -3}, "ambient must be at least 1, got -3"),
        ({"dimension": 10}, "ambient=9 is too small: a subspace needs 10 dimensions"),
        (
            {"dimension": 9, "affine": True},
            "ambient=9 is too small: a subspace needs 10 dimensions, shifts included",
        ),
        ({"orthogonal": True}, "ambient=9 is too small: 5 orthogonal subspaces need 30 dimensions"),
        (
            {"n_subspaces": 2, "dimension": 4, "orthogonal": True, "affine": 0.1},
            "2 orthogonal subspaces need 10 dimensions, shifts included",
        ),
        ({"n_per_subspace": [3, 4]}, "n_per_subspace has 2 entries, but n_subspaces is 5"),
        ({"n_per_subspace": [3, 4, 0, 1, 1]}, r"n_per_subspace\[2\] must be at least 1, got 0"),
        ({"n_per_subspace": "many"}, "n_per_subspace must be a whole number, got 'many'"),
        ({"noise": -0.1}, "noise must be a finite number of at least 0, got -0.1"),
        ({"noise": float("nan")}, "noise must be a finite number of at least 0, got nan"),
        ({"affine": float("inf")}, "affine must be a finite number of at least 0, got inf"),
        ({"affine": "yes"}, "affine must be a finite number of at least 0, got 'yes'"),
        ({"n_outliers": -1}, "n_outliers must be at least 0, got -1"),
        ({"random_state": -1}, "random_state must be None, a whole number of at least 0"),
        ({"random_state": "seed"}, "random_state must be None, a whole number of at least 0"),
        ({"dtype": "int64"}, "dtype must be float32 or float64, got 'int64'"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        make_union_of_subspaces(**arguments)
