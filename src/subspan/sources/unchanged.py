"""Rows that must stay what they were when they were first read."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.views import View

Floats = NDArray[np.floating]

# Rows whose content is hashed together: one tile of the grid on which all work is cut.
TILE = 128


def tile_hashes(rows: Floats) -> NDArray[np.uint64]:
    """Hash of each tile of `rows`, the first of which begins a tile; 0.0 and -0.0 differ."""
    digests = [
        blake2b(np.ascontiguousarray(rows[start : start + TILE]).data, digest_size=8).digest()
        for start in range(0, len(rows), TILE)
    ]
    return np.frombuffer(b"".join(digests), np.uint64)


def content_hash(hashes: NDArray[np.uint64]) -> str:
    """One hash of all tiles: the whole content, not a sample of it."""
    return blake2b(hashes.tobytes(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Unchanged(View):
    """A source whose rows are compared with what a scan has seen, each time they are read.

    Rows of whole tiles are compared by their hashes. Single rows have none; after those are read, the file
    must still have the size and the time it had before the scan.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> X = np.eye(200)
    >>> source = Unchanged(ArraySource(X), tile_hashes(X), ArraySource(X).fingerprint())
    >>> X[150, 3] = 7
    >>> source.rows(0, 200)
    Traceback (most recent call last):
    subspan.handover.InputError: X: rows 128 to 199 have changed since they were first read.
    """

    hashes: NDArray[np.uint64]
    # Fingerprint of the source before the scan.
    seen: str

    @property
    def held_bytes(self) -> int:
        """Those of the source, and the hashes."""
        return self.source.held_bytes + self.hashes.nbytes

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, after a look at all tiles that they are in."""
        first = start // TILE
        tiles = self.source.rows(first * TILE, -(-stop // TILE) * TILE)
        hashes = tile_hashes(tiles)
        changed = np.flatnonzero(hashes != self.hashes[first : first + len(hashes)])
        if len(changed):
            row = (first + int(changed[0])) * TILE
            last = min(row + TILE, self.shape[0]) - 1
            raise InputError(f"{self.name}: rows {row} to {last} have changed since they were first read.")
        return tiles[start - first * TILE : stop - first * TILE]

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`."""
        rows = self.source.take(indices)
        if self.source.fingerprint() != self.seen:
            raise InputError(f"{self.name}: has changed since it was first read.")
        return rows

    def fingerprint(self) -> str:
        """Shape, type and content: the same data are the same, whenever and wherever they were stored."""
        n_rows, n_columns = self.shape
        return f"shape={n_rows}x{n_columns} dtype={self.dtype} content={content_hash(self.hashes)}"
