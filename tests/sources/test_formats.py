"""One table in every format gives the same rows, bit for bit."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask.array
import h5py
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
import scipy.io
import zarr

from subspan.sources import ArraySource, Source, open_source
from subspan.sources import chunked as chunked_module

N_ROWS, N_COLUMNS = 700, 5
NAMES = [f"column {j}" for j in range(N_COLUMNS)]


def table(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    if np.dtype(dtype).kind == "f":
        return (rng.standard_normal((N_ROWS, N_COLUMNS)) * 1000).astype(dtype)
    return rng.integers(0, 100, (N_ROWS, N_COLUMNS)).astype(dtype)


def npy(folder: Path, X: np.ndarray) -> Path:
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def npy_in_fortran_order(folder: Path, X: np.ndarray) -> Path:
    return npy(folder, np.asfortranarray(X))


def npy_in_foreign_byte_order(folder: Path, X: np.ndarray) -> Path:
    return npy(folder, X.astype(X.dtype.newbyteorder(">")))


def npz(folder: Path, X: np.ndarray) -> Path:
    np.savez_compressed(folder / "X.npz", X=X, y=np.arange(len(X)))
    return folder / "X.npz"


def hdf5(folder: Path, X: np.ndarray, **options) -> Path:
    with h5py.File(folder / "X.h5", "w") as file:
        file.create_dataset("group/X", data=X, **options)
        file["y"] = np.arange(len(X))
    return folder / "X.h5"


def hdf5_in_chunks(folder: Path, X: np.ndarray) -> Path:
    return hdf5(folder, X, chunks=(33, 2), compression="gzip")


def mat(folder: Path, X: np.ndarray) -> Path:
    scipy.io.savemat(folder / "X.mat", {"X": X, "y": np.arange(len(X)), "title": "points"})
    return folder / "X.mat"


def mat_of_version_7_3(folder: Path, X: np.ndarray) -> Path:
    """As MATLAB writes it: transposed, behind a header of 512 bytes."""
    path = folder / "X.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file.create_dataset("X", data=X.T, chunks=(N_COLUMNS, 100))
        file["y"] = np.arange(len(X))[None]
        file.create_group("#refs#")["a"] = X
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM")
    return path


def zarr_array(folder: Path, X: np.ndarray) -> Path:
    zarr.create_array(str(folder / "X.zarr"), data=X, chunks=(64, 3))
    return folder / "X.zarr"


def zarr_group(folder: Path, X: np.ndarray) -> Path:
    group = zarr.open_group(str(folder / "data"), mode="w")
    group.create_array("inner/X", data=X, chunks=(64, 3))
    group.create_array("y", data=np.arange(len(X)))
    return folder / "data"


def zarr_object(folder: Path, X: np.ndarray) -> zarr.Array:
    return zarr.open_array(str(zarr_array(folder, X)), mode="r")


def arrow(_: Path, X: np.ndarray) -> pyarrow.Table:
    halves = [pyarrow.table(dict(zip(NAMES, half.T, strict=True))) for half in np.array_split(X, 2)]
    return pyarrow.concat_tables(halves)


def record_batch(_: Path, X: np.ndarray) -> pyarrow.RecordBatch:
    return pyarrow.record_batch([pyarrow.array(column) for column in X.T], names=NAMES)


def parquet(folder: Path, X: np.ndarray) -> Path:
    pyarrow.parquet.write_table(arrow(folder, X), folder / "X.parquet", row_group_size=96)
    return folder / "X.parquet"


def pandas_frame(_: Path, X: np.ndarray) -> pandas.DataFrame:
    return pandas.DataFrame(X, columns=NAMES)


def polars_frame(_: Path, X: np.ndarray) -> polars.DataFrame:
    return polars.DataFrame(X, schema=NAMES)


def dask_array(_: Path, X: np.ndarray) -> dask.array.Array:
    return dask.array.from_array(X, chunks=((300, 1, 399), (2, 3)))


def array(_: Path, X: np.ndarray) -> np.ndarray:
    return X[:, ::-1].copy()[:, ::-1]


FORMATS = [
    npy, npy_in_fortran_order, npy_in_foreign_byte_order, npz, hdf5, hdf5_in_chunks, mat, mat_of_version_7_3,
    zarr_array, zarr_group, zarr_object, parquet, arrow, record_batch, pandas_frame, polars_frame, dask_array,
    array,
]  # fmt: skip
EXPECTED = {
    "float32": "float32",
    "float64": "float64",
    "uint8": "float32",
    "int16": "float32",
    "int32": "float64",
    "int64": "float64",
}


@pytest.fixture(params=FORMATS, ids=lambda write: write.__name__)
def write(request):
    return request.param


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Pieces and the store of pieces far smaller than the table, so that borders are crossed."""
    monkeypatch.setattr(chunked_module, "PIECE_BYTES", 4000)
    monkeypatch.setattr(chunked_module, "KEPT_BYTES", 9000)


