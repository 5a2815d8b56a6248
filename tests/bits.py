"""Coefficients that are the same to the last bit."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def assert_same_bits(one: csr_array, other: csr_array) -> None:
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
