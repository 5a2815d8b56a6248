"""Columns that are kept of a row, by one instruction, by a loop and by NumPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from subspan.kernels import packing
from subspan.kernels.jit import kernel
from subspan.kernels.packing import WIDTH, keep_columns, marks_of


@kernel
def keep(row, columns, marks, out):
    keep_columns(row, columns, marks, out)


gathered = numba.njit(packing._gathered)  # noqa: TID251


@pytest.mark.parametrize("function", [keep, gathered, keep_columns], ids=["compiled", "loop", "plain"])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 1.0])
def test_kept_columns(function, share):
    rng = np.random.default_rng(0)
    n = 20 * WIDTH
    row = rng.integers(-32768, 32768, n).astype(np.int16)
    columns = np.flatnonzero(rng.random(n) < share).astype(np.int32)
    out = np.zeros(n + WIDTH, np.int16)
    function(row, columns, marks_of(columns, n), out)
    assert np.array_equal(out[: len(columns)], row[columns])


def test_marks():
    columns = np.array([0, 31, 32, 63, 95], np.int32)
    marks = marks_of(columns, 128)
    assert marks.dtype == np.int32
    assert [c for c in range(128) if marks[c // 32] >> (c % 32) & 1] == columns.tolist()
