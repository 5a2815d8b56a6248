"""Coefficients that stay on disk, in the blocks of a work directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.blocks import read_block
from subspan.execution.work_directory import WorkDirectory
from subspan.self_expression.blocks import Block, rows_of


@dataclass(frozen=True, eq=False)
class StoredCoefficients:
    """The matrix C of which rows are read when they are asked for.

    ``C[start:stop]`` gives some rows as a csr_array, ``C.tocsr()`` all of them.
    """

    work: WorkDirectory
    n_points: int
    block_rows: int
    dtype: np.dtype
    # Where rows of the input and points differ: point of each row (-1 for none), and row of each point.
    point_of_row: NDArray[np.int64] | None = None
    row_of_point: NDArray[np.int64] | None = None
    # Rows that are opposites of their point.
    opposite: NDArray[np.bool_] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of the input, twice."""
        n = self.n_points if self.point_of_row is None else len(self.point_of_row)
        return n, n

    def expanded(
        self,
        point_of_row: NDArray[np.int64],
        row_of_point: NDArray[np.int64],
        opposite: NDArray[np.bool_],
    ) -> StoredCoefficients:
        """The coefficients of the input's rows; copies repeat the original's, opposites with other signs."""
        return replace(self, point_of_row=point_of_row, row_of_point=row_of_point, opposite=opposite)

    def tocsr(self) -> csr_array:
        """All rows, in memory."""
        return self[0 : self.shape[0]]

    def __getitem__(self, rows: slice) -> csr_array:
        start, stop, _ = rows.indices(self.shape[0])
        if self.point_of_row is None or self.row_of_point is None or self.opposite is None:
            return self._points(np.arange(start, stop))
        points = self.point_of_row[start:stop]
        known = points >= 0
        found = self._points(points[known])
        ends = np.zeros(len(points) + 1, found.indptr.dtype)
        np.cumsum(np.where(known, np.diff(found.indptr)[np.cumsum(known) - 1], 0), out=ends[1:])
        columns = self.row_of_point[found.indices].astype(found.indices.dtype)
        found.data[np.repeat(self.opposite[start:stop], np.diff(ends))] *= -1
        return csr_array((found.data, columns, ends), shape=(len(points), self.shape[1]))

    def _points(self, points: NDArray[np.int64]) -> csr_array:
        """Rows of these points; each block is read once."""
        if len(points) == 0:
            return csr_array((0, self.n_points), dtype=self.dtype)
        numbers, place = np.unique(points // self.block_rows, return_inverse=True)
        whole = rows_of(self._blocks(numbers), self.n_points)
        chosen = place * self.block_rows + points % self.block_rows
        in_order = len(chosen) == whole.shape[0] and bool((chosen == np.arange(len(chosen))).all())
        return whole if in_order else whole[chosen]

    def _blocks(self, numbers: NDArray[np.int64]) -> Sequence[Block]:
        return [Block.from_arrays(read_block(self.work, int(number))) for number in numbers]
