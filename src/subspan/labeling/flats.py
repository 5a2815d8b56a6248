"""How well flats of one dimension fit the clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads
from subspan.sources import Source
from subspan.subspaces import Spread


def flat_error(
    points: Source, labels: NDArray[np.integer], dim: int, *, affine: bool = True, threads: int = 1
) -> float:
    """Root mean squared distance of the points to the best-fitting flats of their clusters.

    Parameters
    ----------
    points : Source
        The points.
    labels : array of shape (n,)
        Cluster of each point.
    dim : int
        Dimension of the flats.
    affine : bool
        Whether flats may miss the origin.
    threads : int
        How the work is split. It changes nothing in the result.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.sources import ArraySource
    >>> X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [7.0, 0.0], [7.0, 1.0], [7.0, 2.0]])
    >>> bool(flat_error(ArraySource(X), np.array([0, 0, 0, 1, 1, 1]), 1) < 1e-6)
    True
    """
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]

    def of_cluster(rows: NDArray[np.integer]) -> float:
        return Spread(points.take(rows).astype(np.float64), affine=affine).squared_distance(dim)

    total = sum(run_in_threads(of_cluster, members, threads, "clusters"))
    return float(np.sqrt(total / len(labels)))
