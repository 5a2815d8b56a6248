"""Files that would give a wrong answer without a word, or none at all, are refused with a sentence."""

from __future__ import annotations

import os
import time
import zlib

import h5py
import numpy as np
import pytest
import scipy.io
import zarr

from subspan import SSCOMP
from subspan.handover import InputError
from subspan.sources import open_source

X = np.random.default_rng(0).standard_normal((40, 6))


@pytest.mark.parametrize("cell", ["NA", "", "-", '"1,234"', "n/a", "?", "rose"])
def test_a_first_line_with_one_bad_cell_is_no_header(cell, tmp_path):
    path = tmp_path / "X.csv"
    path.write_text(f"1.5,{cell},2.5\n3,4,5\n")
    if cell in {'"1,234"', "rose"}:
        with pytest.raises(InputError, match="line 1"):
            open_source(path)
    else:
        np.testing.assert_array_equal(open_source(path).rows(0, 2), [[1.5, np.nan, 2.5], [3, 4, 5]])


@pytest.mark.parametrize("header", ["a,b,c", "label,0,1", ",0,1", "id,x1,", "width,NA,height"])
def test_names_are_a_header(header, tmp_path):
    path = tmp_path / "X.csv"
    path.write_text(f"{header}\n3,4,5\n6,7,8\n")
    # A first column without a name is the index of pandas.
    first = 1 if header == ",0,1" else 0
    rows = np.array([[3, 4, 5], [6, 7, 8]])[:, first:]
    np.testing.assert_array_equal(open_source(path).rows(0, 2), rows)


def test_a_stray_quote_costs_no_more_than_the_file(tmp_path):
    path = tmp_path / "X.csv"
    path.write_text('a,b\n1,"2\n' + "3,4\n" * 200_000)
    start = time.perf_counter()
    with pytest.raises(InputError, match="quote that opens in line 2 does not close"):
        open_source(path)
    assert time.perf_counter() - start < 10


def test_missing_chunks_of_zarr_are_not_zeros(tmp_path):
    path = tmp_path / "X.zarr"
    array = zarr.create_array(str(path), shape=X.shape, chunks=(10, 3), dtype="f8")
    array[:30] = X[:30]
    with pytest.raises(InputError, match="2 of 8 chunks are missing"):
        open_source(path)
    array[30:] = X[30:]
    assert np.array_equal(open_source(path).rows(0, 40), X)


def test_missing_chunks_of_hdf5_are_not_zeros(tmp_path):
    path = tmp_path / "X.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("X", X.shape, "f8", chunks=(10, 3))[:30] = X[:30]
    with pytest.raises(InputError, match="2 of 8 chunks are missing"):
        open_source(path)


def test_hdf5_does_not_read_other_files(tmp_path):
    (tmp_path / "secret").write_bytes(X.tobytes())
    with h5py.File(tmp_path / "X.h5", "w") as file:
        file.create_dataset("X", X.shape, "f8", external=[(str(tmp_path / "secret"), 0, X.nbytes)])
    with pytest.raises(InputError, match="X refers to other files"):
        open_source(tmp_path / "X.h5")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "X.csv")
    with pytest.raises(InputError, match="is not a regular file"):
        open_source(tmp_path / "X.csv")


def test_paths_that_lead_nowhere():
    with pytest.raises(InputError, match="empty path"):
        open_source("")
    with pytest.raises(InputError, match="there is no such user"):
        open_source("~nobody-of-this-name/X.npy")


def test_an_archive_is_not_unpacked_before_there_is_a_plan(tmp_path, monkeypatch):
    np.savez(tmp_path / "X.npz", X=np.ones((500, 400)))
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match="memory_budget: 1 MB is too little"):
        SSCOMP(2, memory_budget="1MB").fit(tmp_path / "X.npz")


def test_objects_beside_the_array_that_is_asked_for(tmp_path):
    np.savez(tmp_path / "D.npz", X=np.eye(3), names=np.array([object()]))
    assert np.array_equal(open_source(tmp_path / "D.npz", key="X").rows(0, 3), np.eye(3))
    assert open_source(tmp_path / "D.npz").shape == (3, 3)
    with pytest.raises(InputError, match="array 'names': holds pickled Python objects"):
        open_source(tmp_path / "D.npz", key="names")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("place", [128, 136, 152, 168, 176])
def test_unknown_types_in_matlab_files_are_refused(place, compressed, tmp_path):
    path = tmp_path / "X.mat"
    scipy.io.savemat(path, {"X": X}, do_compression=compressed)
    content = bytearray(path.read_bytes())
    if compressed:
        inner = bytearray(zlib.decompress(content[136:]))
        inner[place - 128 + (place % 8 == 0)] = 255
        packed = zlib.compress(inner)
        content[132:] = len(packed).to_bytes(4, "little") + packed
    else:
        content[place + (place % 8 == 0)] = 255
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"type \d+ of data is unknown"):
        open_source(path)
