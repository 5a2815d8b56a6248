"""Members that look for flats off the origin, and when they are listened to.

The other members see rows of unit norm, which bends flats that miss the origin. These see the rows as they
are, with a constant beside them. Multiples of a row have its direction, but may lie in other flats, so these
members see them as points of their own. In many dimensions it makes no difference whether subspaces pass
through the origin, so they are tried on small tables only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subspan.base import Settled
from subspan.execution.steps import track
from subspan.methods import ElasticNetSC
from subspan.model.preparation import Preparation, PreparedRows
from subspan.points import Points
from subspan.sources import ArraySource, Source, Subset, UnitRows, lifted, scan
from subspan.sources.copies import row_digests
from subspan.sources.views import View
from subspan.tuning.joining import mutual_agreement
from subspan.tuning.members import GraphMember, Partition, cut

# Largest table on which they are tried.
MOST_POINTS = 1000
MOST_FEATURES = 200
# Their family, in tables and weights.
FLATS = "flats"


@dataclass(frozen=True)
class WithFlats(View):
    """Distinct rows as the members for flats see them, and the directions that all others see."""

    lifted: Source
    directions: Source
    # Number of the direction of each point.
    direction: NDArray[np.int64]

    def rows(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start to stop of the points."""
        return self.source.rows(start, stop)

    def take(self, indices: NDArray[np.integer]) -> NDArray[np.floating]:
        """The points at sorted `indices`."""
        return self.source.take(indices)

    def fingerprint(self) -> str:
        """That of the points."""
        return self.source.fingerprint()

    def of_points(self, cut: Partition) -> Partition:
        """A partition of the directions as one of the points."""
        return replace(cut, labels=cut.labels[self.direction])


def with_flats(points: Points, source: Source, preparation: Preparation | None = None) -> Points:
    """The distinct rows as points, together with the lifted ones, if the table is small enough.

    Parameters
    ----------
    points : Points
        As read: the distinct directions, or the distinct rows if these keep their lengths.
    source : Source
        All rows of the input, as they were.
    preparation : Preparation, optional
        What is done to rows before they are points.
    """
    if _too_large(points.source):
        return points
    apart = _distinct_rows(points, _prepared(Subset(source, _usable(points)), preparation))
    if _too_large(apart.source):
        return points
    rows = _prepared(Subset(source, apart.row_of_point), preparation)
    direction = points.point_of_row[apart.row_of_point]
    return replace(apart, source=WithFlats(apart.source, lifted(rows), points.source, direction))


def _too_large(source: Source) -> bool:
    n_points, n_features = source.shape
    return n_points > MOST_POINTS or n_features > MOST_FEATURES


def _usable(points: Points) -> NDArray[np.int64]:
    return np.flatnonzero(points.point_of_row >= 0)


def _prepared(rows: Source, preparation: Preparation | None) -> Source:
    return rows if preparation is None else PreparedRows(rows, preparation)


def _distinct_rows(points: Points, rows: Source) -> Points:
    """Points for rows that differ in anything, not only in direction; `rows` are the usable ones."""
    usable = _usable(points)
    if len(usable) == len(points.row_of_point):
        return points
    first, place = np.unique(scan(rows, normalize=False, hashed=False).copy_of, return_inverse=True)
    if len(first) == len(points.row_of_point):
        return points
    of_unit = ArraySource(UnitRows(Subset(rows, first)).rows(0, len(first)), rows.name, rows.columns)
    point_of_row = np.full(len(points.point_of_row), -1)
    point_of_row[usable] = place
    return replace(
        points,
        source=of_unit,
        row_of_point=usable[first],
        point_of_row=point_of_row,
        digests=row_digests(of_unit.array),
        opposite=np.zeros_like(points.opposite),
    )


def flat_design() -> list[GraphMember]:
    """Sparse subspace clustering with several penalties, of whose coefficients several shares are kept.

    Examples
    --------
    >>> len(flat_design()), flat_design()[0].name
    (9, 'flats-1.0-0.003-0.8-max')
    """
    return [
        GraphMember(FLATS, ElasticNetSC, {"tau": 1.0, "alpha": alpha, "keep": keep, "scale": "max"})
        for alpha in (0.003, 0.01, 0.03)
        for keep in (0.8, 0.9, 0.95)
    ]


def flat_partitions(rows: Source, settled: Settled) -> list[Partition]:
    """The partitions of these members, by one eigenvector for each cluster."""
    found = []
    for member in track("members for flats", flat_design()):
        graph = member.graph(rows, settled)
        embedding = graph.embed(
            settled.n_clusters, n_components=None, seed=settled.seed, n_threads=settled.threads
        )
        n_vectors = embedding.vectors.shape[1]
        labels = cut(embedding, n_vectors, settled.n_clusters, settled.seed)
        found.append(Partition(member, n_vectors, float("nan"), labels))
    return found


def flats_serve(cuts: Sequence[Partition], flats: Sequence[Partition]) -> bool:
    """Whether the members for flats agree more with each other than those of every other family do."""
    families = dict.fromkeys(each.member.family for each in cuts)
    others = [_agreement([each for each in cuts if each.member.family == family]) for family in families]
    return _agreement(flats) > max(others)


def _agreement(cuts: Sequence[Partition]) -> float:
    """Mean agreement of every two partitions."""
    n = len(cuts)
    return float(mutual_agreement([each.labels for each in cuts])[~np.eye(n, dtype=bool)].mean())
