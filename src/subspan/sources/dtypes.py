"""Which floating-point type holds the numbers that were stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from subspan.handover import InputError

# Integers of up to 16 bits, and half precision, are exact in float32: images need no float64. Single
# precision stands here too because scikit-learn takes the foreign byte order for another type.
EXACT_IN_FLOAT32 = ("?", "b", "B", "h", "H", "e", "f")


def float_type(stored: Any, name: str = "X") -> np.dtype:
    """float32 where it holds every number of the stored type, float64 otherwise.

    Examples
    --------
    >>> float_type(np.dtype("uint8")), float_type(np.dtype(">i4"))
    (dtype('float32'), dtype('float64'))
    >>> float_type(np.dtype("complex64"), "X.npy")
    Traceback (most recent call last):
    subspan.handover.InputError: X.npy: must hold numbers, but has dtype complex64.
    """
    if not isinstance(stored, np.dtype) or stored.kind not in "biuf":
        raise InputError(f"{name}: must hold numbers, but has dtype {stored}.")
    return np.dtype(np.float32 if stored.char in EXACT_IN_FLOAT32 else np.float64)


def common_float_type(stored: Iterable[np.dtype]) -> np.dtype:
    """The type that holds columns of several types.

    Examples
    --------
    >>> common_float_type([np.dtype("int8"), np.dtype("float32")])
    dtype('float32')
    """
    return np.result_type(*[float_type(dtype) for dtype in stored])
