"""Inner products of atoms with one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, gram_rows, in_panels
from subspan.kernels.lines import in_lines

Floats = NDArray[np.floating]


def row_length(n_atoms: int) -> int:
    """Length of a row of a Gram matrix in memory, for whole tiles of atoms.

    With an odd number of cache lines per row, rows use different sets of the cache. With an even number, or
    worse a power of two, the rows that a pursuit combines would evict each other.

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


def squared_norms(rows: Floats) -> NDArray[np.float64]:
    """||x||^2 of every row, in float64."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), TILE):
        out[start : start + TILE] = (rows[start : start + TILE].astype(np.float64) ** 2).sum(axis=1)
    return out
