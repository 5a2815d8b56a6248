"""Inner products of rows against exact arithmetic, compiled and as plain Python."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from interpreted import interpreted
from llvmlite import binding

from subspan.kernels.products import STRIP, multiply_block, pack_rows, panel_width

TYPES = ["float32", "float64"]
DIGITS = {"float32": 24, "float64": 53}


def rounded(number: Fraction, digits: int) -> Fraction:
    """The nearest number with so many binary digits, the even one of two."""
    if number == 0:
        return number
    exponent = math.frexp(float(number))[1] - digits
    unit = Fraction(2) ** exponent
    return round(number / unit) * unit


def chain(x: np.ndarray, y: np.ndarray) -> float:
    """The product of two rows: from the first feature to the last, with one rounding at each."""
    total = Fraction(0)
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        total = rounded(Fraction(a) * Fraction(b) + total, DIGITS[x.dtype.name])
    return float(total)


def multiply(left: np.ndarray, right: np.ndarray, block=multiply_block, pack=pack_rows) -> np.ndarray:
    width, n_features = panel_width(left.dtype), left.shape[1]
    strips = np.full((-(-len(left) // STRIP), n_features, STRIP), np.nan, left.dtype)
    panels = np.full((-(-len(right) // width), n_features, width), np.nan, left.dtype)
    pack(left, strips)
    pack(right, panels)
    out = np.full((len(left), len(panels) * width), np.nan, left.dtype)
    block(strips, panels, np.zeros((STRIP, width), left.dtype), out)
    assert not out[:, len(right) :].any()
    return out[:, : len(right)]


def rows(n: int, n_features: int, dtype: str, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, n_features)).astype(dtype)


@pytest.mark.skipif(
    not binding.get_host_cpu_features().get("fma", True), reason="two roundings instead of one"
)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_features", [1, 30, 600])
def test_each_product_is_one_chain_of_fused_operations(dtype, n_features):
    left, right = rows(STRIP + 2, n_features, dtype), rows(19, n_features, dtype, seed=1)
    found = multiply(left, right)
    for i, j in ((0, 0), (3, 18), (STRIP, 7), (STRIP + 1, 17)):
        assert found[i, j] == chain(left[i], right[j])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_features", [1, 40, 700])
@pytest.mark.parametrize("n_rows", [1, STRIP - 1, STRIP, 2 * STRIP + 5])
def test_compiled_and_plain_are_close_to_numpy(dtype, n_features, n_rows):
    left, right = rows(n_rows, n_features, dtype), rows(21, n_features, dtype, seed=1)
    exact = left.astype(np.float64) @ right.astype(np.float64).T
    allowed = np.finfo(dtype).eps * n_features * (np.abs(left) @ np.abs(right).T) + 1e-30
    assert (np.abs(multiply(left, right) - exact) <= allowed).all()
    plain = multiply(left, right, interpreted(multiply_block), interpreted(pack_rows))
    assert (np.abs(plain - exact) <= allowed).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_where_a_row_stands_does_not_matter(dtype):
    """The same bits in every subset and order of the rows."""
    left, right = rows(30, 550, dtype), rows(40, 550, dtype, seed=1)
    whole = multiply(left, right)
    rng = np.random.default_rng(2)
    for size in (1, 5, 17):
        some, others = rng.choice(30, size, replace=False), rng.choice(40, size + 3, replace=False)
        assert np.array_equal(multiply(left[some], right[others]), whole[np.ix_(some, others)])
    assert np.array_equal(multiply(right, left), whole.T)


@pytest.mark.parametrize("pack", [pack_rows, interpreted(pack_rows)], ids=["compiled", "interpreted"])
def test_rows_lie_feature_by_feature(pack):
    given = rows(10, 7, "float32")
    out = np.full((3, 7, 4), np.nan, np.float32)
    pack(given, out)
    padded = np.vstack([given, np.zeros((2, 7))])
    assert np.array_equal(out, padded.reshape(3, 4, 7).transpose(0, 2, 1))
