"""The rows of each cluster that fit worst: farthest from the subspace of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.plotting.numbers.clusters import evenly
from subspan.report.material import Material
from subspan.sources.checks import unit_rows
from subspan.subspaces import Spread

# Rows of a cluster that are looked at, and those that are shown.
MOST_ROWS = 300
N_MISFITS = 3
# A row whose distance is not so many times the middle one is no misfit.
FAR = 2.0
# Share of a cluster's energy that its subspace holds, and its largest dimension.
ENERGY = 0.9
MOST_DIMENSIONS = 20


def misfits(material: Material) -> list[list[int]]:
    """Rows of each cluster, the worst first; none where there are no points."""
    if material.source is None or material.estimator.affinity != "self_expressive":
        return [[] for _ in material.sizes]
    return [_of_cluster(material, cluster) for cluster in range(len(material.sizes))]


def _of_cluster(material: Material, cluster: int) -> list[int]:
    assert material.source is not None
    rows = evenly(np.flatnonzero(material.labels == cluster), MOST_ROWS)
    points = np.asarray(material.source.take(rows), np.float64)
    shown = np.isfinite(points).all(axis=1) & (np.abs(points).max(axis=1, initial=0) > 0)
    rows, points = rows[shown], points[shown]
    if len(rows) < 2 * N_MISFITS:
        return []
    distances = _distances(np.asarray(unit_rows(points), np.float64))
    worst = np.argsort(-distances, kind="stable")[:N_MISFITS]
    far = worst[distances[worst] > max(FAR * float(np.median(distances)), 1e-6)]
    return [int(row) for row in rows[far]]


def _distances(points: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = Spread(points)
    energies = np.cumsum(spread.squared_singular_values())
    dim = min(int(np.searchsorted(energies, ENERGY * energies[-1])) + 1, MOST_DIMENSIONS)
    found: NDArray[np.float64] = np.linalg.norm(spread.subspace(dim).residuals(points), axis=1)
    return found
