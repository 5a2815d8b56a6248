"""The fixed grid of tiles that makes products the same bit for bit, however the work is split.

A BLAS result changes in its last bit with the width of the operands and with the number of threads, and
where two atoms tie that last bit decides. Every product here therefore has operands padded with zero
rows to whole tiles, one BLAS thread, and parallelism over tiles only. Inside a whole tile every element
is the same chain of operations wherever it stands, so a product over a subset of the atoms equals the
subset of the product over all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TILE = 128


def padded_length(n_rows: int) -> int:
    """Smallest multiple of the tile that holds `n_rows`.

    Examples
    --------
    >>> padded_length(129)
    256
    """
    return -(-n_rows // TILE) * TILE


def padded(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """A copy of `rows` with zero rows appended up to a whole number of tiles."""
    out = np.zeros((padded_length(len(rows)), rows.shape[1]), rows.dtype)
    out[: len(rows)] = rows
    return out


def tile_product(
    tile: NDArray[np.floating], atoms: NDArray[np.floating], out: NDArray[np.floating] | None = None
) -> NDArray[np.floating]:
    """Inner products of one tile with whole tiles of atoms.

    `tile` must be a copy: given two views of one array NumPy turns to a symmetric product with an
    arithmetic of its own.
    """
    return np.matmul(tile, atoms.T, out=out)


def gram_rows(atoms: NDArray[np.floating], start: int, gram: NDArray[np.floating]) -> None:
    """Fill the tile of rows at `start` of a Gram matrix from the diagonal on, and its mirror image.

    Rows of `gram` may be longer than there are atoms.
    """
    stop = start + TILE
    upper = gram[start:stop, start : len(atoms)]
    tile_product(atoms[start:stop].copy(), atoms[start:], out=upper)
    gram[stop : len(atoms), start:stop] = upper[:, TILE:].T
