"""Rows of an array in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.sources.identity import fingerprint


@dataclass(frozen=True)
class ArraySource:
    """A C-contiguous float32 or float64 array as a source of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.sources import ArraySource
    >>> source = ArraySource(np.eye(4))
    >>> source.rows(1, 3).shape
    (2, 4)
    """

    array: NDArray[np.floating]
    name: str = "X"
    columns: tuple[str, ...] = ()
    # Size and time of the file it was read from.
    stamp: str = ""
    # The fingerprint, where it is that of other rows from which these were made.
    identity: str = ""
    # Columns of the file that are the index of pandas, and no data.
    index_columns: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        n_rows, n_columns = self.array.shape
        return n_rows, n_columns

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.array.dtype

    @property
    def held_bytes(self) -> int:
        """All of them."""
        return self.array.nbytes

    def rows(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start to stop, as a view."""
        return self.array[start:stop]

    def take(self, indices: NDArray[np.integer]) -> NDArray[np.floating]:
        """The rows at `indices`, as a new array."""
        rows: NDArray[np.floating] = self.array[indices]
        return rows

    def fingerprint(self) -> str:
        """Shape, type and a hash of some rows, unless it is known otherwise."""
        return self.identity or fingerprint(self, self.stamp)
