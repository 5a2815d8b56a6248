"""How low the dimension of each cluster is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.plotting.numbers.clusters import check_length, evenly, number_clusters
from subspan.sources import Source, open_source
from subspan.subspaces import Spread

# Points of a cluster beyond these hardly move its leading singular values.
MAX_POINTS = 500
N_VALUES = 30


@dataclass(frozen=True, eq=False)
class SingularValues:
    """Leading singular values of the points of each cluster; the label -1 is no cluster."""

    clusters: NDArray[Any]
    sizes: NDArray[np.intp]
    # (n_clusters, n_values), descending; 0 beyond the rank of a cluster.
    values: NDArray[np.float64]
    # Share of a cluster's energy, the sum of the squares of all entries, in its first 1, 2, ... directions.
    energy: NDArray[np.float64]

    def dimensions(self, share: float = 0.95) -> NDArray[np.intp]:
        """Directions that hold this share of each cluster's energy; one more than shown if these do not."""
        # An energy that ought to be the share itself may lack a rounding error.
        missing: NDArray[np.intp] = np.count_nonzero(self.energy < share * (1 - 1e-12), axis=1)
        return missing + 1


def singular_values(
    X: Any,
    labels: ArrayLike,
    *,
    normalize: bool = True,
    n_values: int = N_VALUES,
    max_points: int = MAX_POINTS,
) -> SingularValues:
    """Singular values of the points of each cluster, and the energy that leading directions hold.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features), path or source
        The points.
    labels : array-like of shape (n_points,)
        Cluster of every point.
    normalize : bool
        Bring every row to unit norm first, as the methods do.
    n_values : int
        Most singular values of a cluster.
    max_points : int
        Most points of a cluster looked at, at even distances.

    Examples
    --------
    >>> found = singular_values([[2.0, 0.0], [1.0, 0.0], [3.0, 4.0], [4.0, -3.0]], [0, 0, 1, 1])
    >>> found.values.round(3).tolist()
    [[1.414, 0.0], [1.0, 1.0]]
    >>> found.dimensions(0.9).tolist()
    [1, 2]
    """
    source = open_source(X)
    clusters = number_clusters(labels)
    check_length(clusters, source.shape[0], "X")
    kept = range(clusters.n_clusters)
    samples = [evenly(clusters.members(number), max_points) for number in kept]
    n_values = min(n_values, source.shape[1], max(map(len, samples), default=0))
    squares = np.zeros((len(samples), n_values))
    energy = np.zeros_like(squares)
    for number, rows in enumerate(samples):
        spectrum = Spread(_taken(source, rows, normalize)).squared_singular_values()
        n_found = min(n_values, len(spectrum))
        squares[number, :n_found] = spectrum[:n_found]
        energy[number] = np.cumsum(squares[number]) / max(spectrum.sum(), np.finfo(np.float64).tiny)
    names, sizes = clusters.names[: len(kept)], clusters.sizes[: len(kept)]
    return SingularValues(names, sizes, np.sqrt(squares), energy)


def _taken(source: Source, rows: NDArray[np.intp], normalize: bool) -> NDArray[np.float64]:
    """Rows in float64; a zero row stays what it is."""
    points: NDArray[np.float64] = source.take(rows).astype(np.float64)
    if normalize:
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        points /= np.where(lengths > 0, lengths, 1.0)
    return points
