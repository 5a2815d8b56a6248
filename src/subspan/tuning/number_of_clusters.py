"""How many clusters the data show: as many as members of a consensus can agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from subspan.base import Settled
from subspan.execution.steps import track
from subspan.handover import Embedding, Graph
from subspan.sources import ArraySource, Source
from subspan.tuning.joining import joined_embedding, joined_graph, mean_agreement, weigh
from subspan.tuning.members import GraphMember, cut, graphs

# The members must agree more than on data without clusters, by this much at least.
MARGIN = 0.1
# Numbers on which the members agree alike: the larger one tells more.
AS_GOOD = 0.002


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and what speaks for it."""

    n_clusters: int
    # Adjusted Rand index of the members that agree most, from 0 to 1.
    agreement: float
    # Of the joined graph, behind its last eigenvalue.
    gap: float


@dataclass(frozen=True)
class NumberOfClusters:
    """What was tried, and what the data say about it."""

    # In the order of the numbers.
    tried: tuple[Candidate, ...]
    # Largest agreement of the same members on normal data with the same second moments: one cloud.
    by_chance: float

    @property
    def best(self) -> tuple[Candidate, ...]:
        """The three with the most evidence, best first."""
        return ranked(self.tried)[:3]

    @property
    def shows_clusters(self) -> bool:
        """Whether the members agree on more than the shape of the cloud."""
        return self.best[0].agreement > self.by_chance + MARGIN

    @property
    def n_clusters(self) -> int:
        """The best number; 1 if the data show no clusters."""
        return self.best[0].n_clusters if self.shows_clusters else 1

    def __str__(self) -> str:
        listed = ", ".join(f"{each.n_clusters} ({each.agreement:.2f})" for each in self.best)
        verdict = (
            f"The data show {self.n_clusters} clusters."
            if self.shows_clusters
            else "The data show no clusters."
        )
        return (
            f"{verdict} Numbers on which the members agree most, and their agreement: {listed}. On data of "
            f"the same shape without clusters they agree to {self.by_chance:.2f}."
        )


def ranked(tried: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """By agreement, best first; of numbers on which the members agree alike, the largest first."""
    left, order = sorted(tried, key=lambda each: -each.agreement), []
    while left:
        alike = [each for each in left if each.agreement >= left[0].agreement - AS_GOOD]
        order.append(max(alike, key=lambda each: each.n_clusters))
        left.remove(order[-1])
    return tuple(order)


def number_of_clusters(
    members: Sequence[GraphMember],
    found: Sequence[Graph],
    points: Source,
    numbers: Sequence[int],
    settled: Settled,
) -> NumberOfClusters:
    """Try numbers of clusters on the graphs of the members, and on graphs of data without clusters."""
    tried = weigh_numbers(members, found, numbers, settled)
    # These graphs are made again if a fit is resumed: their blocks would be mistaken for those of the data.
    here = replace(settled, workplace=replace(settled.workplace, folder=None, client=None))
    reference = graphs(members, without_clusters(points, settled.seed), here)
    by_chance = weigh_numbers(members, reference, numbers, here)
    return NumberOfClusters(tried, max(each.agreement for each in by_chance))


def without_clusters(points: Source, seed: int) -> ArraySource:
    """As many points of unit norm, drawn from the normal distribution with the same second moments."""
    rows = points.rows(0, points.shape[0])
    mixture = np.random.default_rng(seed).standard_normal((len(rows), len(rows)), dtype=np.float32)
    drawn = mixture.astype(rows.dtype) @ rows
    return ArraySource(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def weigh_numbers(
    members: Sequence[GraphMember], found: Sequence[Graph], numbers: Sequence[int], settled: Settled
) -> tuple[Candidate, ...]:
    """What speaks for each number of clusters."""
    most = max(numbers)
    embeddings = [
        graph.embed(most, n_components=most, seed=settled.seed, n_threads=settled.threads)
        for graph in track("spectra of members", found)
    ]
    families = [member.family for member in members]
    return tuple(
        _candidate(embeddings, families, number, settled.seed)
        for number in track("numbers of clusters", numbers)
    )


def _candidate(embeddings: Sequence[Embedding], families: Sequence[str], number: int, seed: int) -> Candidate:
    partitions = [cut(each, number, number, seed) for each in embeddings]
    trust = np.zeros(len(partitions))
    for family in set(families):
        chosen = [place for place, name in enumerate(families) if name == family]
        trust[chosen] = mean_agreement([partitions[place] for place in chosen])
    weights = weigh(partitions, families)
    spectrum = joined_embedding(joined_graph(partitions, weights), number).eigenvalues
    behind = spectrum[number] if len(spectrum) > number else 0.0
    return Candidate(number, float(weights @ trust), float(spectrum[number - 1] - behind))
