"""Clustering accuracy: the share of points right under the best naming of the clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from subspan.handover import InputError
from subspan.metrics.checks import number_classes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def clustering_accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of points whose cluster is matched with their class.

    Clusters have no names of their own, so every cluster is matched with at most one class and every
    class with at most one cluster, in the way that makes the share largest. If there are more clusters
    than classes, or fewer, the points of what stays unmatched count as wrong.

    Parameters
    ----------
    labels_true : array-like of shape (n_points,)
        True class of every point: numbers, strings or any hashable objects.
    labels_pred : array-like of shape (n_points,)
        Cluster of every point. The number -1 means "in no cluster": these points are never matched with
        a class, not even with a class that is called -1, and so count as wrong.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    InputError
        If the two are not one-dimensional, of one length and free of missing values.

    Examples
    --------
    >>> from subspan.metrics import clustering_accuracy
    >>> clustering_accuracy(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    0.75
    """
    _, true = number_classes("labels_true", labels_true)
    clusters, predicted = number_classes("labels_pred", labels_pred)
    if true.size != predicted.size:
        raise InputError(f"labels_true has {true.size} labels, but labels_pred has {predicted.size}.")
    table = _contingency(true, predicted)[:, _is_cluster(clusters)]
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / true.size)


def _contingency(true: NDArray[np.intp], predicted: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the points of every pair of class and cluster."""
    n_clusters = predicted.max() + 1
    cells = np.bincount(true * n_clusters + predicted, minlength=(true.max() + 1) * n_clusters)
    return cells.reshape(-1, n_clusters)


def _is_cluster(clusters: NDArray[Any]) -> NDArray[np.bool_]:
    # Compared one by one: an array of strings has no meaningful comparison with a number.
    return np.array([label != -1 for label in clusters.tolist()])
