"""Clusters against the true classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.metrics.accuracy import match_clusters
from subspan.metrics.checks import is_cluster


@dataclass(frozen=True, eq=False)
class Confusion:
    """Points of every pair of class and cluster; matched pairs lie on the diagonal."""

    # True classes, in the order of numpy.unique.
    classes: NDArray[Any]
    # Clusters in the order of the classes they are matched with, then the unmatched ones, -1 last.
    clusters: NDArray[Any]
    # (n_classes, n_clusters).
    table: NDArray[np.intp]
    # How many clusters are matched, and the share of points in matched pairs.
    n_matched: int
    accuracy: float


def confusion(labels_true: ArrayLike, labels_pred: ArrayLike) -> Confusion:
    """Count the points of every class in every cluster, after the matching that makes accuracy largest.

    Classes without a cluster come last among the classes.

    Examples
    --------
    >>> found = confusion(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    >>> found.classes.tolist(), found.clusters.tolist(), found.table.tolist(), found.accuracy
    (['cat', 'dog'], [1, 0], [[2, 0], [1, 1]], 0.75)
    """
    matching = match_clusters(labels_true, labels_pred)
    rows = _first(matching.rows, len(matching.classes))
    columns = _first(matching.columns, len(matching.clusters))
    # In no cluster: behind all that are.
    columns = columns[np.argsort(~is_cluster(matching.clusters[columns]), kind="stable")]
    return Confusion(
        classes=matching.classes[rows],
        clusters=matching.clusters[columns],
        table=matching.table[np.ix_(rows, columns)],
        n_matched=len(matching.rows),
        accuracy=matching.accuracy,
    )


def _first(chosen: NDArray[np.intp], n_all: int) -> NDArray[np.intp]:
    """The chosen numbers, then the others."""
    return np.concatenate([chosen, np.setdiff1d(np.arange(n_all), chosen)])
