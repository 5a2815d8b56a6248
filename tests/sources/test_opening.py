"""What is opened how, and what is refused before anything is read."""

from __future__ import annotations

import pickle
import sys

import h5py
import numpy as np
import pandas
import pytest
import zarr
from scipy.sparse import csr_array

from subspan.extras import MissingPackageError
from subspan.handover import InputError
from subspan.sources import ArraySource, open_source


def test_paths_of_any_kind(tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", np.eye(3))
    (tmp_path / "X.npy").rename(tmp_path / "X.NPY")
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (tmp_path / "X.NPY", str(tmp_path / "X.NPY"), "~/X.NPY"):
        assert np.array_equal(open_source(path).rows(0, 3), np.eye(3))


@pytest.mark.parametrize("name", ["X.npy", "X.h5", "X.zarr", "X.parquet"])
def test_relative_paths_hold_in_other_folders(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((50, 3))
    if name == "X.npy":
        np.save(name, X)
    elif name == "X.h5":
        with h5py.File(name, "w") as file:
            file["X"] = X
    elif name == "X.zarr":
        zarr.create_array(name, data=X, chunks=(10, 3))
    else:
        pandas.DataFrame(X, columns=["a", "b", "c"]).to_parquet(name)
    source = open_source(name)
    assert source.name == name
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert np.array_equal(source.rows(0, 50), X)
    assert np.array_equal(pickle.loads(pickle.dumps(source)).rows(0, 50), X)


def test_a_source_is_left_alone():
    source = ArraySource(np.eye(3))
    assert open_source(source) is source


def test_array_is_not_copied_without_need():
    X = np.eye(3, dtype=np.float32)
    assert open_source(X).array is X
    assert open_source(X.astype(">f4")).array.dtype.isnative


def test_unknown_kind_of_file(tmp_path):
    (tmp_path / "X.xlsx").write_text("")
    known = r"known are \.npy, \.npz, \.h5, \.hdf5, \.mat, \.zarr, \.parquet, \.csv, \.tsv and folders"
    with pytest.raises(InputError, match=rf"X\.xlsx: files of this kind are not read; {known} of images"):
        open_source(tmp_path / "X.xlsx")


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".h5", ".mat", ".zarr", ".parquet", ".csv"])
def test_missing_file(tmp_path, suffix):
    with pytest.raises(InputError, match=rf"X\{suffix}: there is no such file"):
        open_source(tmp_path / f"X{suffix}")


def test_folder_in_place_of_a_file(tmp_path):
    (tmp_path / "X.npy").mkdir()
    with pytest.raises(InputError, match=r"X\.npy: is a folder, not a \.npy file"):
        open_source(tmp_path / "X.npy")


def test_option_that_does_not_apply(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(3))
    with pytest.raises(InputError, match=r"^key='X': does not apply to .*X\.npy"):
        open_source(tmp_path / "X.npy", key="X")
    with pytest.raises(InputError, match=r"^columns=\['a'\]: does not apply to X,"):
        open_source(np.eye(3), columns=["a"])
    zarr.create_array(str(tmp_path / "X.zarr"), data=np.eye(3))
    with pytest.raises(InputError, match=r"^key='X': does not apply to .*X\.zarr, which is a single array"):
        open_source(tmp_path / "X.zarr", key="X")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.ones(3), r"X: must be a table with a point in each row, but has shape \(3,\)"),
        ([[1, 2], [3]], r"X: its rows have different lengths"),
        ([["1", "two"]], r"X: row 0, column 1 holds 'two'"),
        (np.ones((2, 2), complex), r"X: must hold numbers, but has dtype complex128"),
        (np.zeros((2, 2), "datetime64[D]"), r"X: must hold numbers"),
        (np.ma.masked_equal([[1, 2], [3, 4]], 3), r"X: has masked entries, the first in row 1"),
        (csr_array(np.eye(3)), r"X: is sparse"),
        (np.ones((0, 3)), r"X: has no entries"),
        (None, r"X: must be a table with a point in each row, but has shape \(\)"),
    ],
)
def test_objects_that_are_no_table_of_numbers(data, message):
    with pytest.raises(InputError, match=message):
        open_source(data)


@pytest.mark.parametrize(
    ("name", "module", "package", "extra"),
    [
        ("X.h5", "h5py", "h5py", "hdf5"),
        ("X.zarr", "zarr", "zarr", "zarr"),
        ("X.parquet", "pyarrow.parquet", "pyarrow", "parquet"),
        ("X", "PIL.Image", "pillow", "images"),
    ],
)
def test_missing_package_is_answered_with_the_command(tmp_path, monkeypatch, name, module, package, extra):
    path = tmp_path / name
    path.write_text("") if path.suffix in (".h5", ".parquet") else path.mkdir()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingPackageError, match=rf"^This needs {package}: pip install 'subspan\[{extra}\]'\.$"
    ):
        open_source(path)
