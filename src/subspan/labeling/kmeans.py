"""k-means in the embedding, with as many clusters as were asked for."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from subspan.execution.threads import single_threaded_libraries


def label_embedding(
    vectors: NDArray[np.float64],
    n_clusters: int,
    *,
    n_init: int = 20,
    seed: int = 0,
    max_iter: int = 1000,
) -> NDArray[np.int64]:
    """Cluster the rows by k-means, the best of `n_init` starts.

    Every label from 0 to n_clusters - 1 occurs if there are that many distinct rows; with fewer, each
    distinct row is a cluster. The labels do not depend on the number of threads.

    Parameters
    ----------
    vectors : array of shape (n, d)
        Points in rows.
    n_clusters : int
        Number of clusters.
    n_init : int
        Number of k-means++ starts.
    seed : int
        Fixes the starts.
    max_iter : int
        Cap on the iterations of one start.

    Examples
    --------
    >>> import numpy as np
    >>> labels = label_embedding(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1], [0.1, 1.0]]), 2)
    >>> bool(labels[0] == labels[2] != labels[1] == labels[3])
    True
    """
    # Sums over points inside k-means depend on the number of threads.
    with single_threaded_libraries(), warnings.catch_warnings():
        # Too few distinct clusters: dealt with below.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(n_clusters, n_init=n_init, max_iter=max_iter, random_state=seed).fit(vectors)
    labels: NDArray[np.int64] = fitted.labels_.astype(np.int64)
    if np.unique(labels).size < n_clusters:
        labels = _filled(labels, vectors, n_clusters)
    return labels


def _filled(labels: NDArray[np.int64], vectors: NDArray[np.float64], n_clusters: int) -> NDArray[np.int64]:
    """Give each unused label to the rows equal to the one farthest from its cluster's first row."""
    _, labels = np.unique(labels, return_inverse=True)
    for unused in range(int(labels.max()) + 1, n_clusters):
        _, first = np.unique(labels, return_index=True)
        # Differences, not expanded squares: rows that differ in the last bit are still distinct.
        distances = np.abs(vectors - vectors[first[labels]]).max(axis=1)
        farthest = int(np.argmax(distances))
        if distances[farthest] == 0.0:
            break
        labels = np.where((vectors == vectors[farthest]).all(axis=1), unused, labels)
    return labels
