"""Gram matrices with numbers of 8 bits, for a first look at the scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import padded_length
from subspan.kernels.coarse import ABREAST, GAP, fix_rows, n_words, pack_words

# The rows, and what one unit of each stands for.
CoarseRows = tuple[NDArray[np.int16], NDArray[np.float64]]
NO_ROWS: CoarseRows = (np.empty((0, 0), np.int16), np.empty(0))
# Rows whose fixed-point numbers stay in the second-level cache while all dictionaries take theirs.
ROWS = 32


def coarse_bytes(n_points: int, n_atoms: int) -> int:
    """Bytes of the rows of all points over one sub-dictionary."""
    return padded_length(n_points) * (n_words(n_atoms) + GAP) * 2


def coarse_rows(
    gram: NDArray[np.floating], kept: Sequence[NDArray[np.int32]], threads: int
) -> list[CoarseRows]:
    """All rows of a Gram matrix (whole tiles), for each set of columns, with 8 bits a number."""
    n = len(gram)
    units = np.zeros(n)
    gram = gram[:, :n]
    parts = [np.empty((n, n_words(len(columns)) + GAP), np.int16) for columns in kept]

    def fill(start: int) -> None:
        fixed = np.empty((ROWS // ABREAST, n, ABREAST), np.int16)
        number = np.empty(1, np.float32)
        fix_rows(gram, gram.view(np.int32), start, fixed, units, number, number.view(np.int32))
        groups = fixed.view(np.int64)[:, :, 0]
        for columns, part in zip(kept, parts, strict=True):
            pairs = np.zeros((2, part.shape[1]), np.int64)
            pack_words(groups, columns, pairs, pairs.view(np.int16), part[start : start + ROWS])

    for _ in run_in_threads(fill, range(0, n, ROWS), threads, "rows of 8 bits"):
        pass
    return [(part, units) for part in parts]
