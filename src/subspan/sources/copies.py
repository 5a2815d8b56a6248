"""Copies among rows: equal ones, and those of one direction up to rounding.

Equal rows are found by their hashes. Rows of one direction are multiples of one another, and where lines are
meant also opposites. They are compared by a few of their coordinates along random directions. Two rows of one
direction agree in all of them up to rounding. Rows that differ by more than a hundred units of rounding
hardly ever do.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from subspan.sources.checks import ROWS_PER_CHECK, Floats

Doubles = NDArray[np.float64]

# Coordinates that are compared.
N_COORDINATES = 4
# How far those of one direction may be apart, in units of rounding.
ROUNDING = 32


def coordinates(rows: NDArray[np.floating]) -> Doubles:
    """Inner products of rows of unit norm with a few fixed random vectors; no row depends on another."""
    axes = np.random.default_rng(0).standard_normal((N_COORDINATES, rows.shape[1]))
    return np.stack([(rows * axis).sum(axis=1, dtype=np.float64) for axis in axes], axis=1)


def first_of_one_direction(
    copy_of: NDArray[np.int64], directed: NDArray[np.int64], places: Doubles, dtype: np.dtype
) -> NDArray[np.int64]:
    """For every row the first of its direction, where the first that equals it is known.

    Parameters
    ----------
    copy_of : array of shape (n_rows,)
        The first row equal to each row.
    directed : array
        Rows that have a direction, ascending.
    places : array of shape (n_rows, N_COORDINATES)
        Their `coordinates`.
    dtype : dtype
        Type of the rows, which says how far rounding goes.
    """
    originals = directed[copy_of[directed] == directed]
    first = np.arange(len(copy_of))
    tol = ROUNDING * float(np.finfo(dtype).eps)
    first[originals] = originals[first_of_direction(places[originals], tol)]
    found: NDArray[np.int64] = first[copy_of]
    return found


def first_of_direction(points: Doubles, tol: float) -> NDArray[np.int64]:
    """For every row the index of a first one whose coordinates differ by no more than `tol`.

    Examples
    --------
    >>> points = np.array([[0.1, 0.5], [0.9, 0.2], [0.1 + 1e-16, 0.5]])
    >>> first_of_direction(points, 1e-14).tolist()
    [0, 1, 0]
    """
    leader = np.arange(len(points))
    # Rows of one direction are near one another in this order, but others may stand between them.
    kept = np.argsort(points[:, 0], kind="stable")
    distance = 1
    while distance < len(kept):
        gone = _near(points[kept], distance, tol)
        if gone is None:
            break
        followers, leaders = gone
        leader[kept[followers]] = kept[leaders]
        kept = np.delete(kept, followers)
        distance = 1 if len(followers) else distance + 1
    while not np.array_equal(leader, leader[leader]):
        leader = leader[leader]
    first = np.full(len(points), len(points))
    np.minimum.at(first, leader, np.arange(len(points)))
    found: NDArray[np.int64] = first[leader]
    return found


def _near(ordered: Doubles, distance: int, tol: float) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Positions of rows that equal the row `distance` before them, and the positions of those.

    No position is in both lists: a chain of rows, each near the next, is not one direction. None if all rows
    so far apart differ in the first coordinate, by which they are sorted: then those farther apart do too.
    """
    difference = np.abs(ordered[distance:] - ordered[:-distance])
    if not (difference[:, 0] <= tol).any():
        return None
    equal = np.flatnonzero((difference <= tol).all(axis=1))
    # Runs of `distance` rows lead and follow in turn.
    leads = equal[(equal // distance) % 2 == 0]
    if len(leads) == 0:
        leads = equal
        leads = leads[~np.isin(leads, leads + distance)]
    return leads + distance, leads


def first_occurrences(X: Floats) -> NDArray[np.int64]:
    """For every row the index of the first row equal to it, found by 128-bit hashes.

    Examples
    --------
    >>> import numpy as np
    >>> first_occurrences(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]])).tolist()
    [0, 1, 0]
    """
    return first_of_equal(row_digests(X))


def row_digests(X: Floats) -> NDArray[np.uint64]:
    """A 128-bit hash of every row, as two numbers."""
    row_bytes = X.shape[1] * X.dtype.itemsize
    out = np.empty((len(X), 2), np.uint64)
    for start in range(0, len(X), ROWS_PER_CHECK):
        # Adding zero turns -0.0 into 0.0: equal numbers, other bytes.
        block = memoryview((X[start : start + ROWS_PER_CHECK] + 0).tobytes())
        digests = [
            blake2b(block[i : i + row_bytes], digest_size=16).digest()
            for i in range(0, len(block), row_bytes)
        ]
        out[start : start + ROWS_PER_CHECK] = np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)
    return out


def first_of_equal(digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For every digest the index of the first one equal to it.

    Examples
    --------
    >>> import numpy as np
    >>> first_of_equal(np.array([[7, 1], [5, 2], [7, 1]], np.uint64)).tolist()
    [0, 1, 0]
    """
    # The sort is stable, so equal digests stand in the order of their indices, the first one in front.
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    ordered = digests[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.cumsum(is_new) - 1
    out = np.empty(len(order), np.int64)
    out[order] = order[is_new][group]
    return out
