"""Products on the grid of tiles do not depend on what else is in the operands."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.execution.threads import single_threaded_libraries
from subspan.execution.tiles import TILE, gram_rows, padded, padded_length, tile_product


@pytest.mark.parametrize(
    ("n_rows", "length"), [(0, 0), (1, 128), (127, 128), (128, 128), (129, 256), (1000, 1024)]
)
def test_padded_length(n_rows, length):
    assert padded_length(n_rows) == length


def test_padding_is_zero_and_a_copy():
    rows = np.ones((130, 3), np.float32)
    out = padded(rows)
    assert out.shape == (256, 3)
    assert out.dtype == np.float32
    assert out[:130].all()
    assert not out[130:].any()
    assert not np.shares_memory(out, rows)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_features", [1, 2, 9, 64, 65, 500, 2016])
def test_an_element_is_the_same_wherever_it_stands(n_features, dtype):
    """Every subset of the atoms gives the subset of the product, bit for bit: so all plans may be mixed."""
    rng = np.random.default_rng(0)
    points, atoms = rng.standard_normal((TILE, n_features)), rng.standard_normal((700, n_features))
    points, atoms = points.astype(dtype), atoms.astype(dtype)
    with single_threaded_libraries():
        whole = tile_product(points.copy(), padded(atoms))
        assert np.allclose(whole[:, :700], points.astype("float64") @ atoms.T.astype("float64"), atol=1e-3)
        for seed in range(5):
            subset = np.sort(np.random.default_rng(seed).choice(700, 50 + 120 * seed, replace=False))
            part = tile_product(points.copy(), padded(atoms[subset]))
            assert np.array_equal(part[:, : len(subset)], whole[:, subset])
            order = np.random.default_rng(seed).permutation(TILE)
            assert np.array_equal(tile_product(points[order].copy(), padded(atoms)), whole[order])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_features", [9, 64, 500])
def test_gram_matrix_is_symmetric_and_equals_the_products(n_features, dtype):
    """Its rows serve as correlations of the points themselves, so they must be the same numbers."""
    atoms = padded(np.random.default_rng(1).standard_normal((300, n_features)).astype(dtype))
    gram = np.full((384, 384), np.nan, dtype)
    with single_threaded_libraries():
        for start in (256, 0, 128):
            gram_rows(atoms, start, gram)
        assert np.array_equal(gram, gram.T)
        for start in (0, 128, 256):
            assert np.array_equal(
                gram[start : start + TILE], tile_product(atoms[start : start + TILE].copy(), atoms)
            )


def test_product_into_a_buffer():
    rows = np.random.default_rng(2).standard_normal((TILE, 7))
    out = np.empty((TILE, TILE))
    assert tile_product(rows, rows.copy(), out=out) is out
    assert np.allclose(out, rows @ rows.T)
