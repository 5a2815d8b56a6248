"""What is known of each cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.plotting.numbers import SingularValues
from subspan.plotting.numbers.clusters import evenly
from subspan.report.elements import short
from subspan.report.material import Material
from subspan.report.misfits import misfits
from subspan.report.tables import Cell, cell, percent

# Rows of a cluster looked at for its columns, and columns named.
MOST_ROWS = 500
N_COLUMNS = 3

# What can be measured on a cluster, in words.
MEASURES = {
    "weight inside": "share of the weight of its edges that leads to rows of the same cluster",
    "connectivity": "0 if the cluster falls into pieces, larger the better it holds together",
    "directions": "how many hold 95 % of the energy of its rows; 1 where all rows point in much the same one",
    "residual": "what the representation leaves of its middle row",
}


@dataclass(frozen=True)
class Member:
    """One cluster in numbers."""

    cluster: int
    size: int
    share: float
    # By their headings, as far as they are known: see MEASURES.
    measures: dict[str, Cell]
    # The most central rows, and those that fit worst.
    rows: list[int]
    misfits: list[int]
    # The cluster with most of the weight that leaves this one, and its share of all weight.
    neighbour: tuple[int, float] | None
    # The most frequent class, and its share; None and NaN without a truth.
    main_class: str | None
    purity: float
    # Named columns with most of the energy, and their shares.
    columns: Sequence[tuple[str, float]]


def members(material: Material) -> list[Member]:
    """All clusters, in the order of their numbers."""
    return [_member(material, cluster, rows) for cluster, rows in enumerate(misfits(material))]


def _member(material: Material, cluster: int, worst: list[int]) -> Member:
    main_class, purity = _main_class(material, cluster)
    return Member(
        cluster=cluster,
        size=int(material.sizes[cluster]),
        share=float(material.sizes[cluster] / len(material.labels)),
        measures=_measures(material, cluster),
        rows=material.representatives[cluster].tolist(),
        misfits=worst,
        neighbour=_neighbour(material, cluster),
        main_class=main_class,
        purity=purity,
        columns=_columns(material, cluster),
    )


def _measures(material: Material, cluster: int) -> dict[str, Cell]:
    measures = {}
    if material.affinity is not None:
        inside = float(material.affinity.inside[cluster])
        measures["weight inside"] = cell(inside, percent(inside))
    if material.connectivity is not None:
        measures["connectivity"] = cell(float(material.connectivity.values[cluster]))
    if material.singular_values is not None:
        measures["directions"] = _directions(material.singular_values, cluster)
    if material.residuals is not None:
        norms = material.residuals.norms[material.labels[material.residuals.rows] == cluster]
        norms = norms[np.isfinite(norms)]
        measures["residual"] = cell(float(np.median(norms)) if norms.size else np.nan)
    return measures


def _directions(found: SingularValues, cluster: int) -> Cell:
    directions, known = int(found.dimensions()[cluster]), found.values.shape[1]
    return cell(directions, None if directions <= known else f"> {known}")


def _neighbour(material: Material, cluster: int) -> tuple[int, float] | None:
    if material.affinity is None:
        return None
    weights = material.affinity.weights[cluster, : len(material.sizes)].copy()
    total = weights.sum()
    weights[cluster] = 0
    closest = int(np.argmax(weights))
    return (closest, float(weights[closest] / total)) if weights[closest] > 0 else None


def _main_class(material: Material, cluster: int) -> tuple[str | None, float]:
    found = material.confusion
    if found is None:
        return None, np.nan
    counts = found.table[:, found.clusters.tolist().index(cluster)]
    largest = int(np.argmax(counts))
    return short(found.classes[largest]), float(counts[largest] / counts.sum())


def _columns(material: Material, cluster: int) -> list[tuple[str, float]]:
    """Columns that hold most of the squares of a cluster's rows; signs do not matter to a subspace."""
    if material.source is None or not material.columns:
        return []
    rows = evenly(np.flatnonzero(material.labels == cluster), MOST_ROWS)
    points: NDArray[np.float64] = material.source.take(rows).astype(np.float64)
    energy = (points**2).sum(axis=0) if not material.estimator.normalize else _unit_energy(points)
    total = energy.sum() or 1.0
    order = np.argsort(-energy, kind="stable")[:N_COLUMNS]
    return [(material.columns[place], float(energy[place] / total)) for place in order.tolist()]


def _unit_energy(points: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = points**2
    lengths = squares.sum(axis=1, keepdims=True)
    energy: NDArray[np.float64] = (squares / np.where(lengths > 0, lengths, 1.0)).sum(axis=0)
    return energy
