"""The affinity with the points of each cluster side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.plotting.numbers.clusters import number_clusters
from subspan.plotting.numbers.graph import Affinity, open_graph, weights_between_groups

# About as many cells as a small picture has room for.
MAX_CELLS = 400


@dataclass(frozen=True, eq=False)
class OrderedAffinity:
    """A picture of the affinity with its points ordered by cluster, and sums over whole clusters."""

    # Distinct labels in the order of the picture; -1, "in no cluster", last.
    clusters: NDArray[Any]
    sizes: NDArray[np.intp]
    # Mean weight in each cell of the picture, (n_cells, n_cells).
    grid: NDArray[np.float64]
    # Places among the ordered points where cells begin, (n_cells + 1,), and where clusters do.
    edges: NDArray[np.intp]
    boundaries: NDArray[np.intp]
    # Total weight from cluster to cluster, (n_clusters, n_clusters).
    weights: NDArray[np.float64]

    @property
    def inside(self) -> NDArray[np.float64]:
        """Share of each cluster's weight that stays inside it; NaN for a cluster without any edge."""
        total = self.weights.sum(axis=1)
        return np.diagonal(self.weights) / np.where(total > 0, total, np.nan)

    @property
    def inside_total(self) -> float:
        """Share of all weight that lies inside clusters."""
        return float(np.trace(self.weights) / self.weights.sum())


def ordered_affinity(affinity: Affinity, labels: ArrayLike, max_cells: int = MAX_CELLS) -> OrderedAffinity:
    """Sum the affinity over squares of neighbouring points after ordering them by cluster.

    Parameters
    ----------
    affinity : sparse or dense matrix of shape (n_points, n_points), Factors, or with `tocsr()`
        It is read a few rows at a time.
    labels : array-like of shape (n_points,)
        Cluster of every point.
    max_cells : int
        Most cells along a side: of more points, neighbours share a cell.

    Examples
    --------
    >>> path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    >>> picture = ordered_affinity(path, [0, 1, 0])
    >>> picture.grid.tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]]
    >>> picture.weights.tolist(), picture.inside_total
    ([[0.0, 3.0], [3.0, 0.0]], 0.0)
    """
    clusters = number_clusters(labels)
    graph = open_graph(affinity, clusters.of_point.size)
    n_points = clusters.of_point.size
    n_cells = min(n_points, max_cells)
    edges = np.arange(n_cells + 1) * n_points // n_cells
    cell = np.empty(n_points, np.intp)
    cell[clusters.order] = np.repeat(np.arange(n_cells), np.diff(edges))
    pairs = np.outer(np.diff(edges), np.diff(edges))
    return OrderedAffinity(
        clusters=clusters.names,
        sizes=clusters.sizes,
        grid=weights_between_groups(graph, cell, n_cells) / pairs,
        edges=edges,
        boundaries=np.concatenate([[0], np.cumsum(clusters.sizes)]),
        weights=weights_between_groups(graph, clusters.of_point, len(clusters.names)),
    )
