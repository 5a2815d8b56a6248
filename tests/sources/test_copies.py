"""Rows of one direction are found, whatever their lengths, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.sources import ArraySource, scan
from subspan.sources.copies import ROUNDING, coordinates, first_of_direction


def multiples(dtype: str, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """100 rows, then 900 multiples of them, some negative; and which row each is a multiple of."""
    rng = np.random.default_rng(n_columns)
    rows = rng.standard_normal((100, n_columns)).astype(dtype)
    of = np.append(np.arange(100), rng.integers(0, 100, 900))
    factors = 10 ** rng.uniform(-3, 3, (900, 1)) * rng.choice([-1, 1], (900, 1))
    return np.vstack([rows, rows[of[100:]] * factors.astype(dtype)]), of


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_columns", [2, 20, 500])
def test_multiples_are_copies(dtype, n_columns):
    X, of = multiples(dtype, n_columns)
    found = scan(ArraySource(X), normalize=True, lines=True)
    assert np.array_equal(found.copy_of, of)
    products = np.sign((X.astype(float) * X[of]).sum(axis=1))
    assert np.array_equal(found.opposite, products < 0)


def test_opposites_are_copies_only_of_lines():
    X, of = multiples("float64", 5)
    found = scan(ArraySource(X), normalize=True)
    same_side = (X * X[of]).sum(axis=1) > 0
    assert np.array_equal(found.copy_of[same_side], of[same_side])
    assert (found.copy_of[~same_side] >= 100).all()
    assert not found.opposite.any()


def test_lengths_count_where_rows_are_left_as_they_are():
    X, _ = multiples("float64", 5)
    assert np.array_equal(scan(ArraySource(X), normalize=False).copy_of, np.arange(1000))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_neighbours_are_no_copies(dtype):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((500, 10))
    apart = 1000 * np.finfo(dtype).eps
    X = np.vstack([rows, rows + apart * rng.standard_normal(rows.shape)]).astype(dtype)
    assert np.array_equal(scan(ArraySource(X), normalize=True).copy_of, np.arange(1000))


def test_a_chain_is_not_one_direction():
    angles = np.arange(1000) * 20 * np.finfo(float).eps
    points = coordinates(np.column_stack([np.cos(angles), np.sin(angles)]))
    tol = ROUNDING * float(np.finfo(float).eps)
    found = first_of_direction(points, tol)
    assert np.abs(points - points[found]).max() <= 2 * tol
    assert len(set(found)) > 100


def test_many_of_one_direction():
    X = np.random.default_rng(0).uniform(1, 2, (20000, 1)) * np.ones(7)
    assert not scan(ArraySource(X), normalize=True).copy_of.any()
