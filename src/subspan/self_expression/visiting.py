"""In which order to visit points whose pursuits read rows of the same matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.tiles import TILE

# Enough for most clusters to have some near them, and few enough for groups of a tile or more.
N_PIVOTS = 64


def likely_companions(points: NDArray[np.floating]) -> NDArray[np.int64]:
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
    nearest = np.empty(n, np.int64)
    kinship = np.zeros((len(pivots), len(pivots)))
    for start in range(0, n, TILE):
        squares = (points[start : start + TILE] @ pivots.T).astype(np.float64) ** 2
        group = nearest[start : start + TILE] = squares.argmax(axis=1)
        np.add.at(kinship, group, squares)
    place = np.empty(len(pivots), np.int64)
    place[_chain(kinship)] = np.arange(len(pivots))
    return np.argsort(place[nearest], kind="stable")


def _chain(kinship: NDArray[np.float64]) -> list[int]:
    """Each one followed by the next of kin that is left."""
    chain = [0]
    left = np.ones(len(kinship), bool)
    left[0] = False
    while left.any():
        chain.append(int(np.where(left, kinship[chain[-1]], -1.0).argmax()))
        left[chain[-1]] = False
    return chain
