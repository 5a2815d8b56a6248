"""Gram matrices with numbers of 8 bits, for a first look at the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, padded_length
from subspan.kernels.coarse import GAP, n_words, places_of_columns
from subspan.kernels.lines import in_lines
from subspan.kernels.packing import marks_of, new_packing, pack_rows


class CoarseRows(NamedTuple):
    """Rows of a Gram matrix for one sub-dictionary; the fields are those of `kernels.state.Dictionary`."""

    coarse: NDArray[np.int16]
    units: NDArray[np.float64]
    place_seen: NDArray[np.int32]
    position_seen: NDArray[np.int32]
    all_shown: NDArray[np.int32]


NO_ROWS = CoarseRows(np.empty((0, 0), np.int16), np.empty(0), *np.empty((3, 0), np.int32))


def coarse_bytes(n_points: int, sizes: Sequence[int]) -> int:
    """Bytes of the rows of all points over sub-dictionaries of these sizes."""
    return len(sizes) * padded_length(n_points) * (n_words(max(sizes)) + GAP) * 2


def coarse_rows(
    gram: NDArray[np.floating], kept: Sequence[NDArray[np.int32]], threads: int
) -> list[CoarseRows]:
    """All rows of a Gram matrix (whole tiles), for each set of columns, with 8 bits a number.

    Columns of a set stand in the order of the matrix, whatever the order of the set.
    """
    n = len(gram)
    gram = gram[:, :n]
    longest = max(len(columns) for columns in kept)
    out = in_lines((len(kept), n, n_words(longest) + GAP), np.int16)
    units = np.zeros(n)
    columns = np.concatenate([np.sort(columns) for columns in kept])
    ends = np.cumsum([len(columns) for columns in kept])
    marks = np.stack([marks_of(columns, n) for columns in kept])

    def fill(start: int) -> None:
        scratch = new_packing(n, out.shape[2])
        stop = start + TILE
        pack_rows(gram, gram.view(np.int32), start, stop, columns, ends, marks, scratch, units, out)

    for _ in run_in_threads(fill, range(0, n, TILE), threads, "tiles of 8-bit rows"):
        pass
    return [CoarseRows(rows, units, *_seen(set_)) for rows, set_ in zip(out, kept, strict=True)]


def _seen(columns: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Where the score of each atom stands in a look, the atom at each place, and a bit where there is one."""
    order = np.argsort(columns)
    places = places_of_columns(len(columns))
    place_seen = np.empty(len(columns), np.int32)
    place_seen[order] = places
    position_seen = np.full(2 * n_words(len(columns)), -1, np.int32)
    position_seen[places] = order
    return place_seen, position_seen, marks_of(places, len(position_seen))
