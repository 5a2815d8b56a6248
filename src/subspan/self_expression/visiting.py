"""In which order to visit points whose pursuits read rows of the same matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads

# Enough for most clusters to have some near them, and few enough for groups of a tile or more.
N_PIVOTS = 64
ROWS_PER_TASK = 1024


def likely_companions(points: NDArray[np.floating], threads: int = 1) -> NDArray[np.int64]:
    """An order in which points that are likely to pick the same atoms follow one another.

    A point picks atoms of its own subspace, and what its pursuit read is still in the cache for the next
    one of that subspace. Points go by the pivot, one of a few of them, that they are most correlated with;
    a group is followed by the one whose pivot its own points are most correlated with.

    Examples
    --------
    >>> likely_companions(np.array([[1.0, 0.1], [0.1, 1.0], [-1.0, 0.2], [0.2, 1.0]])).tolist()
    [0, 2, 1, 3]
    """
    n = len(points)
    pivots = points[np.unique(np.linspace(0, n - 1, N_PIVOTS).astype(np.int64))]

    def meet(start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The pivot nearest to each of some points, and what the points of each add to its kinship."""
        squares = (points[start : start + ROWS_PER_TASK] @ pivots.T).astype(np.float64) ** 2
        nearest = squares.argmax(axis=1)
        members = nearest == np.arange(len(pivots))[:, None]
        return nearest, members.astype(np.float64) @ squares

    met = list(run_in_threads(meet, range(0, n, ROWS_PER_TASK), threads, "blocks of rows"))
    place = np.empty(len(pivots), np.int64)
    place[_chain(np.sum([kinship for _, kinship in met], axis=0))] = np.arange(len(pivots))
    return np.argsort(place[np.concatenate([nearest for nearest, _ in met])], kind="stable")


def _chain(kinship: NDArray[np.float64]) -> list[int]:
    """Each one followed by the next of kin that is left."""
    chain = [0]
    left = np.ones(len(kinship), bool)
    left[0] = False
    while left.any():
        chain.append(int(np.where(left, kinship[chain[-1]], -1.0).argmax()))
        left[chain[-1]] = False
    return chain
