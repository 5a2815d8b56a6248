"""Rows that a fit has seen already: they keep the label that it gave them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.sources.copies import row_digests


class KnownRows:
    """Finds the point that a row is a copy of, by hashes of 128 bits.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> KnownRows(row_digests(rows)).find(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [1, -1]
    """

    def __init__(self, digests: NDArray[np.uint64]) -> None:
        # Of equal points the first counts: the sort is stable.
        self._order = np.lexsort((digests[:, 1], digests[:, 0]))
        self._digests = digests[self._order]

    def find(self, rows: NDArray[np.floating]) -> NDArray[np.int64]:
        """The point that each row is equal to, or -1."""
        found = np.full(len(rows), -1)
        if len(self._order) and len(rows):
            wanted = row_digests(rows)
            place = np.minimum(np.searchsorted(self._digests[:, 0], wanted[:, 0]), len(self._order) - 1)
            equal = (self._digests[place] == wanted).all(axis=1)
            found[equal] = self._order[place[equal]]
        return found
