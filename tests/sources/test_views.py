"""Sources seen through a change: the same bits as the change made to the whole array."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from subspan.sources import ArraySource, Source, Subset, UnitRows, open_source
from subspan.sources.checks import unit_rows


def points(n_rows: int, n_columns: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(n_columns)
    rows = rng.standard_normal((n_rows, n_columns)) * rng.uniform(1e-3, 1e3, (n_rows, 1))
    return rows.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_columns", [1, 2, 7, 8, 9, 100, 129, 1500, 9000])
def test_unit_rows_do_not_depend_on_how_they_are_cut(tmp_path, dtype, n_columns):
    X = points(100 if n_columns > 1000 else 2500, n_columns, dtype)
    expected = unit_rows(X)
    np.save(tmp_path / "X.npy", np.asfortranarray(X))
    rng = np.random.default_rng(0)
    for source in (UnitRows(ArraySource(X)), UnitRows(open_source(tmp_path / "X.npy"))):
        assert isinstance(source, Source)
        for _ in range(10):
            start, stop = np.sort(rng.integers(0, len(X) + 1, 2))
            assert source.rows(start, stop).tobytes() == expected[start:stop].tobytes()
        indices = np.sort(rng.choice(len(X), 50, replace=False))
        assert source.take(indices).tobytes() == expected[indices].tobytes()
        assert source.take(indices[:1]).tobytes() == expected[indices[:1]].tobytes()


def test_subset_of_scaled_and_of_plain_rows(tmp_path):
    X = points(1000, 12, "float32")
    np.save(tmp_path / "X.npy", X)
    chosen = np.flatnonzero(np.random.default_rng(0).random(1000) < 0.7)
    chosen = np.union1d(chosen, np.arange(300, 500))
    subset = Subset(open_source(tmp_path / "X.npy"), chosen)
    assert isinstance(subset, Source)
    assert subset.shape == (len(chosen), 12)
    for start in range(0, len(chosen) + 64, 64):
        assert np.array_equal(subset.rows(start, start + 64), X[chosen][start : start + 64])
    some = np.array([0, 5, 6, len(chosen) - 1])
    assert np.array_equal(subset.take(some), X[chosen[some]])
    assert np.array_equal(UnitRows(subset).rows(10, 200), unit_rows(X)[chosen[10:200]])
    assert np.array_equal(Subset(UnitRows(subset.source), chosen).take(some), unit_rows(X)[chosen[some]])


def test_views_are_told_apart_and_travel():
    source = open_source(points(200, 3, "float64"))
    views = [source, UnitRows(source), Subset(source, np.arange(9)), Subset(source, np.arange(8))]
    assert len({view.fingerprint() for view in views}) == 4
    for view in views:
        again = pickle.loads(pickle.dumps(view))
        assert again.fingerprint() == view.fingerprint()
        assert again.name == view.name == "X"
        assert again.dtype == np.float64
        assert again.columns == ()
        assert again.held_bytes >= 200 * 3 * 8
