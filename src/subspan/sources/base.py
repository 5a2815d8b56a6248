"""The one interface between the stages and whatever holds the data."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Source(Protocol):
    """A table of floating-point rows that can be read in pieces, from several threads at once."""

    @property
    def name(self) -> str:
        """What messages call it: the path of a file, or "X"."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; empty where they have none."""

    @property
    def held_bytes(self) -> int:
        """Bytes of rows that stay in memory between reads, at most: a plan has to count them."""

    def rows(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start to stop (or to the end, if that comes first), C-contiguous. Not to be written to."""

    def take(self, indices: NDArray[np.integer]) -> NDArray[np.floating]:
        """The rows at `indices` (sorted), as a new array."""

    def fingerprint(self) -> str:
        """A short text that stays the same as long as the data do: see `subspan.sources.identity`."""
