"""Arrays chosen from .npz, HDF5, MATLAB and Zarr files, and files that are not what they claim."""

from __future__ import annotations

import os
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import zarr

from subspan.handover import InputError
from subspan.sources import open_source


def npz(folder: Path, **arrays: np.ndarray) -> Path:
    np.savez(folder / "D.npz", **arrays)
    return folder / "D.npz"


def hdf5(folder: Path, **arrays: np.ndarray) -> Path:
    with h5py.File(folder / "D.h5", "w") as file:
        for key, array in arrays.items():
            file[key] = array
    return folder / "D.h5"


def mat(folder: Path, **arrays: np.ndarray) -> Path:
    scipy.io.savemat(folder / "D.mat", arrays)
    return folder / "D.mat"


def mat_of_version_7_3(folder: Path, **arrays: np.ndarray) -> Path:
    with h5py.File(folder / "D.mat", "w", userblock_size=512) as file:
        for key, array in arrays.items():
            file[key] = np.atleast_2d(array).T
    return folder / "D.mat"


def zarr_group(folder: Path, **arrays: np.ndarray) -> Path:
    group = zarr.open_group(str(folder / "D.zarr"), mode="w")
    for key, array in arrays.items():
        group.create_array(key, data=array)
    return folder / "D.zarr"


@pytest.fixture(params=[npz, hdf5, mat, mat_of_version_7_3, zarr_group], ids=lambda write: write.__name__)
def write(request):
    return request.param


X = np.arange(12.0).reshape(4, 3)
Z = np.ones((2, 5))
Y = np.arange(4.0)


def test_the_only_table_is_found_beside_labels(tmp_path, write):
    assert np.array_equal(open_source(write(tmp_path, X=X, y=Y)).rows(0, 4), X)


def test_two_tables_have_to_be_told_apart(tmp_path, write):
    path = write(tmp_path, X=X, Z=Z)
    with pytest.raises(InputError, match=r"holds several tables, .*; choose one with key\.$") as caught:
        open_source(path)
    assert "X (4 x 3)" in str(caught.value)
    assert "Z (2 x 5)" in str(caught.value)
    assert np.array_equal(open_source(path, key="Z").rows(0, 2), Z)


def test_missing_array_is_answered_with_those_present(tmp_path, write):
    path = write(tmp_path, X=X, Z=Z)
    with pytest.raises(InputError, match=r"has no array 'features'; it holds X \(4 x 3\), Z \(2 x 5\)\.$"):
        open_source(path, key="features")


def test_no_table_at_all(tmp_path, write):
    path = write(tmp_path, y=Y)
    with pytest.raises(InputError, match=r"has no two-dimensional array of numbers; it holds y \("):
        open_source(path)


def test_damaged_file_is_named(tmp_path, write):
    path = write(tmp_path, X=np.random.default_rng(0).standard_normal((500, 20)), y=Y)
    if path.is_dir():
        for file in path.rglob("*"):
            if file.is_file() and not file.name.endswith("json"):
                os.truncate(file, file.stat().st_size // 2)
    else:
        os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}: .*cannot be read \("):
        open_source(path).rows(0, 500)


def test_file_that_shrinks_while_open(tmp_path):
    data = np.random.default_rng(0).standard_normal((50_000, 20))
    path = hdf5(tmp_path, X=data)
    source = open_source(path)
    assert np.array_equal(source.rows(0, 10), data[:10])
    os.truncate(path, 10**6)
    with pytest.raises(
        InputError, match=r"D\.h5: had 8002048 bytes when it was opened, but has 1000000 now\.$"
    ):
        source.rows(45_000, 45_100)


def test_file_of_another_kind(tmp_path):
    for suffix in (".npz", ".h5", ".mat", ".parquet"):
        path = tmp_path / f"D{suffix}"
        path.write_bytes(b"this is something else altogether" * 20)
        with pytest.raises(InputError, match=rf"D\{suffix}: cannot be read \("):
            open_source(path)
        path.write_bytes(b"")
        with pytest.raises(InputError, match=rf"D\{suffix}: cannot be read \("):
            open_source(path)


def test_archive_that_would_burst(tmp_path):
    path = tmp_path / "D.npz"
    np.savez_compressed(path, X=np.zeros((3000, 3000)))
    with pytest.raises(InputError, match=r"claims to hold 72\.0 MB in \d+ bytes, more than 200 times"):
        open_source(path)
    scipy.io.savemat(tmp_path / "D.mat", {"X": np.zeros((3000, 3000))}, do_compression=True)
    with pytest.raises(InputError, match=r"D\.mat: claims to hold 72\.0 MB in \d+ bytes"):
        open_source(tmp_path / "D.mat")
    with h5py.File(tmp_path / "D.h5", "w") as file:
        file.create_dataset("X", (5 * 10**9, 5000), "f8", chunks=(1000, 100))
    with pytest.raises(InputError, match=r"D\.h5: claims to hold 200\.0 TB in 0 bytes"):
        open_source(tmp_path / "D.h5")
    zarr.create_array(str(tmp_path / "D.zarr"), shape=(5 * 10**9, 5000), chunks=(1000, 100), dtype="f8")
    with pytest.raises(InputError, match=r"D\.zarr: claims to hold 200\.0 TB in \d+ bytes"):
        open_source(tmp_path / "D.zarr")


def test_pickled_objects_in_an_archive(tmp_path):
    canary = tmp_path / "canary"

    class Trap:
        def __reduce__(self):
            return Path.touch, (canary,)

    np.savez(tmp_path / "D.npz", X=np.array([[Trap()]], object))
    with pytest.raises(InputError, match=r"array 'X': holds pickled Python objects"):
        open_source(tmp_path / "D.npz")
    assert not canary.exists()


def test_array_that_is_no_table(tmp_path, write):
    path = write(tmp_path, X=X, cube=np.ones((2, 3, 4, 5)))
    with pytest.raises(InputError, match=r"must be a table with a point in each row, but has shape"):
        open_source(path, key="cube")


def test_hdf5_text_is_not_offered(tmp_path):
    with h5py.File(tmp_path / "D.h5", "w") as file:
        file["names"] = np.array([[b"a", b"b"], [b"c", b"d"]])
        file["empty"] = h5py.Empty("f8")
    with pytest.raises(InputError, match=r"it holds no arrays of numbers\.$"):
        open_source(tmp_path / "D.h5")
