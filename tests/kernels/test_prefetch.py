"""Asking for memory is a hint: a real instruction when compiled, and never a change of the data."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from subspan.kernels.jit import kernel
from subspan.kernels.prefetch import prefetch


@kernel
def ask(matrix, row, column):
    prefetch(matrix, (row, column))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_compiled_it_is_an_instruction_and_changes_nothing(dtype):
    matrix = np.arange(600, dtype=dtype).reshape(6, 100)
    before = matrix.copy()
    for row in range(6):
        ask(matrix, row, 99)
        ask.py_func(matrix, row, 99)
    assert np.array_equal(matrix, before)
    # Anew: code that comes out of a cache cannot be looked at.
    compiled = numba.njit(ask.py_func)  # noqa: TID251
    compiled(matrix, 0, 0)
    assert any("llvm.prefetch" in text for text in compiled.inspect_llvm().values())


@kernel
def ask_for_one(vector, place):
    prefetch(vector, (place,))


def test_it_takes_arrays_of_any_dimension():
    vector = np.arange(5.0)
    ask_for_one(vector, 4)
    assert vector.tolist() == [0, 1, 2, 3, 4]


def test_it_takes_read_only_data():
    matrix = np.zeros((2, 3))
    matrix.setflags(write=False)
    ask(matrix, 1, 2)
    assert not matrix.any()
