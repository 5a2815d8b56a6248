"""Random sub-dictionaries, a pure function of the seed.

Sub-problem t keeps the points whose number u(seed, t, i), uniform in [0, 1), is large enough: all with
u >= dropout, or the `size` largest. Raw words of a counter-based generator make the numbers, so they
are the same in every version of NumPy, and a point keeps its numbers whatever else is drawn.
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
            f"dictionary_size={size} must lie between n_nonzero + 1 = {n_nonzero + 1} "
            f"and the number of distinct rows, {n_points}."
        )
    # One after the other: together the numbers of all would take more memory than what is kept.
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
    """The numbers decide which dropout rates leave every sub-problem enough atoms, so say which."""
    needed = n_nonzero + 1
    if n_points < needed:
        raise InputError(
            f"n_nonzero={n_nonzero} needs at least {needed} distinct rows, but X has only {n_points} of them."
        )
    drawn = (uniform_numbers(seed, t, n_points) for t in range(n_subproblems))
    # For each sub-problem the largest rate that leaves enough, and the number that this one leaves.
    left = [(float(np.partition(u, -needed)[-needed]), int((u >= dropout).sum())) for u in drawn]
    largest, fewest = (min(column) for column in zip(*left, strict=True))
    if dropout > largest:
        raise InputError(
            f"dropout={dropout} leaves only {fewest} of {n_points} points in a sub-dictionary, but "
            f"n_nonzero={n_nonzero} needs {needed}: with this random_state use dropout <= "
            f"{np.floor(largest * 1e4) / 1e4:g}, or fewer nonzeros."
        )
