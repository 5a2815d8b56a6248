"""An order of the points in which successive pursuits read the same rows of a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads

# Enough that most clusters have a pivot near them; few enough that most groups fill a tile.
N_PIVOTS = 64
ROWS_PER_TASK = 1024


def visiting_order(points: NDArray[np.floating], threads: int = 1) -> NDArray[np.int64]:
    """An order in which points that are likely to pick the same atoms follow one another.

    A point picks atoms of its own subspace. If the next point is of the same subspace, these atoms are still
    in the cache. Points are grouped by the pivot, one of N_PIVOTS points, that they are most correlated with.
    The next group is the one whose pivot the points of the last group are most correlated with.

    Examples
    --------
    >>> visiting_order(np.array([[1.0, 0.1], [0.1, 1.0], [-1.0, 0.2], [0.2, 1.0]])).tolist()
    [0, 2, 1, 3]
    """
    n = len(points)
    pivots = points[np.unique(np.linspace(0, n - 1, N_PIVOTS).astype(np.int64))]

    def meet(start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest pivot of some points, and the sums of their correlations with all pivots by group."""
        squares = (points[start : start + ROWS_PER_TASK] @ pivots.T).astype(np.float64) ** 2
        nearest = squares.argmax(axis=1)
        members = nearest == np.arange(len(pivots))[:, None]
        return nearest, members.astype(np.float64) @ squares

    met = list(run_in_threads(meet, range(0, n, ROWS_PER_TASK), threads, "blocks of rows"))
    place = np.empty(len(pivots), np.int64)
    place[_chain(np.sum([kinship for _, kinship in met], axis=0))] = np.arange(len(pivots))
    return np.argsort(place[np.concatenate([nearest for nearest, _ in met])], kind="stable")


def _chain(kinship: NDArray[np.float64]) -> list[int]:
    """Order of the groups: each is followed by the most correlated one that is left."""
    chain = [0]
    left = np.ones(len(kinship), bool)
    left[0] = False
    while left.any():
        chain.append(int(np.where(left, kinship[chain[-1]], -1.0).argmax()))
        left[chain[-1]] = False
    return chain
