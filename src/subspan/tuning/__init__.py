"""Choosing without labels: many partitions, what they agree on, and how far each is to be trusted."""

from __future__ import annotations

from subspan.tuning.front_door import SubspaceClustering, estimate_n_clusters
from subspan.tuning.number_of_clusters import Candidate, NumberOfClusters
from subspan.tuning.searching import Consensus, search

__all__ = [
    "Candidate",
    "Consensus",
    "NumberOfClusters",
    "SubspaceClustering",
    "estimate_n_clusters",
    "search",
]
