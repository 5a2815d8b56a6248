"""The one interface between the stages and whatever holds the data."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Source(Protocol):
    """A table of floating-point rows that can be read in pieces, from several threads at once."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""

    def rows(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start to stop, C-contiguous. Not to be written to."""

    def take(self, indices: NDArray[np.integer]) -> NDArray[np.floating]:
        """The rows at `indices` (sorted), as a new array."""
