"""Codes keep what they hold when they get more room, or none to spare."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.kernels.working_set import Codes, new_codes, new_working_set, with_room, without_room


def some_codes() -> Codes:
    rng = np.random.default_rng(0)
    codes = new_codes(6, 5)
    codes.counts[:] = [0, 3, 1, 0, 2, 3]
    for atoms, values, n in zip(codes.atoms, codes.values, codes.counts, strict=True):
        atoms[:n], values[:n] = rng.choice(50, n, replace=False), rng.standard_normal(n)
    codes.cost[:], codes.finished[:] = rng.random(6), rng.random(6) < 0.5
    return codes


def dense(codes: Codes) -> np.ndarray:
    out = np.zeros((len(codes.counts), 50))
    for row, atoms, values, n in zip(out, codes.atoms, codes.values, codes.counts, strict=True):
        row[atoms[:n]] = values[:n]
    return out


def assert_same(one: Codes, other: Codes) -> None:
    assert np.array_equal(dense(one), dense(other))
    for name in ("counts", "cost", "finished"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("capacity", [5, 8, 100])
def test_more_room_loses_nothing(capacity):
    wider = with_room(some_codes(), capacity)
    assert wider.atoms.shape == wider.values.shape == (6, capacity)
    assert_same(wider, some_codes())
    # What was not in use is no code by chance.
    assert not wider.values[:, 3:].any()


def test_no_room_to_spare_is_as_much_as_the_longest_needs():
    codes = some_codes()
    tight = without_room(codes)
    assert tight.atoms.shape == tight.values.shape == (6, 3)
    assert_same(tight, codes)
    assert_same(with_room(tight, 9), codes)
    # It is a copy: buffers may be used again.
    codes.values[:] = np.nan
    assert np.isfinite(tight.values).all()


def test_nothing_solved_needs_no_room():
    assert without_room(new_codes(4, 7)).atoms.shape == (4, 0)
    assert without_room(new_codes(0, 7)).atoms.shape == (0, 0)


@pytest.mark.parametrize("capacity", [1, 15, 16, 64, 100])
def test_rows_of_matrices_lie_an_odd_number_of_cache_lines_apart(capacity):
    work = new_working_set(capacity)
    for matrix in (work.gram, work.factor):
        assert matrix.shape[0] == capacity <= matrix.shape[1]
        assert matrix.strides[0] % 128 == 64
    assert not np.shares_memory(work.gram, work.factor)
    assert {len(part) for part in work} == {capacity}
