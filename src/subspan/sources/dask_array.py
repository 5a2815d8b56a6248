"""Rows of a Dask array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.chunked import ChunkedSource, merged_bounds
from subspan.sources.faults import check_table


class DaskSource(ChunkedSource):
    """A two-dimensional Dask array, computed chunk by chunk by the current scheduler of Dask.

    Examples
    --------
    >>> import dask.array
    >>> DaskSource(dask.array.ones((10, 3), chunks=(4, 3))).rows(3, 5).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    def __init__(self, array: Any, name: str = "X") -> None:
        if any(math.isnan(side) for side in array.shape):
            raise InputError(
                f"{name}: the chunks of this Dask array have unknown sizes; call its compute_chunk_sizes."
            )
        n_columns = check_table(name, array.shape)[1]
        self._array = array
        bounds = np.concatenate([[0], np.cumsum(array.chunks[0])])
        super().__init__(
            name=name,
            shape=array.shape,
            stored=array.dtype,
            bounds=merged_bounds(bounds, n_columns * array.dtype.itemsize),
            recipe=(array, name),
        )

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        return np.asarray(self._array[start:stop].compute())
