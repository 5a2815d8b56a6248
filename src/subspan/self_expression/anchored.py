"""Points of flats represented by their nearest point and by differences to it, block by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.tiles import TILE
from subspan.kernels.anchored import AnchoredScratch, anchored_pursuits
from subspan.kernels.pursuit.state import Picks
from subspan.self_expression.blocks import Block, join_blocks
from subspan.sources import Source


class AnchoredTask:
    """Everything a block needs. Calling it with a block number solves the block.

    The nearest point a of a point x is its anchor. The pursuit goes on with x - a over x_i - a, and picks the
    most aligned of these differences. Its coefficients c_i represent x with 1 - sum c_i on the anchor.

    Parameters
    ----------
    source : Source
        The points; all of them are atoms.
    n_nonzero : int
        Most atoms of a point, the anchor included.
    residual_tol : float
        A pursuit ends once the norm of its residual is at most this.
    block_rows : int
    order : array of shape (n_points,), optional
        In which the points are visited, if not as they come.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> line = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]])
    >>> block = AnchoredTask(ArraySource(line), 2, 1e-6, 3)(0)
    >>> block.indices.tolist(), block.values.tolist()
    ([1, 2, 0, 2, 1, 0], [1.5, -0.5, 0.6666666666666667, 0.3333333333333333, 3.0, -2.0])
    """

    def __init__(
        self,
        source: Source,
        n_nonzero: int,
        residual_tol: float,
        block_rows: int,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        self.columns = np.ascontiguousarray(source.rows(0, source.shape[0]).T, np.float64)
        self.dtype = source.dtype
        self.n_nonzero = n_nonzero
        self.squared_tol = float(residual_tol) ** 2
        self.block_rows = block_rows
        self.order = np.arange(source.shape[0]) if order is None else order

    def __call__(self, block: int) -> Block:
        """Solve block number `block`."""
        queries = self.order[block * self.block_rows : (block + 1) * self.block_rows]
        scratch = self._scratch()
        return join_blocks(
            [self._tile(queries[start : start + TILE], scratch) for start in range(0, len(queries), TILE)]
        )

    def _scratch(self) -> AnchoredScratch:
        n_features, n_points = self.columns.shape
        s = self.n_nonzero
        return AnchoredScratch(
            distances=np.empty(n_points),
            products=np.empty(n_points),
            free=np.empty(n_points, np.bool_),
            residual=np.empty(n_features),
            factor=np.zeros((s, s)),
            forward=np.zeros(s),
            values=np.zeros(s),
        )

    def _tile(self, queries: NDArray[np.int64], scratch: AnchoredScratch) -> Block:
        shape = len(queries), self.n_nonzero
        picks = Picks(np.zeros(shape, np.int32), np.zeros(shape), np.zeros(len(queries), np.int32))
        events = np.zeros(2, np.int64)
        precision = float(np.finfo(self.dtype).eps)
        anchored_pursuits(self.columns, queries, self.squared_tol, precision, scratch, picks, events)
        used = np.arange(self.n_nonzero) < picks.counts[:, None]
        values = picks.values[used]
        square = float(values @ values)
        return Block(
            lengths=picks.counts,
            indices=picks.atoms[used],
            values=values.astype(self.dtype),
            n_iter=1,
            sums=np.array([[square, square]]),
            counts=events,
        )
