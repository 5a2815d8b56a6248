"""Numbers of a result that may tell, without the truth, whether it is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from subspan.sources import Source
from subspan.sources.checks import unit_rows
from subspan.subspaces import Spread

# Rows that are looked at; the numbers are shares, which need no more.
MOST_ROWS = 2000
# Share of a cluster's energy that its subspace holds, and the largest dimension that is tried.
ENERGY = 0.9
MOST_DIMENSIONS = 30

Labels = NDArray[np.int64]


def evidence(
    source: Source | None, labels: Labels, graph: Any, eigenvalues: NDArray[np.float64] | None
) -> dict[str, float]:
    """All numbers that can be had of a result, by name.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> X = np.array([[1.0, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2]])
    >>> evidence(ArraySource(X), np.array([0, 0, 1, 1]), np.kron(np.eye(2), np.ones((2, 2))), None)["inside"]
    1.0
    """
    found: dict[str, float] = {"balance": _balance(labels)}
    if graph is not None and (issparse(graph) or isinstance(graph, np.ndarray)):
        found["inside"] = _inside(graph, labels)
    n_clusters = int(labels.max()) + 1
    if eigenvalues is not None and len(eigenvalues) > n_clusters:
        found["gap"] = float(eigenvalues[n_clusters - 1] - eigenvalues[n_clusters])
    if source is not None:
        found |= _fit_of_subspaces(source, labels)
    return found


def _balance(labels: Labels) -> float:
    """The smallest cluster, as a share of the middle one."""
    sizes = np.bincount(labels[labels >= 0])
    return float(sizes.min() / np.median(sizes))


def _inside(graph: Any, labels: Labels) -> float:
    """Weight of edges inside clusters, as a share of what could be inside beyond chance."""
    weights = csr_array(graph).tocoo()
    known = (labels[weights.row] >= 0) & (labels[weights.col] >= 0)
    same = labels[weights.row] == labels[weights.col]
    total = weights.data[known].sum()
    if not total:
        return 0.0
    share = weights.data[known & same].sum() / total
    degrees = np.bincount(weights.row[known], weights.data[known], minlength=len(labels))
    volumes = np.bincount(labels[labels >= 0], degrees[labels >= 0]) / total
    by_chance = float((volumes**2).sum())
    return float((share - by_chance) / (1 - by_chance)) if by_chance < 1 else 0.0


def _fit_of_subspaces(source: Source, labels: Labels) -> Mapping[str, float]:
    """How rows lie to the subspaces of the clusters, each fitted to half of its rows and tried on the rest.

    `nearest` is the share of rows that lie nearest to the subspace of their own cluster, `margin` the middle
    of how much nearer that is than the next one.
    """
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(np.flatnonzero(labels >= 0))[:MOST_ROWS])
    points = np.asarray(source.take(rows), np.float64)
    present = np.abs(points).max(axis=1) > 0
    points, own = np.asarray(unit_rows(points[present]), np.float64), labels[rows][present]
    half = rng.permutation(len(own)) % 2 == 0
    n_clusters = int(own.max()) + 1
    if n_clusters < 2 or np.bincount(own[half], minlength=n_clusters).min() < 2:
        return {}
    distances = np.column_stack(
        [_distances(points[half & (own == cluster)], points[~half]) for cluster in range(n_clusters)]
    )
    truth = own[~half]
    mine = distances[np.arange(len(truth)), truth]
    distances[np.arange(len(truth)), truth] = np.inf
    others = distances.min(axis=1)
    return {
        "nearest": float((mine <= others).mean()),
        "margin": float(np.median(1 - mine / np.maximum(others, 1e-12))),
    }


def _distances(members: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = Spread(members)
    energies = np.cumsum(spread.squared_singular_values())
    dim = int(np.searchsorted(energies, ENERGY * energies[-1])) + 1
    subspace = spread.subspace(min(dim, MOST_DIMENSIONS, max(1, len(members) // 2)))
    return np.asarray(np.linalg.norm(subspace.residuals(points), axis=1))
