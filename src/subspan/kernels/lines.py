"""Arrays that begin where a cache line does.

The processor reads a vector that crosses the border of two cache lines twice. NumPy arrays may begin at any
address, so all vectors of a matrix may cross a border. Arrays made here begin with a cache line.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE_BYTES = 64


def in_lines(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array that begins with a cache line; its numbers are not set.

    Examples
    --------
    >>> in_lines((3, 16), np.float32).ctypes.data % 64
    0
    """
    kind = np.dtype(dtype)
    n_bytes = prod(shape) * kind.itemsize
    memory = np.empty(n_bytes + LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % LINE_BYTES
    return memory[start : start + n_bytes].view(kind).reshape(shape)


def zeros_in_lines(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros that begins with a cache line."""
    out = in_lines(shape, dtype)
    out[...] = 0
    return out
