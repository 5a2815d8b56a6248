"""How many clusters the data show: the number about which members of a consensus know most in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from subspan.base import Settled
from subspan.embedding.shared import gap_dimension, largest_dimension
from subspan.execution.steps import track
from subspan.handover import Embedding, Graph
from subspan.sources import ArraySource, Source
from subspan.tuning.joining import (
    Labels,
    joined_embedding,
    joined_graph,
    mean_in_family,
    mutual_agreement,
    mutual_information,
    weigh,
)
from subspan.tuning.members import GraphMember, cut, graphs

# The members must agree more than on data without clusters, by this much at least.
MARGIN = 0.1
# With less evidence than this the best number is not believed: on noise it is about -2.
LEAST_EVIDENCE = -1.0
# With less than this it is believed, but called weak. Chosen after wrong numbers had been seen.
WEAK_EVIDENCE = 0.5
# Bits that one member has and another has not, against bits that they share.
COST_OF_DOUBT = 4.0
# Numbers of which the evidence differs by less than this share are as good as each other.
AS_GOOD = 0.05
# Starts of k-means: there are many numbers to try.
N_INIT = 8


@dataclass(frozen=True)
class Candidate:
    """A number of clusters, and what speaks for it."""

    n_clusters: int
    # Adjusted Rand index of the members that agree most, from 0 to 1.
    agreement: float
    # Bits about a point's cluster that two members share, and those that only one of them has.
    shared: float
    doubted: float
    # Of the joined graph, behind its last eigenvalue.
    gap: float

    @property
    def evidence(self) -> float:
        """Shared bits, less the price of those in doubt."""
        return self.shared - COST_OF_DOUBT * self.doubted

    def __str__(self) -> str:
        return f"{self.n_clusters} (evidence {self.evidence:.2f}, agreement {self.agreement:.2f})"


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
        """Whether the members agree on more than the shape of the cloud, and not about too few bits."""
        first = self.best[0]
        return first.agreement > self.by_chance + MARGIN and first.evidence > LEAST_EVIDENCE

    @property
    def weak(self) -> bool:
        """Whether clusters are shown, but the members share few bits about them that nobody doubts."""
        return self.shows_clusters and self.best[0].evidence < WEAK_EVIDENCE

    @property
    def rivals(self) -> tuple[int, ...]:
        """Other numbers, among the best, that are as good as the first."""
        first, *others = self.best
        room = AS_GOOD * abs(first.evidence)
        return tuple(each.n_clusters for each in others if each.evidence >= first.evidence - room)

    @property
    def n_clusters(self) -> int:
        """The best number; 1 if the data show no clusters."""
        return self.best[0].n_clusters if self.shows_clusters else 1

    @property
    def verdict(self) -> str:
        """What the data say, in words."""
        if not self.shows_clusters:
            return "The data show no clusters."
        if self.rivals:
            others = " or ".join(map(str, self.rivals))
            found = f"The data do not say: {self.n_clusters} is as good as {others}."
        else:
            found = f"The data show {self.n_clusters} clusters."
        if self.n_clusters == self.tried[-1].n_clusters > 2:
            found += f" No more than {self.n_clusters} were tried."
        return found + " The evidence is weak." if self.weak else found

    @property
    def reasons(self) -> str:
        """The best numbers with their evidence, in words."""
        listed = "; ".join(map(str, self.best))
        return f"The best: {listed}. On random data of the same shape the agreement is {self.by_chance:.2f}."

    def __str__(self) -> str:
        return f"{self.verdict} {self.reasons}"


def ranked(tried: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """By evidence, best first; of equals the smallest number first."""
    return tuple(sorted(tried, key=lambda each: (-each.evidence, each.n_clusters)))


def number_of_clusters(
    members: Sequence[GraphMember],
    found: Sequence[Graph],
    points: Source,
    numbers: Sequence[int],
    settled: Settled,
) -> NumberOfClusters:
    """Try numbers of clusters on the graphs of the members, and the best on data without clusters."""
    tried = weigh_numbers(members, found, numbers, settled)
    # These graphs are made again if a fit is resumed: their blocks would be mistaken for those of the data.
    here = replace(settled, workplace=replace(settled.workplace, folder=None, client=None))
    reference = graphs(members, without_clusters(points, settled.seed), here)
    likely = [each.n_clusters for each in ranked(tried)[:3]]
    by_chance = weigh_numbers(members, reference, likely, here)
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
    n_vectors = min(largest_dimension(most) + 1, found[0].affinity.shape[0])
    embeddings = [
        graph.embed(most, n_components=n_vectors, seed=settled.seed, n_threads=settled.threads)
        for graph in track("spectra of members", found)
    ]
    families = [member.family for member in members]
    return tuple(
        _candidate(_cuts(embeddings, number, settled.seed), families, number)
        for number in track("numbers of clusters", numbers)
    )


def _cuts(embeddings: Sequence[Embedding], number: int, seed: int) -> list[Labels]:
    """Every member cut by as many eigenvectors as its spectrum suggests for this number."""
    return [
        cut(each, gap_dimension(each.eigenvalues, number), number, seed, n_init=N_INIT) for each in embeddings
    ]


def _candidate(partitions: Sequence[Labels], families: Sequence[str], number: int) -> Candidate:
    weights = weigh(partitions, families)
    agreement, shared, doubted = (
        float(weights @ mean_in_family(table, families))
        for table in (mutual_agreement(partitions), *mutual_information(partitions))
    )
    return Candidate(number, agreement, shared, doubted, _gap(partitions, weights, number))


def _gap(partitions: Sequence[Labels], weights: NDArray[np.float64], number: int) -> float:
    spectrum = joined_embedding(joined_graph(partitions, weights), number).eigenvalues
    behind = spectrum[number] if len(spectrum) > number else 0.0
    return float(spectrum[number - 1] - behind)
