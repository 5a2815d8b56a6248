"""How well flats of one dimension fit the clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh

from subspan.execution.threads import run_in_threads
from subspan.sources import Source


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
        return _squared_distances(points.take(rows).astype(np.float64), dim, affine)

    total = sum(run_in_threads(of_cluster, members, threads, "clusters"))
    return float(np.sqrt(total / len(labels)))


def _squared_distances(rows: NDArray[np.float64], dim: int, affine: bool) -> float:
    """Sum of squared distances to the best flat: what the largest `dim` squared singular values leave."""
    if affine:
        rows = rows - rows.mean(axis=0)
    scatter = rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows
    size = len(scatter)
    if size <= dim:
        return 0.0
    largest = eigvalsh(scatter, subset_by_index=(size - dim, size - 1))
    return max(float(np.trace(scatter) - largest.sum()), 0.0)
