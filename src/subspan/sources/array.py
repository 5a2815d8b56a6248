"""Rows of an array: one in memory, or one in an archive, which is unpacked when its rows are asked for.

An archive can only be unpacked as a whole. Its size is known before that takes memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.base import Source
from subspan.sources.faults import reading
from subspan.sources.identity import file_stamp, fingerprint

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class ArraySource:
    """A C-contiguous float32 or float64 array as a source of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.sources import ArraySource
    >>> source = ArraySource(np.eye(4))
    >>> source.rows(1, 3).shape
    (2, 4)
    """

    array: Floats
    name: str = "X"
    columns: tuple[str, ...] = ()
    # Size and time of the file it was read from.
    stamp: str = ""
    # The fingerprint, where it is that of other rows from which these were made.
    identity: str = ""
    # Columns of the file that are the index of pandas, and no data.
    index_columns: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        n_rows, n_columns = self.array.shape
        return n_rows, n_columns

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.array.dtype

    @property
    def held_bytes(self) -> int:
        """All of them."""
        return self.array.nbytes

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, as a view."""
        return self.array[start:stop]

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at `indices`, as a new array."""
        rows: Floats = self.array[indices]
        return rows

    def fingerprint(self) -> str:
        """Shape, type and a hash of some rows, unless it is known otherwise."""
        return self.identity or fingerprint(self, self.stamp)


@dataclass(frozen=True)
class Packed:
    """One array of an archive, unpacked when its rows are first asked for.

    Examples
    --------
    >>> Packed(Path("X.npz"), (2, 2), np.dtype("float64"), lambda: np.eye(2)).shape
    (2, 2)
    """

    path: Path
    shape: tuple[int, int]
    # Of the rows: float32 or float64.
    dtype: np.dtype
    unpack: Callable[[], NDArray[Any]]
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def held_bytes(self) -> int:
        """All rows, even before they are unpacked."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    @cached_property
    def whole(self) -> ArraySource:
        """All rows, in memory."""
        with reading(self.name):
            array = self.unpack()
        if array.shape != self.shape:
            raise InputError(f"{self.name}: was announced as {self.shape} but has shape {array.shape}.")
        return ArraySource(np.ascontiguousarray(array, self.dtype), self.name, stamp=file_stamp(self.path))

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop."""
        return self.whole.rows(start, stop)

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at `indices`."""
        return self.whole.take(indices)

    def fingerprint(self) -> str:
        """That of the rows and of the file."""
        return self.whole.fingerprint()


def unpacked_source(source: Source) -> Source:
    """The rows of an archive in memory; any other source as it is.

    Examples
    --------
    >>> unpacked_source(ArraySource(np.eye(2))).shape
    (2, 2)
    """
    return source.whole if isinstance(source, Packed) else source
