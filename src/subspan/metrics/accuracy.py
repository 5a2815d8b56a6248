"""Clustering accuracy: the share of points right under the best naming of the clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from subspan.handover import InputError
from subspan.metrics.checks import is_cluster, number_classes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Matching:
    """How many points every class shares with every cluster, and which of them belong together."""

    # Distinct labels, in the order of numpy.unique, and the points of every pair, (n_classes, n_clusters).
    classes: NDArray[Any]
    clusters: NDArray[Any]
    table: NDArray[np.intp]
    # Class rows[i] is matched with cluster columns[i]; ascending classes.
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @property
    def accuracy(self) -> float:
        """Share of points in matched pairs."""
        return float(self.table[self.rows, self.columns].sum() / self.table.sum())


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
    return match_clusters(labels_true, labels_pred).accuracy


def match_clusters(labels_true: ArrayLike, labels_pred: ArrayLike) -> Matching:
    """Match clusters with classes in the way that makes the accuracy largest.

    Parameters and errors are those of `clustering_accuracy`.

    Examples
    --------
    >>> found = match_clusters(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    >>> found.table.tolist(), found.rows.tolist(), found.columns.tolist()
    ([[0, 2], [1, 1]], [0, 1], [1, 0])
    """
    classes, true = number_classes("labels_true", labels_true)
    clusters, predicted = number_classes("labels_pred", labels_pred)
    if true.size != predicted.size:
        raise InputError(f"labels_true has {true.size} labels, but labels_pred has {predicted.size}.")
    table = _contingency(true, predicted)
    matchable = np.flatnonzero(is_cluster(clusters))
    rows, columns = linear_sum_assignment(table[:, matchable], maximize=True)
    return Matching(classes, clusters, table, rows, matchable[columns])


def _contingency(true: NDArray[np.intp], predicted: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the points of every pair of class and cluster."""
    n_clusters = predicted.max() + 1
    cells = np.bincount(true * n_clusters + predicted, minlength=(true.max() + 1) * n_clusters)
    return cells.reshape(-1, n_clusters)
