"""Sources seen through a change that is made as rows are read."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from subspan.sources.base import Source
from subspan.sources.checks import unit_rows

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class View:
    """What a view has of its source unless it says otherwise."""

    source: Source

    @property
    def name(self) -> str:
        """That of the source."""
        return self.source.name

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.source.shape

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.source.dtype

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.source.columns

    @property
    def held_bytes(self) -> int:
        """Those of the source: changed rows are not kept."""
        return self.source.held_bytes


@dataclass(frozen=True)
class UnitRows(View):
    """Rows brought to unit norm, each to the bit as `unit_rows` does it to a whole array.

    Zero rows have no direction: leave them out with `Subset` first.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> UnitRows(ArraySource(np.array([[3.0, 4.0], [0.0, 2.0]]))).rows(0, 2).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, of unit norm."""
        return unit_rows(self.source.rows(start, stop))

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`, of unit norm."""
        return unit_rows(self.source.take(indices))

    def fingerprint(self) -> str:
        """That of the source, marked."""
        return f"{self.source.fingerprint()} norm=1"


@dataclass(frozen=True)
class RescaledRows(View):
    """Rows times a power of two, which changes no digit.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> RescaledRows(ArraySource(np.eye(2)), 0.25).rows(0, 1).tolist()
    [[0.25, 0.0]]
    """

    factor: float

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, times the factor."""
        return self._scaled(self.source.rows(start, stop))

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`, times the factor."""
        return self._scaled(self.source.take(indices))

    def fingerprint(self) -> str:
        """That of the source, marked."""
        return f"{self.source.fingerprint()} times={self.factor}"

    def _scaled(self, rows: Floats) -> Floats:
        return rows * rows.dtype.type(self.factor)


@dataclass(frozen=True)
class Subset(View):
    """The rows at some sorted indices.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> Subset(ArraySource(np.eye(4)), np.array([1, 3])).rows(1, 2).tolist()
    [[0.0, 0.0, 0.0, 1.0]]
    """

    indices: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.indices), self.source.shape[1]

    @property
    def held_bytes(self) -> int:
        """Those of the source, and the indices."""
        return self.source.held_bytes + self.indices.nbytes

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop of those chosen."""
        chosen = self.indices[start:stop]
        if len(chosen) == 0 or chosen[-1] - chosen[0] >= 2 * len(chosen):
            return self.source.take(chosen)
        # Where few are left out, those are read too: a source may know more about rows that follow another.
        between: Floats = self.source.rows(int(chosen[0]), int(chosen[-1]) + 1)[chosen - chosen[0]]
        return between

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices` among those chosen."""
        return self.source.take(self.indices[indices])

    def fingerprint(self) -> str:
        """That of the source, with a hash of the indices."""
        chosen = blake2b(np.ascontiguousarray(self.indices).tobytes(), digest_size=8).hexdigest()
        return f"{self.source.fingerprint()} subset={chosen}"
