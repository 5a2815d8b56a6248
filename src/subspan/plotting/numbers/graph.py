"""Sums over an affinity of any form, a few of its rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from subspan.handover import Factors, InputError, as_array
from subspan.metrics.checks import check_square, stored_values

# Rows looked at together: enough for speed, few enough that a table with 400 columns is small.
ROWS_AT_ONCE = 1024

# A sparse matrix, an array, factors whose product is the graph, or anything with `shape` and `tocsr()`.
Affinity = Any
# The first three of these; SciPy has no types that would tell them apart.
GraphLike = Any


def open_graph(affinity: Affinity, n_points: int) -> GraphLike:
    """The affinity in one of three forms, a dense array without a copy.

    Raises
    ------
    InputError
        If it is not square, real and finite, has no edge, or is not as long as the labels.

    Examples
    --------
    >>> open_graph(np.zeros((3, 2)), 3)
    Traceback (most recent call last):
    subspan.handover.InputError: affinity must be a square matrix, got shape (3, 2).
    """
    graph = _checked(affinity, n_points)
    values = stored_values(graph.left if isinstance(graph, Factors) else graph)
    if not values.any():
        raise InputError("affinity has no edge, so there is no graph to look at.")
    return graph


def _checked(affinity: Affinity, n_points: int) -> GraphLike:
    if isinstance(affinity, Factors):
        if affinity.shape != (n_points, n_points):
            raise InputError(f"affinity has {affinity.shape[0]} rows, but labels has {n_points} labels.")
        return affinity
    on_request = hasattr(affinity, "tocsr") and not issparse(affinity)
    return check_square("affinity", affinity.tocsr() if on_request else affinity, n_points, "labels")


def weights_by_group(
    graph: GraphLike, group: NDArray[np.intp], n_groups: int
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """For some rows after the others, the weight of each row to the points of every group.

    Factors count as their whole product, loops included: this is the graph that SCC cuts.

    Examples
    --------
    >>> path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    >>> [(rows, weights)] = weights_by_group(path, np.array([0, 0, 1]), 2)
    >>> weights.tolist()
    [[1.0, 0.0], [1.0, 2.0], [2.0, 0.0]]
    """
    n_points = len(group)
    places = (group, np.arange(n_points))
    product = _product(graph, csr_array((np.ones(n_points), places), shape=(n_groups, n_points)))
    for start in range(0, n_points, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, n_points))
        yield rows, product(rows)


def _product(graph: GraphLike, indicator: csr_array) -> Callable[[slice], NDArray[np.float64]]:
    """Some rows of the graph, summed over the columns that each row of `indicator` marks."""
    if isinstance(graph, Factors):
        right = as_array(indicator @ graph.right).T
        return lambda rows: np.asarray(graph.left[rows] @ right)
    if issparse(graph):
        return lambda rows: np.asarray((graph[rows] @ indicator.T).toarray())
    return lambda rows: np.asarray((indicator @ graph[rows].T).T)


def weights_between_groups(graph: GraphLike, group: NDArray[np.intp], n_groups: int) -> NDArray[np.float64]:
    """Total weight from the points of every group to those of every other.

    Examples
    --------
    >>> path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    >>> weights_between_groups(path, np.array([0, 0, 1]), 2).tolist()
    [[2.0, 2.0], [2.0, 0.0]]
    """
    total = np.zeros((n_groups, n_groups))
    for rows, weights in weights_by_group(graph, group, n_groups):
        places = (group[rows], np.arange(len(weights)))
        total += csr_array((np.ones(len(weights)), places), shape=(n_groups, len(weights))) @ weights
    return total
