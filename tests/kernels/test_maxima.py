"""Maxima and lists by whole vectors, against NumPy; compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.kernels.jit import kernel
from subspan.kernels.lines import in_lines
from subspan.kernels.maxima import LANES, MEMBERS, block_maxima, lanes_above, list_above, lowest_lane

BLOCK = MEMBERS * LANES


@kernel
def maxima(values, first, last, peaks):
    return block_maxima(values, first, last, peaks)


@kernel
def above(values, place, threshold):
    return lanes_above(values, place, threshold)


@kernel
def lowest(lanes):
    return lowest_lane(lanes)


@kernel
def places_above(values, peaks, threshold, listed, out):
    return list_above(values, peaks, threshold, listed, out)


def numbers(seed: int, n_blocks: int = 6) -> np.ndarray:
    values = in_lines((n_blocks * BLOCK,), np.int16)
    values[:] = np.random.default_rng(seed).integers(0, 1000, len(values))
    return values


@pytest.mark.parametrize("function", [maxima, block_maxima], ids=["compiled", "plain"])
def test_block_maxima(function):
    values = numbers(0)
    peaks = np.full(6 * LANES, -1, np.int16)
    assert function(values, 2, 5, peaks) == values[2 * BLOCK : 5 * BLOCK].max()
    expected = values.reshape(6, MEMBERS, LANES).max(axis=1)
    assert np.array_equal(peaks.reshape(6, LANES)[2:5], expected[2:5])
    assert (peaks.reshape(6, LANES)[[0, 1, 5]] == -1).all()


@pytest.mark.parametrize("threshold", [0, 1, 500, 999, 1000])
def test_lanes(threshold):
    values = numbers(1)
    for place in range(0, len(values), 3 * LANES):
        expected = np.flatnonzero(values[place : place + LANES] >= threshold)
        for function, first in ((above, lowest), (lanes_above, lowest_lane)):
            lanes = function(values, place, threshold)
            assert [lane for lane in range(LANES) if lanes >> lane & 1] == expected.tolist()
            assert lanes == 0 or first(lanes) == expected[0]


@pytest.mark.parametrize("threshold", [900, 990, 999, 1000])
@pytest.mark.parametrize("function", [places_above, list_above.py_func], ids=["compiled", "plain"])
def test_lists(function, threshold):
    for seed in range(5):
        values = numbers(seed)
        peaks = np.empty(6 * LANES, np.int16)
        block_maxima(values, 0, 6, peaks)
        out = np.zeros(len(values) + MEMBERS, np.int64)
        n = function(values, peaks, threshold, np.zeros(7, np.int64), out)
        assert sorted(out[:n].tolist()) == np.flatnonzero(values >= threshold).tolist()


@pytest.mark.parametrize("function", [places_above, list_above.py_func], ids=["compiled", "plain"])
def test_a_list_ends_where_it_is_full(function):
    values = numbers(0)
    peaks = np.empty(6 * LANES, np.int16)
    block_maxima(values, 0, 6, peaks)
    out = np.full(60, -1, np.int64)
    n = function(values, peaks, 0, np.zeros(7, np.int64), out)
    assert 60 - MEMBERS <= n < 60
    assert len(set(out[:n].tolist())) == n
