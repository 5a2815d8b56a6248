"""One pass over all rows before any work: finite, not zero, not seen before, and what they looked like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.base import Source
from subspan.sources.checks import unit_rows
from subspan.sources.copies import (
    N_COORDINATES,
    coordinates,
    first_of_equal,
    first_of_one_direction,
    row_digests,
)
from subspan.sources.unchanged import TILE, Unchanged, tile_hashes
from subspan.sources.views import RescaledRows, Subset

Floats = NDArray[np.floating]

# Rows are read in whole tiles of about this many bytes.
BLOCK_BYTES = 2**22


@dataclass(frozen=True)
class Scan:
    """What one pass has found."""

    # Rows without a direction, ascending.
    zero_rows: NDArray[np.int64]
    # For every row the first row equal to it; of one direction with it, if asked for, where zero rows, which
    # have none, stand alone.
    copy_of: NDArray[np.int64]
    # Which rows point away from the one that they are copies of.
    opposite: NDArray[np.bool_]
    # The largest absolute value, and the first row that has it.
    largest: float
    largest_row: int
    # Hash of the rows of each tile as they were read; empty unless asked for.
    tile_hashes: NDArray[np.uint64]
    # Fingerprint of the source before the pass.
    seen: str
    # (n_rows, 2) hash of every row, after scaling to unit norm if asked for.
    digests: NDArray[np.uint64]

    def watched(self, source: Source) -> Unchanged:
        """The source that was scanned; from now on it may not change.

        Examples
        --------
        >>> from subspan.sources import ArraySource
        >>> source = ArraySource(np.eye(200))
        >>> scan(source, normalize=True).watched(source).rows(128, 200).shape
        (72, 200)
        """
        return Unchanged(source, self.tile_hashes, self.seen)


def scan(
    source: Source,
    normalize: bool,
    *,
    lines: bool = False,
    hashed: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> Scan:
    """Look at every row once, in blocks.

    Parameters
    ----------
    source : Source
        Where the rows come from. NaN and infinity are refused, by row and column.
    normalize : bool
        Copies are rows of the same direction, up to rounding; otherwise rows with the same entries.
    lines : bool
        Opposite directions count as the same.
    hashed : bool
        Keep hashes of the rows: what is read again must be the same, and stored results must be known again.
    block_bytes : int
        Rows are read in whole tiles of about this many bytes.

    Returns
    -------
    Scan
        Takes 25 bytes for each row; the pass takes about 120 more at its end, to find copies.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> found = scan(ArraySource(np.array([[1.0, 2.0], [0.0, 0.0], [2.0, 4.0]])), normalize=True)
    >>> found.copy_of.tolist(), found.zero_rows.tolist(), found.largest, found.largest_row
    ([0, 1, 0], [1], 4.0, 2)
    """
    n_rows = source.shape[0]
    seen = source.fingerprint()
    digests = np.empty((n_rows, 2), np.uint64)
    has_direction = np.empty(n_rows, bool)
    places = np.zeros((n_rows if normalize else 0, N_COORDINATES))
    hashes = [np.empty(0, np.uint64)]
    largest, largest_row = -1.0, 0
    for start, block in _blocks(source, block_bytes=block_bytes):
        sizes = np.abs(block).max(axis=1)
        if not np.isfinite(sizes).all():
            raise _not_finite(source, start)
        if sizes.max() > largest:
            largest, largest_row = float(sizes.max()), start + int(sizes.argmax())
        here = slice(start, start + len(block))
        has_direction[here] = sizes >= np.finfo(block.dtype).tiny
        if normalize:
            of_unit = _unit_rows(block, has_direction[here])
            digests[here], places[here] = row_digests(of_unit), coordinates(of_unit)
        else:
            digests[here] = row_digests(block)
        if hashed:
            hashes.append(tile_hashes(block))
    copy_of, opposite = first_of_equal(digests), np.zeros(n_rows, bool)
    zero_rows = np.flatnonzero(~has_direction)
    if normalize:
        copy_of[zero_rows] = zero_rows
        negative = places[:, 0] < 0
        if lines:
            places[negative] *= -1
        copy_of = first_of_one_direction(copy_of, np.flatnonzero(has_direction), places, source.dtype)
        opposite = negative != negative[copy_of]
    return Scan(zero_rows, copy_of, opposite, largest, largest_row, np.concatenate(hashes), seen, digests)


def _unit_rows(block: Floats, has_direction: NDArray[np.bool_]) -> Floats:
    """The rows brought to unit norm; zeros for those that cannot be."""
    if has_direction.all():
        return unit_rows(block)
    rows = np.zeros_like(block)
    rows[has_direction] = unit_rows(block[has_direction])
    return rows


def _blocks(
    source: Source, start: int = 0, *, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[int, Floats]]:
    n_rows, n_columns = source.shape
    n_tiles = max(1, block_bytes // (TILE * n_columns * source.dtype.itemsize))
    for first in range(start, n_rows, n_tiles * TILE):
        yield first, source.rows(first, first + n_tiles * TILE)


class MissingNumbersError(InputError):
    """Rows lack numbers, and nothing says what to do about it."""


def _not_finite(source: Source, start: int) -> InputError:
    """The error about entries that are not finite, the first of which is in the block at `start`."""
    n_bad, place, only_missing = 0, "", True
    for first, block in _blocks(source, start):
        finite = np.isfinite(block)
        bad = np.flatnonzero(~finite.all(axis=1))
        if len(bad) and not place:
            column = int(np.flatnonzero(~finite[bad[0]])[0])
            called = f" ({source.columns[column]!r})" if source.columns else ""
            place = f"row {first + bad[0]}, column {column}{called}"
        n_bad += len(bad)
        only_missing = only_missing and not np.isinf(block).any()
    rows = "1 row contains" if n_bad == 1 else f"{n_bad} rows contain"
    kind = MissingNumbersError if only_missing else InputError
    return kind(f"{source.name}: {rows} NaN or inf, the first at {place}.")


def check_range(source: Source, found: Scan, *, small_is_fine: bool = False) -> None:
    """Rows left as they are must have inner products that are finite, and not all of them zero."""
    numbers = np.finfo(source.dtype)
    if not small_is_fine and 0 < found.largest < np.sqrt(numbers.tiny / numbers.eps):
        raise InputError(
            "{}: its largest entry, {:.0e} in row {}, is too small for products in {}; use {normalize}, or "
            "scale the data.",
            *(source.name, found.largest, found.largest_row, source.dtype),
            normalize=True,
        )
    limit = float(np.sqrt(np.finfo(source.dtype).max / source.shape[1])) / 2
    if found.largest > limit:
        raise InputError(
            "{}: row {} has entries above {:.0e}, too large for products in {}; use {normalize}, or scale "
            "the data.",
            *(source.name, found.largest_row, limit, source.dtype),
            normalize=True,
        )


def of_unit_size(source: Source) -> RescaledRows:
    """The rows times the power of two that brings their largest entry to between 1/2 and 1.

    So squares neither overflow nor vanish, and results that do not depend on the unit of length keep their
    bits.

    Examples
    --------
    >>> of_unit_size(ArraySource(np.array([[0.0, -6e200], [3e200, 0.0]]))).rows(0, 2).round(2).tolist()
    [[0.0, -0.98], [0.49, 0.0]]
    """
    largest = max(float(np.abs(block).max()) for _, block in _blocks(source))
    # Of the smallest numbers that there are the power would be infinite.
    return RescaledRows(source, 2.0 ** min(-int(np.frexp(largest)[1]), 1023))


def in_memory(source: Source) -> ArraySource:
    """All rows, read once.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> in_memory(Subset(ArraySource(np.eye(3)), np.array([0, 2]))).array.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    array = np.empty(source.shape, source.dtype)
    for start, block in _blocks(source):
        array[start : start + len(block)] = block
    return ArraySource(array, source.name, source.columns)


def usable_rows(
    source: Source, found: Scan, kept: NDArray[np.int64], change: Callable[[Source], Source] | None = None
) -> Source:
    """The rows to work with, after a change. Those of an array are made once, those of a file when read."""
    watched = found.watched(source)
    if not isinstance(source, ArraySource):
        return _view(watched, kept, change)
    # The same data are the same, whether they were read as a whole or not.
    identity = _view(watched, kept, change).fingerprint() if len(found.tile_hashes) else ""
    rows = _view(source, kept, change).rows(0, len(kept))
    return ArraySource(rows, source.name, source.columns, identity=identity)


def _view(source: Source, kept: NDArray[np.int64], change: Callable[[Source], Source] | None) -> Source:
    chosen = chosen_rows(source, kept)
    return chosen if change is None else change(chosen)


def chosen_rows(source: Source, kept: NDArray[np.int64]) -> Source:
    """The rows at some sorted indices; the source itself if these are all."""
    return source if len(kept) == source.shape[0] else Subset(source, kept)
