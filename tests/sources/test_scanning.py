"""One pass over all rows, against the checks that see the whole array."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.execution import tiles
from subspan.handover import InputError
from subspan.sources import ArraySource, open_source, scan, unchanged
from subspan.sources.checks import check_finite, unit_rows, zero_rows
from subspan.sources.copies import first_occurrences


@pytest.fixture(params=[1, 2**22], ids=["block of a tile", "one block"])
def block_bytes(request):
    return request.param


def points(dtype: str) -> np.ndarray:
    """With copies, multiples, opposites, and rows of zeros."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 6)).astype(dtype)
    X[rng.integers(0, 1000, 300)] = X[rng.integers(0, 1000, 300)]
    X[rng.integers(0, 1000, 50)] *= 4
    X[100] = -X[0]
    X[[7, 500, 999]] = 0
    X[8] = np.finfo(dtype).tiny / 4
    X[3, 2], X[900] = 0.0, X[3]
    X[900, 2] = -0.0
    return X


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("normalize", [True, False])
def test_zero_rows_copies_and_the_largest_entry(dtype, normalize, block_bytes):
    X = points(dtype)
    found = scan(ArraySource(X), normalize, block_bytes=block_bytes)
    assert found.zero_rows.tolist() == zero_rows(X).tolist() == [7, 8, 500, 999]
    if normalize:
        usable = np.setdiff1d(np.arange(1000), found.zero_rows)
        assert np.array_equal(found.copy_of[usable], usable[first_occurrences(unit_rows(X[usable]))])
        assert np.array_equal(found.copy_of[found.zero_rows], found.zero_rows)
    else:
        assert np.array_equal(found.copy_of, first_occurrences(X))
        assert found.copy_of[[7, 8, 500, 999]].tolist() == [7, 8, 7, 7]
    assert found.copy_of[900] == found.copy_of[3]
    assert found.largest == np.abs(X).max()
    assert found.largest_row == np.abs(X).max(axis=1).argmax()


def test_copies_by_comparing_all_pairs(block_bytes):
    rng = np.random.default_rng(0)
    directions = rng.integers(-1, 2, (400, 4))
    X = directions * rng.choice([1.0, 2.0, 8.0], (400, 1))
    found = scan(ArraySource(X), normalize=True, block_bytes=block_bytes)
    assert found.zero_rows.tolist() == np.flatnonzero(~directions.any(axis=1)).tolist()
    for i in np.flatnonzero(directions.any(axis=1)):
        same = (directions == directions[i]).all(axis=1)
        assert found.copy_of[i] == np.flatnonzero(same)[0]


def test_entries_that_are_not_finite(tmp_path, block_bytes):
    X = np.ones((1000, 5), np.float32)
    X[640, 3], X[641, 0], X[999, 4] = np.nan, -np.inf, np.inf
    np.save(tmp_path / "X.npy", X)
    message = "3 rows contain NaN or inf, the first at row 640, column 3."
    with pytest.raises(InputError) as caught:
        scan(open_source(tmp_path / "X.npy"), normalize=True, block_bytes=block_bytes)
    assert str(caught.value) == f"{tmp_path / 'X.npy'}: {message}"
    with pytest.raises(InputError) as in_memory:
        check_finite(X)
    assert str(in_memory.value) == f"X: {message}"


def test_column_is_called_by_its_name(tmp_path):
    (tmp_path / "X.csv").write_text("width,height\n1,2\n3,inf\n")
    with pytest.raises(
        InputError, match=r"X\.csv: 1 row contains .* the first at row 1, column 1 \('height'\)\.$"
    ):
        scan(open_source(tmp_path / "X.csv"), normalize=False)


def test_tiles_of_the_scan_are_those_of_the_work():
    assert unchanged.TILE == tiles.TILE
