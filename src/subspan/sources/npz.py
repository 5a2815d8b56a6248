"""Rows of one array of a .npz archive, unpacked into memory."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np

from subspan.sources.array import ArraySource
from subspan.sources.choosing import choose_array
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_claim, check_table, reading
from subspan.sources.identity import file_stamp
from subspan.sources.npy import Header, read_header


def open_npz(path: Path, key: str | None = None) -> ArraySource:
    """The array called `key`, or the only table of the archive.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "data.npz"
    >>> np.savez(path, X=np.eye(3), y=np.arange(3))
    >>> open_npz(path).shape
    (3, 3)
    """
    name = str(path)
    with reading(name), ZipFile(path) as archive:
        headers = {
            member.removesuffix(".npy"): _header(archive, member, name)
            for member in archive.namelist()
            if member.endswith(".npy")
        }
        numeric = {array: header for array, header in headers.items() if header is not None}
        chosen = choose_array(name, {array: header.shape for array, header in numeric.items()}, key)
        header = numeric[chosen]
        check_table(name, header.shape)
        member = archive.getinfo(f"{chosen}.npy")
        check_claim(name, max(member.file_size, header.n_bytes), member.compress_size)
        with archive.open(member) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
    return ArraySource(
        np.ascontiguousarray(array, float_type(array.dtype, name)), name, stamp=file_stamp(path)
    )


def _header(archive: ZipFile, member: str, name: str) -> Header | None:
    """What the archive says about one array, read without unpacking it; None if it holds no numbers."""
    with archive.open(member) as file:
        header = read_header(file, f"{name}, array {member.removesuffix('.npy')!r}")
    return header if header.stored.kind in "biuf" else None
