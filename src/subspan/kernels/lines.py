"""Arrays that begin where a cache line does, and how long their rows should be.

The processor reads a vector that crosses the border of two cache lines twice. NumPy arrays may begin at any
address, so all vectors of a matrix may cross a border. Arrays made here begin with a cache line.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE_BYTES = 64
# Words of 16 bits, two numbers of 8 bits each, in a cache line.
WORDS_PER_LINE = LINE_BYTES // 2


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


def words_length(n_atoms: int) -> int:
    """Words of a row: an odd number of cache lines, so that rows use different sets of the cache.

    Examples
    --------
    >>> words_length(4000), words_length(4096)
    (2016, 2080)
    """
    n_lines = -(-n_atoms // (2 * WORDS_PER_LINE))
    return (n_lines + 1 - n_lines % 2) * WORDS_PER_LINE
