"""The first look at the rows: finite, not zero, brought to unit norm, not seen before."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.sources.checks import check_finite, unit_rows, zero_rows
from subspan.sources.copies import first_occurrences


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 1023, 1024, 2999])
def test_first_bad_entry_is_named(value, row):
    X = np.ones((3000, 4))
    X[row, 2] = value
    with pytest.raises(
        InputError, match=rf"^X: 1 row contains NaN or inf, the first at row {row}, column 2\.$"
    ):
        check_finite(X)
    X[2999] = value
    if row < 2999:
        with pytest.raises(
            InputError, match=rf"^points: 2 rows contain NaN or inf, the first at row {row}, "
        ):
            check_finite(X, "points")


def test_finite_rows_pass():
    check_finite(np.full((5, 3), np.finfo(np.float32).max, np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_zero_rows_have_no_direction(dtype):
    tiny = np.finfo(dtype).tiny
    X = np.array([[1, 0], [0, 0], [tiny, 0], [tiny / 2, -tiny / 4], [-0.0, 0], [0, -1e-30]], dtype)
    assert zero_rows(X).tolist() == [1, 3, 4]


@pytest.mark.parametrize(
    ("dtype", "smallest", "largest"), [("float32", 1e-37, 1e38), ("float64", 1e-300, 1e308)]
)
def test_unit_norm_from_the_smallest_to_the_largest_rows(dtype, smallest, largest):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 7)) * np.geomspace(smallest, largest, 2000)[:, None]
    X = X.astype(dtype)
    unit = unit_rows(X)
    assert unit.dtype == dtype
    assert np.abs(np.linalg.norm(unit.astype(np.float64), axis=1) - 1).max() < 4 * np.finfo(dtype).eps
    # Directions are kept: the rows are multiples of what they were.
    column = np.abs(X).argmax(axis=1)[:, None]
    slopes = X / np.take_along_axis(X, column, 1)
    assert np.allclose(unit / np.take_along_axis(unit, column, 1), slopes, atol=4 * np.finfo(dtype).eps)


def test_unit_rows_leave_the_input_alone():
    X = np.asfortranarray(np.random.default_rng(0).standard_normal((50, 4)))
    before = X.copy()
    assert unit_rows(X).flags.c_contiguous
    assert np.array_equal(X, before)


def test_first_occurrences_against_comparison_of_all_pairs():
    X = np.random.default_rng(0).integers(0, 2, (300, 5)).astype(float)
    expected = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in X]
    assert first_occurrences(X).tolist() == expected


def test_signs_tell_rows_apart_but_not_zeros():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, -0.0], [np.nextafter(1.0, 2), 0.0]])
    assert first_occurrences(X).tolist() == [0, 1, 0, 3]
