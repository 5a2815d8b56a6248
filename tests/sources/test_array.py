"""Rows of an array."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.sources import ArraySource


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_and_selection(dtype):
    array = np.arange(12, dtype=dtype).reshape(4, 3)
    source = ArraySource(array)
    assert source.shape == (4, 3)
    assert source.dtype == dtype
    assert np.array_equal(source.rows(1, 3), array[1:3])
    assert np.shares_memory(source.rows(1, 3), array)
    chosen = source.take(np.array([0, 3]))
    assert np.array_equal(chosen, array[[0, 3]])
    assert not np.shares_memory(chosen, array)
