"""Faults of .npy files: a sentence, never a signal."""

from __future__ import annotations

import io
import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.sources import npy, open_source
from subspan.sources.npy import NpySource


def written(folder: Path, X: np.ndarray, **options) -> Path:
    path = folder / "X.npy"
    np.save(path, X, **options)
    return path


def with_header(folder: Path, header: str, data: bytes = b"") -> Path:
    """A file with any header at all."""
    text = header.encode("latin1").ljust(117) + b"\n"
    path = folder / "X.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data)
    return path


@pytest.mark.parametrize("keep", [0, 5, 9, 60, 128, 128 + 4 * 299])
def test_truncated_file(tmp_path, keep):
    path = written(tmp_path, np.ones((100, 3), np.float32))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"X\.npy: ") as caught:
        open_source(path)
    if keep >= 128:
        assert f"(100, 3), 1328 bytes in all, but the file has {keep} bytes" in str(caught.value)


@pytest.mark.parametrize("order", ["C", "F"])
def test_file_that_shrinks_while_open(tmp_path, order):
    X = np.asarray(np.random.default_rng(0).standard_normal((5000, 40)), order=order)
    path = written(tmp_path, X)
    source = open_source(path)
    os.truncate(path, 800_000)
    expected = r"X\.npy: .* 1600128 bytes in all, but the file has 800000 bytes\.$"
    with pytest.raises(InputError, match=expected):
        source.rows(4000, 5000)
    with pytest.raises(InputError, match=expected):
        source.take(np.array([1, 4999]))
    if order == "C":
        assert np.array_equal(source.rows(0, 1000), X[:1000])


def test_file_that_vanishes(tmp_path):
    path = written(tmp_path, np.eye(3))
    source = open_source(path)
    path.unlink()
    with pytest.raises(InputError, match=r"X\.npy: cannot be read \(No such file or directory\)"):
        source.rows(0, 1)


def test_reads_that_come_in_parts(tmp_path, monkeypatch):
    """The system may answer with fewer bytes than asked for."""
    X = np.random.default_rng(0).standard_normal((50, 7))
    source = NpySource(written(tmp_path, X))

    class Dribble(io.FileIO):
        def readinto(self, buffer):
            return super().readinto(buffer[:100])

    monkeypatch.setattr(npy.NpySource, "_open", lambda self: Dribble(self._path))
    assert np.array_equal(source.rows(3, 40), X[3:40])


def test_permission_denied(tmp_path, monkeypatch):
    path = written(tmp_path, np.eye(3))

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"X\.npy: cannot be read \(Permission denied\)"):
        open_source(path)


def test_pickled_objects_are_never_loaded(tmp_path):
    canary = tmp_path / "canary"

    class Trap:
        def __reduce__(self):
            return Path.touch, (canary,)

    path = written(tmp_path, np.array([[Trap()]], object), allow_pickle=True)
    with pytest.raises(InputError, match=r"X\.npy: holds pickled Python objects"):
        open_source(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match=r"X\.npy: is not a sound \.npy file"):
        open_source(path)
    assert not canary.exists()


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.ones(5), r"has shape \(5,\)"),
        (np.ones((2, 3, 4, 5)), r"has shape \(2, 3, 4, 5\)"),
        (np.array(1.0), r"has shape \(\)"),
        (np.ones((0, 3)), r"has no entries \(its shape is \(0, 3\)\)"),
        (np.ones((3, 0)), r"has no entries"),
        (np.ones((3, 2), complex), r"has dtype complex128"),
        (np.array([["a", "b"]]), r"has dtype <U1"),
        (np.zeros((2, 2), "datetime64[D]"), r"has dtype datetime64\[D\]"),
        (np.zeros((2, 2), [("a", "f4")]), r"has dtype \[\('a'"),
    ],
)
def test_what_is_not_a_table_of_numbers(tmp_path, array, reason):
    with pytest.raises(InputError, match=rf"X\.npy: .*{reason}"):
        open_source(written(tmp_path, array))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (5000000000, 5000), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 5), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, -2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 'a'), }",
        "{'descr': '<f8', 'shape': (3, 2), }",
        "{'descr': 'nonsense', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)",
        "__import__('os').getcwd()",
        "[" * 100,
    ],
)
@pytest.mark.filterwarnings("ignore:Reading")
def test_headers_that_promise_too_much_or_nothing(tmp_path, header):
    path = with_header(tmp_path, header, bytes(48))
    with pytest.raises(InputError, match=r"^\S*X\.npy: (its header announces|is not a sound \.npy file)"):
        open_source(path)


def test_header_of_megabytes(tmp_path):
    path = tmp_path / "X.npy"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }".ljust(2 * 10**6) + b"\n"
    path.write_bytes(b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header + bytes(8))
    with pytest.raises(InputError, match=r"X\.npy: is not a sound \.npy file"):
        open_source(path)


@pytest.mark.parametrize("version", [(2, 0), (3, 0), (9, 9)])
def test_versions_of_the_format(tmp_path, version):
    path = tmp_path / "X.npy"
    with path.open("wb") as file:
        np.lib.format.write_array(file, np.eye(3), version=(2, 0))
    content = bytearray(path.read_bytes())
    content[6:8] = bytes(version)
    path.write_bytes(content)
    if version == (2, 0):
        assert np.array_equal(open_source(path).rows(0, 3), np.eye(3))
    else:
        with pytest.raises(InputError, match=r"version \d\.\d of the format is not known"):
            open_source(path)


def test_mutated_files_give_rows_or_a_sentence(tmp_path):
    path = written(tmp_path, np.ones((6, 4), np.float32))
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            content = bytearray(sound)
            for place in rng.integers(0, 128, rng.integers(1, 4)):
                content[place] = rng.integers(0, 256)
            path.write_bytes(content)
            try:
                source = open_source(path)
                source.rows(0, source.shape[0])
            except InputError:
                refused += 1
    assert refused > 30


def test_chosen_rows_are_read_in_few_calls(tmp_path, monkeypatch):
    X = np.random.default_rng(0).standard_normal((4000, 6))
    source = NpySource(written(tmp_path, X))
    reads = []
    fill = NpySource._fill
    monkeypatch.setattr(
        NpySource,
        "_fill",
        lambda self, file, out, offset: (reads.append(out.nbytes), fill(self, file, out, offset)),
    )
    near, far = np.arange(0, 4000, 3), np.array([0, 1500, 3999])
    assert np.array_equal(source.take(near), X[near])
    assert len(reads) == 1
    assert np.array_equal(source.take(far), X[far])
    assert sum(reads[1:]) == 3 * 6 * 8
    # Rows of more bytes than are read in one call.
    long = np.random.default_rng(1).standard_normal((2 * npy.SPAN_BYTES // 2**12, 2**9))
    reads.clear()
    assert np.array_equal(NpySource(written(tmp_path, long)).take(np.arange(len(long))), long)
    assert len(reads) == 2
    assert max(reads) <= npy.SPAN_BYTES


def test_indices_have_to_be_sorted(tmp_path):
    with pytest.raises(ValueError, match="sorted"):
        NpySource(written(tmp_path, np.eye(4))).take(np.array([2, 1]))
