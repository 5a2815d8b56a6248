"""Products of tiles of rows with all atoms, the same bit for bit however the work is split.

Work is cut into tiles of points. The result for a point must not depend on its tile, on its place in the tile
or on the number of threads; `kernels.products` ensures that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.kernels.lines import in_lines
from subspan.kernels.products import BLOCK, STRIP, multiply_block, pack_rows, panel_width
from subspan.sources.unchanged import TILE as TILE

Floats = NDArray[np.floating]


def padded_length(n_rows: int) -> int:
    """Smallest multiple of the tile that holds `n_rows`.

    Examples
    --------
    >>> padded_length(129)
    256
    """
    return -(-n_rows // TILE) * TILE


def padded(rows: Floats) -> Floats:
    """A copy of `rows` with zero rows appended up to a whole number of tiles."""
    out = np.zeros((padded_length(len(rows)), rows.shape[1]), rows.dtype)
    out[: len(rows)] = rows
    return out


def in_panels(rows: Floats) -> Floats:
    """A copy of `rows` in the order in which `tile_product` reads them: (panels, features, rows of one)."""
    width = panel_width(rows.dtype)
    out = in_lines((-(-len(rows) // width), rows.shape[1], width), rows.dtype)
    pack_rows(rows, out)
    return out


def tile_product(rows: Floats, panels: Floats, out: Floats | None = None) -> Floats:
    """Inner products of `rows` with rows in panels, the last of which may be filled up with zeros.

    Examples
    --------
    >>> tile_product(np.eye(2), in_panels(np.array([[1.0, 2.0], [3.0, 4.0]])))[:, :2]
    array([[1., 3.],
           [2., 4.]])
    """
    n_features, width = panels.shape[1:]
    if out is None:
        out = in_lines((len(rows), len(panels) * width), rows.dtype)
    edge = np.empty((STRIP, width), rows.dtype)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        strips = in_lines((-(-len(block) // STRIP), n_features, STRIP), rows.dtype)
        pack_rows(block, strips)
        multiply_block(strips, panels, edge, out[start : start + BLOCK])
    return out


def gram_rows(atoms: Floats, panels: Floats, start: int, gram: Floats) -> None:
    """Fill the tile of rows at `start` of a Gram matrix from the diagonal on, and its mirror image.

    `panels` are those of `atoms`, whole tiles of them. Rows of `gram` may be longer than there are atoms.
    """
    stop = start + TILE
    upper = gram[start:stop, start : len(atoms)]
    tile_product(atoms[start:stop], panels[start // panels.shape[2] :], out=upper)
    gram[stop : len(atoms), start:stop] = upper[:, TILE:].T


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


def norms_of(rows: Floats) -> NDArray[np.float64]:
    """Length of every row, in float64."""
    return np.sqrt(squared_norms(rows))
