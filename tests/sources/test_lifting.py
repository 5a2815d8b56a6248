"""Rows with a constant beside them."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.sources import ArraySource, Lifted, lifted


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((2500, 4)) * [1, 2, 3, 0.1] + [5, -40, 0, 1]


def test_rows_are_centred_scaled_and_get_the_constant(rows: np.ndarray) -> None:
    found = lifted(ArraySource(rows), 3.0).rows(0, 2500)
    assert found.shape == (2500, 5)
    np.testing.assert_allclose(found[:, :-1].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose((found[:, :-1] ** 2).sum(axis=1).mean(), 1)
    assert (found[:, -1] == 3.0).all()


def test_neither_origin_nor_unit_matters(rows: np.ndarray) -> None:
    here, there = (lifted(ArraySource(data)).rows(0, 2500) for data in (rows, 7 * rows + [900, 0, -80, 3]))
    np.testing.assert_allclose(here, there, atol=1e-9)


def test_parts_are_those_of_the_whole(rows: np.ndarray) -> None:
    source = lifted(ArraySource(rows))
    whole = source.rows(0, 2500)
    np.testing.assert_array_equal(source.rows(100, 130), whole[100:130])
    np.testing.assert_array_equal(source.take(np.array([3, 2000])), whole[[3, 2000]])


def test_large_entries_do_not_overflow() -> None:
    found = lifted(ArraySource(np.array([[1e150, 0.0], [-1e150, 0.0]]))).rows(0, 2)
    np.testing.assert_allclose(found, [[1, 0, 1], [-1, 0, 1]])


def test_fingerprint_knows_shift_and_constant(rows: np.ndarray) -> None:
    source = ArraySource(rows)
    prints = {
        Lifted(source, np.full(4, shift), 1.0, c).fingerprint() for shift in (0.0, 1.0) for c in (1.0, 2.0)
    }
    assert len(prints) == 4


def test_types_are_kept(rows: np.ndarray) -> None:
    assert lifted(ArraySource(rows.astype(np.float32))).rows(0, 3).dtype == np.float32
