"""Inner products of atoms with one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, gram_rows, in_panels, padded_length
from subspan.kernels.gather import gather_rows
from subspan.kernels.lines import in_lines

Floats = NDArray[np.floating]


def row_length(n_atoms: int) -> int:
    """Length of a row of a Gram matrix in memory, for whole tiles of atoms.

    Rows that are an odd number of cache lines apart spread over the sets of the cache. An even number,
    and above all a power of two, makes the rows that a pursuit combines compete for the same few.

    Examples
    --------
    >>> row_length(4096)
    4112
    """
    return n_atoms + 16


def gram_matrix(atoms: Floats, threads: int) -> Floats:
    """Inner products of all atoms (whole tiles of them) with one another; see `row_length`."""
    gram = in_lines((len(atoms), row_length(len(atoms))), atoms.dtype)
    panels = in_panels(atoms)

    def fill(start: int) -> None:
        gram_rows(atoms, panels, start, gram)

    for _ in run_in_threads(fill, range(0, len(atoms), TILE), threads, "tiles of the Gram matrix"):
        pass
    return gram


def gathered_matrices(gram: Floats, kept: Sequence[NDArray[np.int32]], threads: int) -> list[Floats]:
    """The parts of a Gram matrix that belong to each set of columns, padded to whole tiles.

    A tile of rows is read once and serves all parts while it is in the cache.
    """
    lengths = [padded_length(len(columns)) for columns in kept]
    parts = [in_lines((length, row_length(length)), gram.dtype) for length in lengths]
    by_row = [np.argsort(columns, kind="stable") for columns in kept]

    def fill(start: int) -> None:
        for columns, order, part in zip(kept, by_row, parts, strict=True):
            first, last = np.searchsorted(columns, (start, start + TILE), sorter=order)
            gather_rows(gram, columns, order[first:last], part)

    for _ in run_in_threads(fill, range(0, len(gram), TILE), threads, "tiles of the Gram matrix"):
        pass
    for columns, part in zip(kept, parts, strict=True):
        part[len(columns) :] = 0
    return parts


def squared_norms(rows: Floats) -> NDArray[np.float64]:
    """||x||^2 of every row, in float64."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), TILE):
        out[start : start + TILE] = (rows[start : start + TILE].astype(np.float64) ** 2).sum(axis=1)
    return out
