"""Rows with a constant beside them, so that flats off the origin become subspaces through it."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from subspan.sources.base import Source
from subspan.sources.checks import unit_rows
from subspan.sources.views import View

Floats = NDArray[np.floating]

# Rows read at a time.
ROWS_PER_BLOCK = 1024


@dataclass(frozen=True)
class Lifted(View):
    """Rows less `mean`, divided by `length`, with a constant appended.

    A flat of dimension d becomes a subspace of dimension d + 1, and coefficients c represent a row in it
    exactly only if they sum to one. With `unit` the row and its constant together are then brought to unit
    norm, which leaves the point in its subspace. Rows are never brought to unit norm before they have the
    constant, since that would bend the flats.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> Lifted(ArraySource(np.array([[5.0, 1.0], [3.0, 1.0]])), np.array([4.0, 1.0]), 2.0).rows(0, 2).tolist()
    [[0.5, 0.0, 1.0], [-0.5, 0.0, 1.0]]
    """

    mean: NDArray[np.float64] = field(repr=False)
    length: float
    constant: float = 1.0
    unit: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, and of columns with the constant one."""
        n_rows, n_columns = self.source.shape
        return n_rows, n_columns + 1

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return (*self.source.columns, "constant") if self.source.columns else ()

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, lifted."""
        return self._lift(self.source.rows(start, stop))

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`, lifted."""
        return self._lift(self.source.take(indices))

    def fingerprint(self) -> str:
        """That of the source, with a hash of the shift and the scale."""
        change = blake2b(
            np.append(self.mean, [self.length, self.constant, self.unit]).tobytes(), digest_size=8
        ).hexdigest()
        return f"{self.source.fingerprint()} lifted={change}"

    def _lift(self, rows: Floats) -> Floats:
        return with_constant(rows, self.mean, self.length, self.constant, unit=self.unit)


def with_constant(
    rows: Floats, mean: NDArray[np.float64], length: float, constant: float, *, unit: bool
) -> Floats:
    """Rows less `mean`, divided by `length`, with a constant appended; of unit norm if so asked.

    Examples
    --------
    >>> with_constant(np.array([[5.0, 1.0]]), np.array([2.0, 1.0]), 1.0, 4.0, unit=True).tolist()
    [[0.6, 0.0, 0.8]]
    """
    out = np.full((len(rows), rows.shape[1] + 1), constant, rows.dtype)
    out[:, :-1] = (rows - mean) / length
    return unit_rows(out) if unit else out


def lifted(source: Source, constant: float = 1.0, *, unit: bool = False) -> Lifted:
    """The rows about their mean, in units of their root mean square distance from it, and a constant.

    So nothing depends on where the origin is or on the unit of length. About the mean the constant column is
    at a right angle to all others.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> lifted(ArraySource(np.array([[104.0, 1.0], [100.0, 1.0]]))).rows(0, 2).tolist()
    [[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]
    """
    n_rows = source.shape[0]
    blocks = range(0, n_rows, ROWS_PER_BLOCK)
    mean = np.zeros(source.shape[1])
    for start in blocks:
        # Divided before the sum: large entries must not overflow.
        mean += (source.rows(start, start + ROWS_PER_BLOCK) / np.float64(n_rows)).sum(axis=0)
    largest = max(float(np.abs(source.rows(start, start + ROWS_PER_BLOCK) - mean).max()) for start in blocks)
    scale = max(largest, np.finfo(np.float64).tiny)
    total = sum(
        float((((source.rows(start, start + ROWS_PER_BLOCK) - mean) / scale) ** 2).sum()) for start in blocks
    )
    return Lifted(source, mean, scale * float(np.sqrt(total / n_rows)), constant, unit)
