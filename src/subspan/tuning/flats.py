"""Members that look for flats off the origin, and when they are listened to.

The other members see rows of unit norm, which bends flats that miss the origin. These see the rows as they
are, with a constant beside them. In many dimensions it makes no difference whether subspaces pass through the
origin, so they are tried on small tables only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subspan.base import Settled
from subspan.execution.steps import track
from subspan.methods import ElasticNetSC
from subspan.points import Points
from subspan.sources import Source, lifted
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
    """Points, and the same rows lifted."""

    lifted: Source

    def rows(self, start: int, stop: int) -> NDArray[np.floating]:
        """Rows start to stop of the points."""
        return self.source.rows(start, stop)

    def take(self, indices: NDArray[np.integer]) -> NDArray[np.floating]:
        """The points at sorted `indices`."""
        return self.source.take(indices)

    def fingerprint(self) -> str:
        """That of the points."""
        return self.source.fingerprint()


def with_flats(points: Points, rows: Source) -> Points:
    """The points together with their lifted rows, if the table is small enough; `rows` are as they were."""
    n_points, n_features = points.source.shape
    if n_points > MOST_POINTS or n_features > MOST_FEATURES:
        return points
    return replace(points, source=WithFlats(points.source, lifted(rows)))


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
