"""Fingerprints: the same for the same data wherever they are, another for other data."""

from __future__ import annotations

import os

import numpy as np
import pytest

from subspan.sources import ArraySource
from subspan.sources.identity import file_stamp, fingerprint, stored_bytes


def print_of(X: np.ndarray) -> str:
    return fingerprint(ArraySource(X))


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 70, 1000])
def test_same_numbers_same_print(n_rows):
    X = np.random.default_rng(0).standard_normal((n_rows, 5))
    assert print_of(X) == print_of(np.repeat(X, 2, axis=0)[::2].copy())
    others = [X.astype(np.float32), X[:, :4].copy(), np.vstack([X, X[:1]]), X + 1e-9]
    assert len({print_of(X), *map(print_of, others)}) == 5


@pytest.mark.parametrize("n_rows", [1, 64, 65, 1000])
@pytest.mark.parametrize("row", [0, -1])
def test_a_change_at_either_end_shows(n_rows, row):
    X = np.ones((n_rows, 3))
    changed = X.copy()
    changed[row, 1] = np.nextafter(1, 2)
    assert print_of(changed) != print_of(X)


def test_up_to_64_rows_a_change_anywhere_shows():
    X = np.ones((64, 3))
    prints = {print_of(X)}
    for row in range(64):
        changed = X.copy()
        changed[row, 2] = 2
        prints.add(print_of(changed))
    assert len(prints) == 65


def test_stamps_of_files_and_folders(tmp_path):
    (tmp_path / "inner").mkdir()
    for name, n_bytes, written in (("a", 10, 5), ("inner/b", 7, 9), ("inner/c", 0, 2)):
        (tmp_path / name).write_bytes(bytes(n_bytes))
        os.utime(tmp_path / name, ns=(0, written * 10**9))
    assert stored_bytes(tmp_path) == 17
    assert file_stamp(tmp_path / "a") == "bytes=10 written=5000000000"
    # The sum and the latest.
    assert file_stamp(tmp_path) == "bytes=17 written=9000000000"
    assert fingerprint(ArraySource(np.eye(2)), "bytes=1").endswith(" bytes=1")
