"""Rows of a file that can only be unpacked as a whole: their size is known before that takes memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.base import Source
from subspan.sources.faults import reading
from subspan.sources.identity import file_stamp

Floats = NDArray[np.floating]


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
        """All rows, even before they are there."""
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
