"""Tables with names and types for each column, in memory and in Parquet files."""

from __future__ import annotations

from pathlib import Path

import dask.array
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from subspan.handover import InputError
from subspan.sources import open_source, read_in_pieces, scan


def parquet(folder: Path, columns: dict[str, list]) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "X.parquet", row_group_size=2)
    return folder / "X.parquet"


KINDS = {
    "parquet": parquet,
    "arrow": lambda _, columns: pyarrow.table(columns),
    "pandas": lambda _, columns: pandas.DataFrame(columns),
    "pandas with missing values": lambda _, columns: pandas.DataFrame(columns).convert_dtypes(),
    "polars": lambda _, columns: polars.DataFrame(columns),
}


@pytest.fixture(params=KINDS)
def make(request):
    return KINDS[request.param]


def test_columns_of_several_types(tmp_path, make):
    data = make(tmp_path, {"a": [1, 2, 3], "b": [True, False, True], "c": [0.5, 1.5, 2.5]})
    source = open_source(data)
    assert source.rows(0, 3).tolist() == [[1, 1, 0.5], [2, 0, 1.5], [3, 1, 2.5]]
    assert source.dtype == np.float64
    assert source.columns == ("a", "b", "c")


def test_named_columns_in_the_order_asked_for(tmp_path, make):
    data = make(tmp_path, {"a": [1, 2, 3], "name": ["x", "y", "z"], "c": [0.5, 1.5, 2.5]})
    source = open_source(data, columns=["c", "a"])
    assert source.rows(1, 3).tolist() == [[1.5, 2], [2.5, 3]]
    assert source.columns == ("c", "a")


def test_column_of_text_is_named(tmp_path, make):
    data = make(tmp_path, {"a": [1, 2, 3], "name": ["x", "y", "z"]})
    with pytest.raises(InputError, match=r"column 'name' holds .*, not numbers; leave it out with"):
        open_source(data)
    with pytest.raises(InputError, match=r"has no column 'd'; it has a, name\.$"):
        open_source(data, columns=["d"])


def test_missing_values_are_found_by_row_and_column(tmp_path, make):
    data = make(tmp_path, {"a": [1.5, 2.5, 3.5, 4.5], "b": [1, 2, None, 3]})
    source = open_source(data)
    with pytest.raises(InputError, match=r"1 row contains NaN or inf, the first at row 2, column 1 \('b'\)"):
        scan(source, normalize=True)


def test_no_rows(tmp_path, make):
    data = make(tmp_path, {"a": [1.0], "b": [2.0]})
    empty = data[:0] if not isinstance(data, Path) else None
    if empty is None:
        pyarrow.parquet.write_table(pyarrow.table({"a": pyarrow.array([], "f4")}), data)
    with pytest.raises(InputError, match=r"has no entries"):
        open_source(data if empty is None else empty)


@pytest.mark.parametrize("kind", ["float16", "float32", "int8"])
def test_narrow_columns_stay_narrow(tmp_path, kind):
    columns = {"a": np.arange(5).astype(kind), "b": np.arange(5).astype("uint16")}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "X.parquet")
    for data in (tmp_path / "X.parquet", pyarrow.table(columns), pandas.DataFrame(columns)):
        source = open_source(data)
        assert source.dtype == np.float32
        assert np.array_equal(source.rows(0, 5), np.tile(np.arange(5.0)[:, None], 2))


def test_columns_called_by_numbers():
    frame = pandas.DataFrame(np.eye(3))
    assert open_source(frame, columns=["2", "0"]).rows(0, 1).tolist() == [[0, 1]]


def test_frame_that_is_not_there_yet():
    with pytest.raises(InputError, match="LazyFrame, not a table; call its collect"):
        open_source(polars.LazyFrame({"a": [1, 2]}))


def test_query_is_not_asked_for_its_columns():
    asked = []

    class Query:
        columns = property(lambda _: asked.append("columns"))
        shape = dtype = name = held_bytes = rows = take = None

    assert not read_in_pieces(Query())
    with pytest.raises(InputError):
        open_source(Query())
    assert asked == []


def test_parquet_groups_are_decoded_once(tmp_path, monkeypatch):
    X = np.random.default_rng(0).standard_normal((5000, 40))
    columns = {f"c{j}": column for j, column in enumerate(X.T)}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "X.parquet", row_group_size=1000)
    source = open_source(tmp_path / "X.parquet")
    loads = []
    load = type(source)._load
    monkeypatch.setattr(type(source), "_load", lambda self, *span: (loads.append(span), load(self, *span))[1])
    for start in range(0, 5000, 128):
        assert np.array_equal(source.rows(start, start + 128), X[start : start + 128])
    assert len(loads) == len(set(loads)) <= 5
    assert np.array_equal(source.take(np.arange(0, 5000, 9)), X[::9])
    assert len(loads) <= 5


def test_parquet_that_would_burst(tmp_path):
    columns = {f"c{j}": np.zeros(10**6) for j in range(10)}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "X.parquet")
    with pytest.raises(InputError, match=r"X\.parquet: claims to hold 80\.0 MB in \d+ bytes"):
        open_source(tmp_path / "X.parquet")


def test_dask_arrays_of_unknown_or_wrong_size():
    X = dask.array.ones((10, 3), chunks=(5, 3))
    with pytest.raises(InputError, match="unknown sizes; call its compute_chunk_sizes"):
        open_source(X[X[:, 0] > 0])
    with pytest.raises(InputError, match=r"has shape \(10,\)"):
        open_source(X[:, 0])
    wrong = X.map_blocks(lambda block: block[:2], dtype=X.dtype)
    with pytest.raises(InputError, match=r"X: rows 0 to 10 came as a table of shape \(4, 3\)"):
        open_source(wrong).rows(0, 10)


def test_dask_array_that_fails():
    def fail(_):
        raise RuntimeError("the disk is gone")

    X = dask.array.ones((10, 3), chunks=(5, 3)).map_blocks(fail, dtype="f8", meta=np.ones((0, 0)))
    with pytest.raises(InputError, match=r"X: rows 0 to 10 cannot be read \(the disk is gone\)"):
        open_source(X).rows(0, 10)
