"""Arrays begin with a cache line, whatever their shape and type."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.kernels.lines import LINE_BYTES, in_lines


@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (3, 7), (2, 5, 11), (1000, 1000)])
def test_they_begin_with_a_line(shape, dtype):
    arrays = [in_lines(shape, dtype) for _ in range(5)]
    for number, array in enumerate(arrays):
        assert array.shape == shape
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.flags.aligned
        assert array.ctypes.data % LINE_BYTES == 0
        array[...] = number
    assert all((array == number).all() for number, array in enumerate(arrays))
