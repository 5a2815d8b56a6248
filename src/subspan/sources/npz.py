"""Rows of one array of a .npz archive."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from subspan.sources.array import Packed
from subspan.sources.choosing import choose_array
from subspan.sources.cubes import PixelSource, open_cube
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_claim, check_table, reading
from subspan.sources.identity import file_stamp
from subspan.sources.npy import Header, check_no_objects, read_header


def open_npz(path: Path, key: str | None = None) -> Packed | PixelSource:
    """The array called `key`, or the only table of the archive; pixels of a cube are rows.

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
        numeric = {array: header for array, header in headers.items() if header.stored.kind in "biuf"}
        for array, header in headers.items():
            if array == key or not numeric:
                check_no_objects(header, f"{name}, array {array!r}")
        chosen = choose_array(name, {array: header.shape for array, header in numeric.items()}, key)
        header = numeric[chosen]
        member = archive.getinfo(f"{chosen}.npy")
        check_claim(name, max(member.file_size, header.n_bytes), member.compress_size)
    unpack = partial(_unpack, path.absolute(), chosen)
    if len(header.shape) == 3:
        with reading(name):
            return open_cube(unpack(), name, file_stamp(path))
    shape = check_table(name, header.shape)
    return Packed(path, shape, float_type(header.stored, name), unpack)


def _unpack(path: Path, chosen: str) -> NDArray[np.generic]:
    with ZipFile(path) as archive, archive.open(f"{chosen}.npy") as file:
        array: NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def _header(archive: ZipFile, member: str, name: str) -> Header:
    """What the archive says about one array, read without unpacking it."""
    with archive.open(member) as file:
        return read_header(file, f"{name}, array {member.removesuffix('.npy')!r}")
