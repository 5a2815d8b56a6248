"""Random sub-dictionaries, a pure function of the seed.

Sub-problem t keeps the points whose number u(seed, t, i), uniform in [0, 1), is large enough: all with
u >= dropout, or the `size` largest. The numbers are raw output of a counter-based generator. So they are the
same in every version of NumPy, and the number of a point does not depend on other draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError

Indices = NDArray[np.int64]


def uniform_numbers(seed: int, subproblem: int, n_points: int) -> NDArray[np.float64]:
    """u(seed, subproblem, i) for all points i."""
    words = np.random.Philox(key=np.array([seed, subproblem], np.uint64)).random_raw(n_points)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def sample_dictionaries(
    n_points: int,
    n_subproblems: int,
    *,
    n_nonzero: int,
    dropout: float,
    size: int | None = None,
    cover: bool = False,
    seed: int = 0,
) -> list[Indices]:
    """Sorted indices of the points that each sub-problem keeps.

    Parameters
    ----------
    n_points, n_subproblems : int
        N and T.
    n_nonzero : int
        Atoms a point needs besides itself; fewer are an error.
    dropout : float
        Probability delta that a point is dropped.
    size : int, optional
        Keep exactly this many points instead.
    cover : bool
        If some point is in no dictionary, add one more: a fresh draw together with all such points.
    seed : int

    Examples
    --------
    >>> [len(kept) for kept in sample_dictionaries(1000, 3, n_nonzero=5, dropout=0.8, size=50)]
    [50, 50, 50]
    """
    if size is None:
        _check_dropout(seed, n_subproblems, n_points, dropout, n_nonzero)
    elif not n_nonzero < size <= n_points:
        raise InputError(
            "{dictionary_size} must lie between {n_nonzero:name} + 1 = {} and the number of distinct rows, "
            "{}.",
            *(n_nonzero + 1, n_points),
            dictionary_size=size,
            n_nonzero=n_nonzero,
        )
    # One after the other, because the numbers of all together would take much memory.
    dictionaries = [_keep(uniform_numbers(seed, t, n_points), dropout, size) for t in range(n_subproblems)]
    if cover:
        missing = np.ones(n_points, bool)
        missing[np.concatenate(dictionaries)] = False
        if missing.any():
            fresh = _keep(uniform_numbers(seed, n_subproblems, n_points), dropout, size)
            dictionaries.append(np.union1d(fresh, np.flatnonzero(missing)))
    return dictionaries


def _keep(u: NDArray[np.float64], dropout: float, size: int | None) -> Indices:
    if size is None:
        return np.flatnonzero(u >= dropout)
    # A stable sort gives ties to the lowest index.
    return np.sort(np.argsort(-u, kind="stable")[:size])


def _check_dropout(seed: int, n_subproblems: int, n_points: int, dropout: float, n_nonzero: int) -> None:
    """Refuse a dropout rate that leaves a sub-problem too few atoms, and name the largest possible rate."""
    needed = n_nonzero + 1
    if n_points < needed:
        raise InputError(
            "{n_nonzero} needs at least {} distinct rows, but X has only {} of them.",
            *(needed, n_points),
            n_nonzero=n_nonzero,
        )
    drawn = (uniform_numbers(seed, t, n_points) for t in range(n_subproblems))
    # For each sub-problem the largest rate that leaves enough, and the number that this one leaves.
    left = [(float(np.partition(u, -needed)[-needed]), int((u >= dropout).sum())) for u in drawn]
    largest, fewest = (min(column) for column in zip(*left, strict=True))
    if dropout > largest:
        raise InputError(
            "{dropout} leaves only {} of {} points in a sub-dictionary, but {n_nonzero} needs {}: with this "
            "seed use {dropout:name} <= {:g}, or fewer nonzeros.",
            *(fewest, n_points, needed, np.floor(largest * 1e4) / 1e4),
            dropout=dropout,
            n_nonzero=n_nonzero,
        )
