"""Rows of a matrix in a MATLAB file, of the old format or of the one that is HDF5."""

from __future__ import annotations

import math
import struct
import zlib
from functools import partial
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from subspan.sources.array import Packed
from subspan.sources.choosing import choose_array
from subspan.sources.cubes import PixelSource, open_cube
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_claim, check_table, reading
from subspan.sources.hdf5 import Hdf5Source, open_hdf5
from subspan.sources.identity import file_stamp

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# MATLAB puts a header of its own before the HDF5 part.
HEADER_BYTES = 512

# Files of version 5: order of bytes, types of data, and the bytes of a matrix that hold its tags.
ORDERS = {b"IM": "<", b"MI": ">"}
MATRIX, COMPRESSED = 14, 15
NUMBERS = {*range(1, 8), 9, 12, 13}
KINDS = NUMBERS | {*range(14, 19)}
# Of flags, shape, name and entries of a matrix of numbers, and the classes of such matrices.
OF_NUMBERS = {6}, {5}, {1}, NUMBERS
NUMERIC = range(6, 16)
# Behind the numbers there are the imaginary parts.
COMPLEX = 0x800
TAG_BYTES = 4096

# Classes of numbers, as the file names them, and what an entry of each is.
CLASSES: dict[str, np.dtype] = {
    "double": np.dtype(np.float64),
    "single": np.dtype(np.float32),
    "logical": np.dtype(np.bool_),
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def open_mat(path: Path, key: str | None = None) -> Packed | Hdf5Source | PixelSource:
    """The matrix called `key`, or the only one that is not a vector; pixels of a cube are rows.

    Files of version 7.3 are HDF5 and are read piece by piece; older ones are unpacked into memory.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "faces.mat"
    >>> scipy.io.savemat(path, {"X": np.eye(3), "labels": np.arange(3)})
    >>> open_mat(path).shape
    (3, 3)
    """
    name = str(path)
    with reading(name), path.open("rb") as file:
        header = file.read(HEADER_BYTES + len(HDF5_SIGNATURE))
    if HDF5_SIGNATURE in (header[: len(HDF5_SIGNATURE)], header[HEADER_BYTES:]):
        return open_hdf5(path, key, transposed=True)
    # SciPy imports this part when it is first asked for; few need it.
    with reading(name):
        _check_tags(path)
        listed = {array: (shape, kind) for array, shape, kind in scipy.io.whosmat(path)}
        shapes = {array: shape for array, (shape, kind) in listed.items() if kind in CLASSES}
        chosen = choose_array(name, shapes, key)
        check_claim(
            name, math.prod(shapes[chosen]) * CLASSES[listed[chosen][1]].itemsize, path.stat().st_size
        )
    dtype = float_type(CLASSES[listed[chosen][1]], name)
    unpack = partial(_unpack, path.absolute(), chosen)
    if len(shapes[chosen]) == 3:
        with reading(name):
            return open_cube(unpack(), name, file_stamp(path))
    return Packed(path, check_table(name, shapes[chosen]), dtype, unpack)


def _check_tags(path: Path) -> None:
    """Refuse types of data that there are not: SciPy's compiled reader follows them out of its memory."""
    with path.open("rb") as file:
        header = file.read(128)
        order = ORDERS.get(header[126:])
        # Older files have no such header.
        while order is not None and len(tag := file.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            after = file.tell() + size
            part = file.read(min(size, TAG_BYTES))
            if kind == COMPRESSED:
                part = zlib.decompressobj().decompress(part, TAG_BYTES)
                kind, part = struct.unpack(f"{order}I", part[:4])[0], part[8:]
            if kind == MATRIX:
                _check_parts(part, order)
            elif kind not in KINDS:
                raise ValueError(f"type {kind} of data is unknown")
            file.seek(after)


def _check_parts(part: bytes, order: str) -> None:
    """The tags of flags, shape, name and entries, as far as they are in `part`."""
    place = 0
    flags = struct.unpack_from(f"{order}I", part.ljust(12, b"\0"), 8)[0]
    numeric = flags & 0xFF in NUMERIC
    for allowed in (*OF_NUMBERS, NUMBERS)[: 5 if numeric and flags & COMPLEX else 4]:
        if place + 8 > len(part):
            return
        kind, size = struct.unpack_from(f"{order}II", part, place)
        # Of small parts the first number has the size as well, and the second is the data.
        small = kind >> 16 != 0
        kind, step = (kind & 0xFFFF, 8) if small else (kind, 8 + -(-size // 8) * 8)
        if kind not in (allowed if numeric else KINDS):
            raise ValueError(f"type {kind} of data is unknown")
        place += step


def _unpack(path: Path, chosen: str) -> NDArray[np.generic]:
    matrix: NDArray[np.generic] = scipy.io.loadmat(path, variable_names=[chosen])[chosen]
    return matrix
