"""Arrays that begin where a cache line does.

A vector that lies across two lines is read twice. NumPy begins an array anywhere; where rows are whole lines
apart, every vector of a matrix lies in one line or none does.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE_BYTES = 64


def in_lines(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of numbers yet to be written that begins with a cache line.

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
    """The same with zeros."""
    out = in_lines(shape, dtype)
    out[...] = 0
    return out
