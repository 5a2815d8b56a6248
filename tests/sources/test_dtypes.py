"""The type of the numbers holds everything that was stored."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.sources.dtypes import common_float_type, float_type

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]


@pytest.mark.parametrize("stored", [*INTEGERS, ">i2", ">u4"])
def test_integers_come_through_exactly(stored):
    limits = np.iinfo(stored)
    extremes = np.array([limits.min, limits.max, limits.max - 1], stored)
    kept = extremes.astype(float_type(np.dtype(stored)))
    assert kept.tolist() == extremes.tolist()


@pytest.mark.parametrize("stored", ["float16", "float32", "float64", ">f2", ">f4", ">f8"])
def test_no_digit_is_lost_and_none_is_added(stored):
    kept = float_type(np.dtype(stored))
    third = np.array([1 / 3], stored)
    assert third.astype(kept)[0] == third[0]
    assert kept.isnative
    assert kept == max(np.dtype("float32"), np.dtype(stored).newbyteorder("="), key=lambda one: one.itemsize)


@pytest.mark.parametrize("stored", ["complex64", "datetime64[s]", "U4", "O", "V8"])
def test_what_is_no_number_is_refused(stored):
    with pytest.raises(InputError, match=r"^X\.csv: must hold numbers, but has dtype"):
        float_type(np.dtype(stored), "X.csv")


def test_columns_of_several_types_meet_in_the_widest():
    kinds = [np.dtype(kind) for kind in ("uint8", "float32", "int16")]
    assert common_float_type(kinds) == np.float32
    assert common_float_type([*kinds, np.dtype("int32")]) == np.float64
    assert common_float_type(kinds[::-1]) == np.float32
