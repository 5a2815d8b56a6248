"""Labels by k-means in the embedding, as many as were asked for, numbered by their first points."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from subspan.execution.threads import single_threaded_libraries

# Bounds the memory of what is compared with the centres at a time.
ROWS_PER_PRODUCT = 1 << 14


def label_embedding(
    vectors: NDArray[np.floating],
    n_clusters: int,
    *,
    n_init: int = 20,
    seed: int = 0,
    max_iter: int = 1000,
    sample: NDArray[np.integer] | None = None,
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
    sample : array of indices, optional
        Rows that k-means looks at; the others then go to the nearest centre.

    Examples
    --------
    >>> import numpy as np
    >>> labels = label_embedding(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1], [0.1, 1.0]]), 2)
    >>> bool(labels[0] == labels[2] != labels[1] == labels[3])
    True
    """
    if sample is not None:
        chosen = vectors[sample].astype(np.float64)
        labels = label_embedding(chosen, n_clusters, n_init=n_init, seed=seed, max_iter=max_iter)
        return _nearest(vectors, _centres(chosen, labels))
    # Sums over points inside k-means depend on the number of threads.
    with single_threaded_libraries(), warnings.catch_warnings():
        # Too few distinct clusters: dealt with below.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(n_clusters, n_init=n_init, max_iter=max_iter, random_state=seed).fit(vectors)
    labels = fitted.labels_.astype(np.int64)
    if np.unique(labels).size < n_clusters:
        labels = _filled(labels, vectors, n_clusters)
    return labels


def canonical_labels(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the clusters 0, 1, 2, ... in the order of their first points; -1 (no cluster) stays.

    Examples
    --------
    >>> import numpy as np
    >>> canonical_labels(np.array([7, -1, 7, 2, 0, 2])).tolist()
    [0, -1, 0, 1, 2, 1]
    """
    numbered = np.full(labels.shape, -1, dtype=np.int64)
    assigned = labels != -1
    _, first, inverse = np.unique(labels[assigned], return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    numbered[assigned] = rank[inverse]
    return numbered


def _centres(vectors: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    sums = np.zeros((int(labels.max()) + 1, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    centres: NDArray[np.float64] = sums / np.bincount(labels)[:, None]
    return centres


def _nearest(vectors: NDArray[np.floating], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """The nearest centre of every row, the lowest of equals."""
    lengths = (centres**2).sum(axis=1)
    nearest = np.empty(len(vectors), np.int64)
    with single_threaded_libraries():
        for start in range(0, len(vectors), ROWS_PER_PRODUCT):
            rows = vectors[start : start + ROWS_PER_PRODUCT].astype(np.float64)
            nearest[start : start + len(rows)] = np.argmin(lengths - 2 * rows @ centres.T, axis=1)
    return nearest


def _filled(labels: NDArray[np.int64], vectors: NDArray[np.floating], n_clusters: int) -> NDArray[np.int64]:
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
