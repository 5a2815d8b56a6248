"""How well the affinity holds each cluster together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import Factors, InputError, as_array
from subspan.metrics import connectivity
from subspan.plotting.numbers.clusters import Clusters, number_clusters
from subspan.plotting.numbers.graph import Affinity, open_graph


@dataclass(frozen=True, eq=False)
class ClusterConnectivity:
    """Algebraic connectivity of each cluster; the label -1 is no cluster."""

    clusters: NDArray[Any]
    sizes: NDArray[np.intp]
    # Second smallest eigenvalue of the cluster's normalised Laplacian: 0 if the cluster falls apart.
    values: NDArray[np.float64]


def cluster_connectivity(affinity: Affinity, labels: ArrayLike) -> ClusterConnectivity:
    """Second smallest eigenvalue of the normalised Laplacian within each cluster.

    As `subspan.metrics.connectivity`, for the clusters found instead of the true classes. Factors count as
    their whole product, loops included: this is the graph that SCC cuts.

    Examples
    --------
    >>> found = cluster_connectivity(np.ones((5, 5)) - np.eye(5), [0, 0, 1, 1, -1])
    >>> found.clusters.tolist(), found.values.tolist()
    ([0, 1], [2.0, 2.0])
    """
    clusters = number_clusters(labels)
    graph = open_graph(affinity, clusters.of_point.size)
    if isinstance(graph, Factors):
        values = _of_factors(graph, clusters)
    else:
        values = connectivity(graph, clusters.of_point).per_class
    kept = slice(clusters.n_clusters)
    return ClusterConnectivity(clusters.names[kept], clusters.sizes[kept], values[kept])


def _of_factors(graph: Factors, clusters: Clusters) -> NDArray[np.float64]:
    if graph.left is not graph.right and not np.array_equal(as_array(graph.left), as_array(graph.right)):
        raise InputError("affinity: the two factors of a symmetric graph must be equal.")
    numbers = range(len(clusters.names))
    return np.array([_of_thin_matrix(as_array(graph.left[clusters.members(number)])) for number in numbers])


def _of_thin_matrix(thin: NDArray[np.floating]) -> float:
    """Connectivity of thin @ thin.T: its normalised eigenvalues are squared singular values."""
    columns = thin.astype(np.float64)
    degrees = columns @ columns.sum(axis=0)
    if len(columns) == 1 or degrees.min() <= 0:
        return 0.0
    scaled = columns / np.sqrt(degrees)[:, None]
    narrow = scaled if scaled.shape[1] < len(scaled) else scaled.T
    values = np.linalg.eigvalsh(narrow.T @ narrow)
    # With one column only, all eigenvalues but the first are 0.
    return max(0.0, 1.0 - float(values[-2])) if len(values) > 1 else 1.0
