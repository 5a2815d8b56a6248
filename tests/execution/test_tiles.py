"""Products of rows do not depend on where the rows stand, nor on what else is in the operands."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.execution.tiles import (
    TILE,
    gram_matrix,
    gram_rows,
    in_panels,
    norms_of,
    padded,
    padded_length,
    row_length,
    tile_product,
)


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


def points_and_atoms(n_features: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    points, atoms = rng.standard_normal((TILE, n_features)), rng.standard_normal((700, n_features))
    return points.astype(dtype), atoms.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_features", [1, 2, 9, 64, 65, 500, 2016])
def test_an_element_is_the_same_wherever_it_stands(n_features, dtype):
    """Every subset of the atoms gives the subset of the product, bit for bit: so all plans may be mixed."""
    points, atoms = points_and_atoms(n_features, dtype)
    whole = tile_product(points, in_panels(atoms))[:, :700]
    assert np.allclose(whole, points.astype("float64") @ atoms.T.astype("float64"), atol=1e-3)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        subset = np.sort(rng.choice(700, 50 + 120 * seed, replace=False))
        part = tile_product(points, in_panels(atoms[subset]))[:, : len(subset)]
        assert np.array_equal(part, whole[:, subset])
        some = rng.permutation(TILE)[: 20 * seed + 1]
        assert np.array_equal(tile_product(points[some], in_panels(atoms))[:, :700], whole[some])
        # Points and atoms may change places.
        assert np.array_equal(tile_product(atoms[subset], in_panels(points)), part.T)


@pytest.mark.parametrize("n_features", [1, 9, 64, 600])
def test_an_element_is_a_chain_of_fused_operations(n_features):
    """By exact products and sums, rounded once for each feature: so says no processor but arithmetic."""
    points, atoms = points_and_atoms(n_features, "float32")
    exact, chain = np.longdouble, np.zeros((TILE, 700), np.float32)
    for x, y in zip(points.T, atoms.T, strict=True):
        chain = (x[:, None].astype(exact) * y.astype(exact) + chain.astype(exact)).astype(np.float32)
    assert np.array_equal(tile_product(points, in_panels(atoms))[:, :700], chain)


@pytest.mark.parametrize("layout", ["row-major", "column-major", "every second", "read-only"])
def test_layouts(layout):
    points, atoms = points_and_atoms(9, "float32")
    expected = tile_product(points, in_panels(atoms))
    if layout == "column-major":
        points, atoms = np.asfortranarray(points), np.asfortranarray(atoms)
    elif layout == "every second":
        points, atoms = np.repeat(points, 2, axis=0)[::2], np.repeat(atoms, 2, axis=1)[:, ::2]
    elif layout == "read-only":
        points.setflags(write=False)
        atoms.setflags(write=False)
    assert np.array_equal(tile_product(points, in_panels(atoms)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_features", [9, 64, 500])
def test_gram_matrix_is_symmetric_and_equals_the_products(n_features, dtype):
    """Its rows serve as correlations of the points themselves, so they must be the same numbers."""
    atoms = padded(np.random.default_rng(1).standard_normal((300, n_features)).astype(dtype))
    panels, gram = in_panels(atoms), np.full((384, 400), np.nan, dtype)
    for start in (256, 0, 128):
        gram_rows(atoms, panels, start, gram)
    assert np.array_equal(gram[:, :384], gram[:, :384].T)
    assert np.array_equal(gram[:, :384], tile_product(atoms, panels))
    # What is beyond the atoms is left alone.
    assert np.isnan(gram[:, 384:]).all()


def test_threads_fill_the_whole_gram_matrix():
    atoms = padded(np.random.default_rng(0).standard_normal((300, 20)))
    gram = gram_matrix(atoms, threads=2)
    assert gram.shape == (len(atoms), row_length(len(atoms)))
    assert np.allclose(gram[:, : len(atoms)], atoms @ atoms.T)


def test_norms_are_those_of_numpy_in_double_precision():
    rows = np.random.default_rng(0).standard_normal((300, 20)).astype("float32")
    assert norms_of(rows) == pytest.approx(np.linalg.norm(rows.astype("float64"), axis=1), rel=1e-14)


def test_product_into_a_buffer():
    rows = np.random.default_rng(2).standard_normal((300, 7))
    out = np.empty((300, 304))
    assert tile_product(rows, in_panels(rows), out=out) is out
    assert np.allclose(out[:, :300], rows @ rows.T)
    assert not out[:, 300:].any()


def test_no_rows_and_no_atoms():
    assert tile_product(np.zeros((0, 3)), in_panels(np.ones((8, 3)))).shape == (0, 8)
    assert tile_product(np.ones((5, 3)), in_panels(np.zeros((0, 3)))).shape == (5, 0)
