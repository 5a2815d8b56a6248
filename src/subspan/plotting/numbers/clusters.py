"""Labels of any type as clusters: their names, their points, and a few points that stand for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.metrics.checks import is_cluster, number_classes


@dataclass(frozen=True, eq=False)
class Clusters:
    """The distinct labels, and the place of every point's label among them."""

    # In the order of numpy.unique; the label -1, which means "in no cluster", comes last.
    names: NDArray[Any]
    # Position among `names` of every point's label.
    of_point: NDArray[np.intp]
    # How many of `names` are clusters: all, or all but the last.
    n_clusters: int

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Points with each label."""
        return np.bincount(self.of_point, minlength=len(self.names))

    @property
    def order(self) -> NDArray[np.intp]:
        """Rows sorted by cluster, those of one cluster in their own order."""
        return np.argsort(self.of_point, kind="stable")

    def members(self, number: int) -> NDArray[np.intp]:
        """Ascending rows of one cluster."""
        return np.flatnonzero(self.of_point == number)


def number_clusters(labels: ArrayLike) -> Clusters:
    """Number the clusters that `labels` names.

    Examples
    --------
    >>> clusters = number_clusters([1, -1, 0, 1])
    >>> clusters.names.tolist(), clusters.of_point.tolist(), clusters.n_clusters
    ([0, 1, -1], [1, 2, 0, 1], 2)
    """
    names, of_point = number_classes("labels", labels)
    inside = is_cluster(names)
    if not inside.any():
        raise InputError("labels: all are -1, so there is no cluster to look at.")
    order = np.argsort(~inside, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return Clusters(names[order], position[of_point], int(inside.sum()))


def check_length(labels: Clusters, n_rows: int, of: str) -> None:
    """Refuse labels that are not one for each row of the argument called `of`."""
    if labels.of_point.size != n_rows:
        raise InputError(f"labels has {labels.of_point.size} labels, but {of} has {n_rows} rows.")


def evenly(rows: NDArray[np.intp], at_most: int) -> NDArray[np.intp]:
    """At most so many of the rows, at even distances, the first of them included.

    Examples
    --------
    >>> evenly(np.arange(10), 4).tolist()
    [0, 2, 5, 7]
    """
    if len(rows) <= at_most:
        return rows
    return rows[np.arange(at_most) * len(rows) // at_most]


def thinned(clusters: Clusters, max_points: int) -> NDArray[np.intp]:
    """Ascending rows, at most `max_points` and one of each cluster at least: the same ones every time.

    Beyond its first point, every cluster gets its share of the room.

    Examples
    --------
    >>> thinned(number_clusters([0, 0, 0, 0, 0, 1]), 3).tolist()
    [0, 2, 5]
    """
    sizes = clusters.sizes
    n_points, room = clusters.of_point.size, max(max_points - len(sizes), 0)
    if n_points <= max_points:
        return np.arange(n_points)
    quotas = 1 + room * (sizes - 1) // (n_points - len(sizes))
    chosen = [evenly(clusters.members(number), int(quota)) for number, quota in enumerate(quotas)]
    return np.sort(np.concatenate(chosen))
