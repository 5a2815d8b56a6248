"""Which points of a fit stay as the atoms of its model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# More atoms make a model larger and slower, and hardly better: docs/results/new-rows.md.
MOST_ATOMS = 4000


def choose_atoms(labels: NDArray[np.int64], seed: int, most: int = MOST_ATOMS) -> NDArray[np.int64]:
    """Points that stay: all that have a label or, of many, as many of each cluster as there is room for.

    Large clusters give up points before small ones do.

    Examples
    --------
    >>> choose_atoms(np.array([0, 0, 0, 0, 1, 1, -1]), seed=0, most=4).tolist()
    [2, 3, 4, 5]
    """
    sizes = np.bincount(labels[labels >= 0])
    if sizes.sum() <= most:
        return np.flatnonzero(labels >= 0)
    shares = equal_shares(sizes, most)
    generator = np.random.default_rng(seed)
    chosen = [
        generator.choice(np.flatnonzero(labels == label), share, replace=False)
        for label, share in enumerate(shares)
    ]
    return np.sort(np.concatenate(chosen))


def equal_shares(sizes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """At most `most` in all: the same number for every cluster, less only where a cluster is smaller.

    Examples
    --------
    >>> equal_shares(np.array([10, 2, 10]), 12).tolist()
    [5, 2, 5]
    """
    shares = np.zeros_like(sizes)
    room = most
    for place, cluster in enumerate(np.argsort(sizes, kind="stable")):
        shares[cluster] = min(int(sizes[cluster]), room // (len(sizes) - place))
        room -= int(shares[cluster])
    return shares
