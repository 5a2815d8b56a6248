"""A job travels as a small message, and comes out as it went in."""

from __future__ import annotations

import os

import dask.array
import numpy as np
import pytest

from subspan.execution.recipes import packed, unpacked
from subspan.sources import Subset, open_source


def test_large_arrays_stay_behind(tmp_path):
    X = np.random.default_rng(0).standard_normal((500, 20))
    np.save(tmp_path / "X.npy", X)
    kept = np.arange(0, 500, 2)
    views = {
        "file": Subset(open_source(tmp_path / "X.npy"), np.repeat(kept, 10)),
        # Only some picklers take a function without a name.
        "dask": open_source(dask.array.from_array(X, chunks=(100, 20)).map_blocks(lambda block: 2 * block)),
        "fortran": np.asfortranarray(X),
        "text": np.array(["a", "b"], object),
    }
    recipe = packed(views, tmp_path)
    assert len(recipe) < 4096 < X.nbytes
    again = unpacked(recipe, tmp_path)
    assert np.array_equal(again["file"].rows(0, 30), X[np.repeat(kept, 10)[:30]])
    assert np.array_equal(again["dask"].rows(90, 110), 2 * X[90:110])
    assert np.array_equal(again["fortran"], X)
    assert again["text"].tolist() == ["a", "b"]


def test_small_ones_travel(tmp_path):
    assert unpacked(packed(np.arange(5), tmp_path), tmp_path).tolist() == [0, 1, 2, 3, 4]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_array_is_not_used(tmp_path):
    recipe = packed(np.arange(10_000.0), tmp_path)
    (path,) = tmp_path.iterdir()
    with path.open("r+b") as file:
        file.seek(-5, os.SEEK_END)
        file.write(b"\x01")
    with pytest.raises(OSError, match=r"^work_dir: .*\.npy was damaged while the job was running\.$"):
        unpacked(recipe, tmp_path)


def test_arrays_with_the_same_bytes_are_told_apart(tmp_path):
    pytest.importorskip("cloudpickle")
    job = [np.zeros(1000), np.zeros(1000, np.int64), np.zeros((10, 100))]
    found = unpacked(packed(job, tmp_path), tmp_path)
    assert [(each.dtype, each.shape) for each in found] == [(each.dtype, each.shape) for each in job]