@pytest.mark.parametrize("dtype", EXPECTED)
def test_round_trip(tmp_path, write, dtype):
    X = table(dtype)
    source = open_source(write(tmp_path, X))
    expected = X.astype(EXPECTED[dtype])
    assert isinstance(source, Source)
    assert source.shape == X.shape
    assert source.dtype == expected.dtype == source.rows(0, 1).dtype
    for start, stop in ((0, N_ROWS), (0, 1), (95, 97), (128, 256), (640, 768), (N_ROWS, N_ROWS + 128)):
        rows = source.rows(start, stop)
        assert rows.flags.c_contiguous
        assert rows.tobytes() == np.ascontiguousarray(expected[start:stop]).tobytes()
    for indices in (np.arange(0, N_ROWS, 7), np.array([0, 1, 99, 100, 100, 699]), np.array([], int)):
        chosen = source.take(indices)
        assert chosen.dtype == expected.dtype
        assert chosen.tobytes() == expected[indices].tobytes()
        chosen[:] = 0
    assert np.array_equal(source.rows(0, N_ROWS), expected)


def test_threads_read_the_same_rows(tmp_path, write):
    X = table("float32")
    source = open_source(write(tmp_path, X))
    starts = np.random.default_rng(1).permutation(np.tile(np.arange(0, N_ROWS, 64), 4))

    def read(start: int) -> bool:
        indices = np.arange(start, N_ROWS, 50)
        same_rows = np.array_equal(source.rows(start, start + 64), X[start : start + 64])
        return same_rows and np.array_equal(source.take(indices), X[indices])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, starts.tolist()))


def test_fingerprint_tells_data_apart(tmp_path, write):
    X = table("float64")
    data = write(tmp_path, X)
    mark = open_source(data).fingerprint()
    assert mark == open_source(data).fingerprint()
    assert mark.startswith("shape=700x5 dtype=float64 rows=")
    other = X.copy()
    other[0, 0] += 1
    folder = tmp_path / "other"
    folder.mkdir()
    sampled = open_source(write(folder, other)).fingerprint().split()[2]
    assert sampled != mark.split()[2]


def test_rows_of_every_format_have_one_hash(tmp_path, write):
    X = table("float64")
    expected = ArraySource(X).fingerprint()
    assert open_source(write(tmp_path, X)).fingerprint().startswith(expected)


def test_pickled_source_is_opened_anew(tmp_path, write):
    X = table("float32")
    data = write(tmp_path, X)
    source = open_source(data)
    letter = pickle.dumps(source)
    again = pickle.loads(letter)
    assert np.array_equal(again.rows(100, 300), X[100:300])
    assert again.fingerprint() == source.fingerprint()
    if not isinstance(source, ArraySource) and not isinstance(data, dask.array.Array):
        assert len(letter) < 4000


def test_memory_that_stays_taken_is_known(tmp_path, write):
    source = open_source(write(tmp_path, table("float64")))
    for start in range(0, N_ROWS, 50):
        source.rows(start, start + 50)
    kept = sum(rows.nbytes for rows in getattr(source, "_kept", {}).values())
    assert kept <= source.held_bytes <= N_ROWS * N_COLUMNS * 8
