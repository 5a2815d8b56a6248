"""Files that change after they were first read: a sentence, never a mixture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import dask.array
import h5py
import numpy as np
import pytest
import zarr

from subspan.handover import InputError
from subspan.sources import Source, Subset, chunked, open_source, scan

X = np.random.default_rng(0).standard_normal((1000, 5))


def npy(folder: Path, X: np.ndarray) -> Path:
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def csv(folder: Path, X: np.ndarray) -> Path:
    np.savetxt(folder / "X.csv", X, delimiter=",", fmt="%.20f")
    return folder / "X.csv"


def zarr_array(folder: Path, X: np.ndarray) -> Path:
    zarr.create_array(str(folder / "X.zarr"), data=X, chunks=(100, 5), overwrite=True)
    return folder / "X.zarr"


def watched(path: Path) -> Source:
    source = open_source(path)
    return scan(source, normalize=True).watched(source)


def test_rows_that_have_not_changed_come_through(tmp_path):
    source = watched(npy(tmp_path, X))
    for start, stop in ((0, 1000), (128, 256), (130, 140), (100, 300), (896, 1100), (1000, 1100)):
        assert np.array_equal(source.rows(start, stop), X[start:stop])
    chosen = np.array([0, 5, 999])
    assert np.array_equal(source.take(chosen), X[chosen])


@pytest.mark.parametrize("write", [npy, csv, zarr_array])
def test_one_bit_is_enough(tmp_path, write, monkeypatch):
    # Pieces that are kept do not change; these are too small to stay.
    monkeypatch.setattr(chunked, "PIECE_BYTES", 4000)
    monkeypatch.setattr(chunked, "KEPT_BYTES", 0)
    path = write(tmp_path, X)
    source = watched(path)
    other = X.copy()
    other[400, 2] = np.nextafter(other[400, 2], 9)
    write(tmp_path, other)
    assert np.array_equal(source.rows(0, 384), X[:384])
    for start, stop in ((384, 512), (256, 768), (0, 1000), (300, 390)):
        with pytest.raises(InputError, match=r": rows 384 to 511 have changed since they were first read\.$"):
            source.rows(start, stop)
    # Chosen rows have no hash of their own: the file as a whole is in doubt.
    with pytest.raises(InputError, match=rf"{path.name}: has changed since it was first read\.$"):
        source.take(np.array([0, 5]))


def replaced(path: Path) -> None:
    np.save(path.with_name("new.npy"), X[::-1].astype(np.float32))
    path.with_name("new.npy").replace(path)


def replaced_by_a_copy_of_its_age(path: Path) -> None:
    stat = path.stat()
    np.save(path, X[::-1])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


FAULTS: dict[Callable[[Path], None], str] = {
    replaced: "rows 0 to 127 have changed|bytes in all, but the file has 20128",
    replaced_by_a_copy_of_its_age: "rows 0 to 127 have changed|has changed since",
    lambda path: os.truncate(path, 20_000): "40128 bytes in all, but the file has 20000 bytes",
    Path.unlink: r"cannot be read \(No such file or directory\)",
}


@pytest.mark.parametrize(("spoil", "message"), FAULTS.items(), ids=["replaced", "aged", "cut", "gone"])
def test_a_file_that_is_no_longer_what_it_was(tmp_path, spoil, message):
    path = npy(tmp_path, X)
    source = watched(path)
    spoil(path)
    with pytest.raises(InputError, match=rf"^{path}: .*({message})"):
        source.rows(0, 1000)
    with pytest.raises(InputError, match=rf"^{path}: .*({message}|has changed since)"):
        source.take(np.array([0, 999]))


def test_rows_around_those_left_out_are_looked_at(tmp_path):
    path = npy(tmp_path, X)
    source = Subset(watched(path), np.setdiff1d(np.arange(1000), [3, 77, 500]))
    assert np.array_equal(source.rows(70, 198), np.delete(X, [3, 77, 500], axis=0)[70:198])
    stat = path.stat()
    npy(tmp_path, np.where(np.arange(1000)[:, None] == 150, 0, X))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(InputError, match="rows 128 to 255 have changed"):
        source.rows(70, 198)


def test_the_same_content_is_the_same_data_wherever_it_is(tmp_path):
    prints = {watched(write(tmp_path, X)).fingerprint() for write in (npy, zarr_array)}
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file["X"] = X
    prints.add(watched(tmp_path / "X.h5").fingerprint())
    assert len(prints) == 1
    other = X.copy()
    other[501, 3] = np.nextafter(other[501, 3], 9)
    assert watched(npy(tmp_path, other)).fingerprint() not in prints


def test_an_array_that_is_computed_anew_each_time():
    """A Dask array without a seed is another one at every look."""
    calls = iter(range(10**6))

    def block(piece: np.ndarray) -> np.ndarray:
        return piece + next(calls)

    array = dask.array.ones((1000, 5), chunks=(500, 5)).map_blocks(block, dtype=float)
    source = open_source(array)
    rows = scan(source, normalize=True).watched(source)
    source._kept.clear()
    with pytest.raises(InputError, match="X: rows 0 to 127 have changed"):
        rows.rows(0, 128)
