"""The affinity of coefficients that is not formed: what has to be known of it is read from their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from subspan.affinity.symmetrize import halved_magnitudes, row_of_entry, symmetric_affinity


class CoefficientRows(Protocol):
    """A matrix of coefficients of which some rows can be had: a csr_array, or one that is on disk."""

    @property
    def shape(self) -> tuple[int, int]:
        """Points, twice."""

    @property
    def dtype(self) -> np.dtype:
        """Of the coefficients."""

    def __getitem__(self, rows: slice) -> csr_array:
        """Some rows."""

    def tocsr(self) -> csr_array:
        """All of them, in memory."""


@dataclass(frozen=True)
class ImplicitAffinity:
    """(|C| + |C|^T) / 2, as its parts: takes no memory of its own.

    Examples
    --------
    >>> C = csr_array(np.array([[0.0, -4.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> affinity = ImplicitAffinity(C)
    >>> affinity.magnitudes(0, 1).toarray().tolist()
    [[0.0, 2.0, 1.0]]
    >>> affinity.tocsr().toarray().tolist()
    [[0.0, 2.5, 1.0], [2.5, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """

    coefficients: CoefficientRows
    # As in `symmetric_affinity`.
    scale: str | None = None
    keep: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Of the affinity."""
        return self.coefficients.shape

    @property
    def dtype(self) -> np.dtype:
        """Of the weights."""
        return self.coefficients.dtype

    def magnitudes(self, start: int, stop: int) -> csr_array:
        """Rows of |C| / 2, scaled, with zeros on the diagonal."""
        rows = self.coefficients[start:stop]
        own = rows.indices == row_of_entry(rows) + start
        if own.any():
            rows.data[own] = 0
        return halved_magnitudes(rows, self.scale, self.keep)

    def tocsr(self) -> csr_array:
        """The affinity itself."""
        return symmetric_affinity(self.coefficients.tocsr(), self.scale, self.keep)
