"""Rows of a .npy file, by plain reads.

A file that is mapped into memory and then shrinks ends the process with a signal that nothing can catch.
A read that returns too little becomes an error with a message.
"""

from __future__ import annotations

import os
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.chunked import check_sorted
from subspan.sources.cubes import PixelSource, open_cube
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_table, reading
from subspan.sources.identity import file_stamp, fingerprint

Floats = NDArray[np.floating]

# Chosen rows are read together with what lies between them: a gap up to this many bytes costs less than
# another call, and a span up to this many bytes is small beside any plan.
GAP_BYTES = 2**14
SPAN_BYTES = 2**22


@dataclass(frozen=True)
class Header:
    """What a .npy file says about itself."""

    shape: tuple[int, ...]
    fortran_order: bool
    stored: np.dtype
    # Where the numbers begin.
    offset: int

    @property
    def n_bytes(self) -> int:
        """Of the whole array; Python's integers do not overflow on absurd shapes."""
        n_entries = 1
        for side in self.shape:
            n_entries *= side
        return n_entries * self.stored.itemsize


def read_header(file: IO[bytes], name: str) -> Header:
    """The header of a .npy file; one that is unsound is refused."""
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    try:
        version = np.lib.format.read_magic(file)
        if version not in readers:
            raise ValueError(f"version {version[0]}.{version[1]} of the format is not known")
        shape, fortran_order, stored = readers[version](file)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"{name}: is not a sound .npy file ({reason}).") from error
    return Header(tuple(int(side) for side in shape), bool(fortran_order), stored, file.tell())


def check_no_objects(header: Header, name: str) -> None:
    """Refuse what could only be unpickled."""
    if header.stored.hasobject:
        raise InputError(f"{name}: holds pickled Python objects, which are not read; store numbers instead.")


def open_npy(path: Path) -> NpySource | PixelSource:
    """A table, row by row; or a cube, which is read into memory, and whose pixels are rows."""
    name = str(path)
    with reading(name), path.open("rb") as file:
        header = read_header(file, name)
        if len(header.shape) == 3:
            check_no_objects(header, name)
            _check_length(name, header, os.fstat(file.fileno()).st_size)
            file.seek(0)
            return open_cube(np.load(file, allow_pickle=False), name, file_stamp(path))
    return NpySource(path)


def _check_length(name: str, header: Header, length: int) -> None:
    expected = header.offset + header.n_bytes
    if min(header.shape, default=0) < 0 or length < expected:
        raise InputError(
            f"{name}: its header announces an array of shape {header.shape}, {expected} bytes in all, but "
            f"the file has {length} bytes."
        )


class NpySource:
    """A .npy file as a source of rows.

    Nothing is kept open or in memory: each read opens the file, which costs some microseconds and is safe
    from any thread or process.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "X.npy"
    >>> np.save(path, np.arange(6, dtype="uint8").reshape(3, 2))
    >>> NpySource(path).rows(1, 3).tolist()
    [[2.0, 3.0], [4.0, 5.0]]
    """

    columns: tuple[str, ...] = ()
    held_bytes = 0

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        # Absolute, because the current folder may change, and differs on other machines.
        self._path = path.absolute()
        with reading(self.name), path.open("rb") as file:
            self._header = read_header(file, self.name)
            check_no_objects(self._header, self.name)
            _check_length(self.name, self._header, os.fstat(file.fileno()).st_size)
        self.shape = check_table(self.name, self._header.shape)
        self.dtype = float_type(self._header.stored, self.name)

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop."""
        with self._open() as file:
            block = self._read(file, start, max(start, min(stop, self.shape[0])))
        return np.ascontiguousarray(block, self.dtype)

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`; those near each other in one read."""
        check_sorted(indices)
        out = np.empty((len(indices), self.shape[1]), self.dtype)
        with self._open() as file:
            for first, last in self._spans(indices):
                start, stop = int(indices[first]), int(indices[last - 1]) + 1
                out[first:last] = self._read(file, start, stop)[indices[first:last] - start]
        return out

    def fingerprint(self) -> str:
        """Shape, type, a hash of some rows, and size and time of the file."""
        with reading(self.name):
            return fingerprint(self, file_stamp(self._path))

    def _open(self) -> FileIO:
        with reading(self.name):
            return self._path.open("rb", buffering=0)

    def _read(self, file: FileIO, start: int, stop: int) -> NDArray[Any]:
        """Rows start to stop as stored."""
        n_rows, n_columns = self.shape
        stored, offset = self._header.stored, self._header.offset
        if not self._header.fortran_order:
            block = np.empty((stop - start, n_columns), stored)
            self._fill(file, block, offset + start * n_columns * stored.itemsize)
            return block
        columns = np.empty((n_columns, stop - start), stored)
        for j, column in enumerate(columns):
            self._fill(file, column, offset + (j * n_rows + start) * stored.itemsize)
        return columns.T

    def _fill(self, file: FileIO, out: NDArray[Any], offset: int) -> None:
        """Fill `out` with what is stored at `offset`; the system may hand it over in parts."""
        view = out.reshape(-1).view(np.uint8).data
        with reading(self.name):
            file.seek(offset)
            done = 0
            while done < len(view):
                count = file.readinto(view[done:])
                if not count:
                    _check_length(self.name, self._header, os.fstat(file.fileno()).st_size)
                    raise InputError(f"{self.name}: a read at byte {offset + done} came back empty.")
                done += count

    def _spans(self, indices: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
        """Ranges of `indices` that are read together."""
        row_bytes = self.shape[1] * self._header.stored.itemsize
        # In column order a row alone costs as many calls as there are columns: gaps are read through.
        gap = SPAN_BYTES if self._header.fortran_order else GAP_BYTES
        first = 0
        for i in range(1, len(indices) + 1):
            if i == len(indices) or (
                (indices[i] - indices[i - 1]) * row_bytes > gap
                or (indices[i] - indices[first] + 1) * row_bytes > SPAN_BYTES
            ):
                yield first, i
                first = i
