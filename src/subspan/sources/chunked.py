"""Rows that are stored in pieces which can only be decoded as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_table, reading
from subspan.sources.identity import file_stamp, fingerprint, stored_bytes

Floats = NDArray[np.floating]

# Pieces smaller than this are read several at a time.
PIECE_BYTES = 2**20
# Decoded pieces are kept up to this many bytes, but always two, because a read may cross a border.
KEPT_BYTES = 2**24


class ChunkedSource(ABC):
    """What such sources share: a format says where its pieces begin and how a range of them is read.

    The pieces decoded last are kept, because readers ask for far fewer rows than a piece has, in order.
    One thread decodes at a time, because few of the libraries underneath are documented as thread-safe.
    A pickled source is the recipe to open it anew, so that little travels to other processes.

    Parameters
    ----------
    name : str
        For messages.
    shape : tuple of int
        As stored; refused unless it is that of a table.
    stored : dtype
        As stored; rows come out as `float_type` of it.
    bounds : array of shape (n_pieces + 1,)
        First row of each piece, and the number of rows.
    columns : tuple of str
        Names of the columns.
    path : Path, optional
        The file or folder that holds them.
    recipe : tuple
        Arguments that make the same source again.
    """

    def __init__(
        self,
        *,
        name: str,
        shape: tuple[int, ...],
        stored: np.dtype,
        bounds: NDArray[np.int64],
        columns: tuple[str, ...] = (),
        path: Path | None = None,
        recipe: tuple[Any, ...],
    ) -> None:
        self.name = name
        self.shape = check_table(name, shape)
        self.dtype = float_type(stored, name)
        self.columns = columns
        self._bounds = bounds
        # Absolute, because the current folder may change, and differs on other machines.
        self._path = path.absolute() if path else None
        self._length = stored_bytes(path) if path and path.is_file() else 0
        self._recipe = recipe
        self._lock = Lock()
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    @abstractmethod
    def _load(self, start: int, stop: int) -> NDArray[Any]:
        """Rows of whole pieces, in any numeric type and memory order."""

    @property
    def held_bytes(self) -> int:
        """Of the pieces that are kept."""
        row_bytes = self.shape[1] * self.dtype.itemsize
        two_pieces = 2 * int(np.diff(self._bounds).max())
        return min(self.shape[0] * row_bytes, max(KEPT_BYTES, two_pieces * row_bytes))

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop: a view where one piece has them all."""
        stop = min(stop, self.shape[0])
        if start >= stop:
            return np.empty((0, self.shape[1]), self.dtype)
        first, last = np.searchsorted(self._bounds, [start, stop - 1], "right") - 1
        parts = []
        for piece in range(first, last + 1):
            begin = int(self._bounds[piece])
            parts.append(self._piece(piece)[max(start - begin, 0) : stop - begin])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`, each piece decoded once."""
        check_sorted(indices)
        out = np.empty((len(indices), self.shape[1]), self.dtype)
        piece_of = np.searchsorted(self._bounds, indices, "right") - 1
        for piece in np.unique(piece_of):
            first, last = np.searchsorted(piece_of, [piece, piece + 1])
            out[first:last] = self._piece(int(piece))[indices[first:last] - self._bounds[piece]]
        return out

    def fingerprint(self) -> str:
        """Shape, type, a hash of some rows, and the stamp of the file."""
        with reading(self.name):
            return fingerprint(self, file_stamp(self._path) if self._path else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._recipe

    def _piece(self, piece: int) -> Floats:
        with self._lock:
            if piece not in self._kept:
                self._kept[piece] = self._decode(piece)
                self._drop()
            self._kept.move_to_end(piece)
            return self._kept[piece]

    def _decode(self, piece: int) -> Floats:
        start, stop = int(self._bounds[piece]), int(self._bounds[piece + 1])
        with reading(self.name, f"rows {start} to {stop} "):
            rows = np.ascontiguousarray(self._load(start, stop), self.dtype)
            self._check_length()
        if rows.shape != (stop - start, self.shape[1]):
            raise InputError(f"{self.name}: rows {start} to {stop} came as a table of shape {rows.shape}.")
        rows.flags.writeable = False
        return rows

    def _check_length(self) -> None:
        """Raise if the file has shrunk: HDF5 reads zeros beyond its end."""
        length = stored_bytes(self._path) if self._path and self._length else self._length
        if length < self._length:
            raise InputError(
                f"{self.name}: had {self._length} bytes when it was opened, but has {length} now."
            )

    def _drop(self) -> None:
        """Let go of the pieces that were used longest ago."""
        kept = sum(rows.nbytes for rows in self._kept.values())
        while kept > KEPT_BYTES and len(self._kept) > 2:
            kept -= self._kept.popitem(last=False)[1].nbytes


def even_bounds(n_rows: int, chunk_rows: int, row_bytes: int) -> NDArray[np.int64]:
    """Bounds of pieces of whole chunks, of about `PIECE_BYTES` each.

    Examples
    --------
    >>> even_bounds(10, 4, 2**20).tolist()
    [0, 4, 8, 10]
    """
    return merged_bounds(np.append(np.arange(0, n_rows, max(chunk_rows, 1)), n_rows), row_bytes)


def merged_bounds(bounds: NDArray[np.int64], row_bytes: int) -> NDArray[np.int64]:
    """Bounds with neighbouring pieces joined while they are smaller than `PIECE_BYTES`.

    Examples
    --------
    >>> merged_bounds(np.array([0, 1, 2, 3, 9, 10]), 2**19).tolist()
    [0, 2, 9, 10]
    """
    merged = [int(bounds[0])]
    for bound in bounds[1:-1]:
        if (bound - merged[-1]) * row_bytes >= PIECE_BYTES:
            merged.append(int(bound))
    return np.array([*merged, int(bounds[-1])], np.int64)


def check_sorted(indices: NDArray[np.integer]) -> None:
    """Raise if indices go down: sources read forwards."""
    if np.any(indices[1:] < indices[:-1]):
        raise ValueError("indices of rows have to be sorted")
