"""SubspaceClustering: clusters from nothing but the data."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.base import Settled, StageClock
from subspan.execution.steps import track
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import DataWarning, Factors, Graph, InputError, Representation, RowsOfPoints
from subspan.methods.declarations import SubspaceClusteringParameters
from subspan.methods.documentation import documented
from subspan.methods.in_blocks import WorksInBlocks
from subspan.methods.prepared import PreparesRows
from subspan.model.coding import Coding, PursuitCoding
from subspan.points import Points
from subspan.sources import ArraySource, Source
from subspan.tuning.flats import WithFlats, flat_partitions, flats_serve, with_flats
from subspan.tuning.joining import (
    confidence,
    joined_embedding,
    joined_graph,
    mean_in_family,
    mutual_agreement,
    weigh,
)
from subspan.tuning.members import Partition, design, graphs, partition
from subspan.tuning.number_of_clusters import NumberOfClusters, number_of_clusters
from subspan.tuning.voting import extend_partitions

# Beyond this many points the members see a sample.
MOST_POINTS = 20_000
SAMPLE = 10_000
# Numbers of clusters that are tried unless the caller names them.
LARGEST_NUMBER = 20
FEWEST_PER_CLUSTER = 10
# Of numbers that the caller names, points for each cluster: with fewer the spectra are too short.
LEAST_PER_CLUSTER = 3
# The pursuit that represents new rows.
N_NONZERO = 10
DAMPING = 0.1


@dataclass(frozen=True)
class JoinedPartitions(Representation):
    """Partitions of all members instead of coefficients."""

    # Labels of every row, one array for each partition; -1 where a member has no opinion.
    labels: tuple[NDArray[np.integer], ...] = ()
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    # What is said of each of them.
    table: tuple[dict[str, Any], ...] = ()
    n_clusters: int = 0
    # What was tried, if the number was to be found.
    number: NumberOfClusters | None = None
    # The points that the members saw, if these were not all.
    sample: NDArray[np.int64] | None = None

    def for_rows(self, points: RowsOfPoints) -> Self:
        """The same for the rows of the input."""
        labels = tuple(points.expand_labels(labels) for labels in self.labels)
        sample = None if self.sample is None else points.rows_of(self.sample)
        return replace(self, labels=labels, sample=sample)

    def attributes(self) -> dict[str, Any]:
        """The members, and the numbers of clusters that were tried."""
        return {"members_": list(self.table), "n_clusters_tried_": self.number}


@documented
class SubspaceClustering(SubspaceClusteringParameters, PreparesRows, WorksInBlocks):
    """Many graphs of the data are cut, and what the cuts agree on are the clusters.

    No parameter has to be chosen. Members of two families are run, S3COMP-C and thresholded ridge, each with
    nine settings; on small tables nine more members look for flats off the origin, and are listened to if
    they agree with each other more than the members of each of the two families. For them rows of one
    direction are different points if their lengths differ. A member is trusted as far as it agrees with the
    others of its family. The weighted mean of all partitions is a graph, and its leading eigenvectors give
    the labels.

    {parameters}

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row, numbered by their first row.
    n_clusters_ : int
        Number of clusters; 1 if it was to be found and the data show none.
    confidence_ : ndarray of shape (n_samples,)
        How far the members support the label of each row, from 0 to 1.
    members_ : list of dict
        Of each partition its family, settings, number of eigenvectors, the gap behind them, the sizes of its
        clusters, its agreement with its family, and its weight.
    n_clusters_tried_ : NumberOfClusters or None
        Evidence for the numbers of clusters that were tried; print it.
    affinity_ : Factors
        The joined graph, as the product of two equal thin matrices, which are sparse.
    eigenvalues_ : ndarray
        Of the joined graph, largest first.
    embedding_, certificate_, stage_seconds_, peak_memory_, counts_, n_features_in_, feature_names_in_
        As for the other methods.

    Notes
    -----
    Of more than 20 000 points the members see a random sample of 10 000. The other points are represented
    over the sample, and follow the labels of the points that represent them.

    Examples
    --------
    >>> from subspan import SubspaceClustering
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 50, random_state=0)
    >>> model = SubspaceClustering(random_state=0).fit(X)
    >>> model.n_clusters_, clustering_accuracy(y, model.labels_)
    (4, 1.0)
    """

    def _settle(self, workplace: Any) -> Settled:
        settled = super()._settle(workplace)
        # Until the number is found: the data must have two points at least.
        return settled if isinstance(self.n_clusters, int) else replace(settled, n_clusters=2)

    def _coding(self, n_features: int) -> Coding:
        return PursuitCoding(N_NONZERO, DAMPING)

    def _read(self, source: Source, settled: Settled) -> Points:
        points = super()._read(source, settled)
        # Of so many the members see a sample, which is of directions.
        if points.source.shape[0] > MOST_POINTS:
            return points
        return with_flats(points, source, settled.preparation if self._wishes.any else None)

    def _represent(self, points: Source, settled: Settled) -> JoinedPartitions:
        # Once for all members: to look for the libraries takes longer than a member of few points.
        with single_threaded_libraries():
            return self._joined(points, settled)

    def _joined(self, points: Source, settled: Settled) -> JoinedPartitions:
        """The partitions of all members."""
        with_rows = points if isinstance(points, WithFlats) else None
        points = points.directions if isinstance(points, WithFlats) else points
        sample = _sample(points.shape[0], settled.seed)
        seen = points if sample is None else ArraySource(points.take(sample))
        members = design(seen.shape[0])
        found = graphs(members, seen, settled, memory_budget=self.memory_budget)
        number = None
        if not isinstance(self.n_clusters, int):
            numbers = numbers_to_try(self.n_clusters, seen.shape[0])
            number = number_of_clusters(members, found, seen, numbers, settled)
            settled = replace(settled, n_clusters=number.n_clusters)
        cuts = [
            partition(member, graph, settled)
            for member, graph in zip(track("cuts of members", members), found, strict=True)
        ]
        if with_rows is not None:
            cuts = [with_rows.of_points(cut) for cut in cuts]
        if with_rows is not None and settled.n_clusters > 1:
            flats = flat_partitions(with_rows.lifted, settled)
            cuts += flats if flats_serve(cuts, flats) else []
        labels = [cut.labels for cut in cuts]
        weights = weigh(labels, [cut.member.family for cut in cuts])
        table = _table(cuts, weights)
        if sample is not None:
            labels = list(extend_partitions(labels, sample, points, settled.threads))
        return JoinedPartitions(
            None, 1, (1.0,), {}, tuple(labels), weights, table, settled.n_clusters, number, sample
        )

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if not isinstance(representation, JoinedPartitions):
            return super()._connect(representation, settled)
        graph = joined_graph(representation.labels, representation.weights)
        factors = Factors(graph, graph, np.arange(graph.shape[0]))
        return Graph(factors, partial(joined_embedding, graph, sample=representation.sample))

    def _cluster(
        self, found: Representation | Graph, points: Points | None, settled: Settled, clock: StageClock
    ) -> None:
        if isinstance(found, JoinedPartitions):
            settled = replace(settled, n_clusters=found.n_clusters)
        elif not isinstance(self.n_clusters, int):
            raise InputError(
                "{n_clusters}: a graph that is handed in needs a number of clusters.",
                n_clusters=self.n_clusters,
            )
        super()._cluster(found, points, settled, clock)
        if isinstance(found, JoinedPartitions):
            known = self.labels_ >= 0
            self.confidence_ = np.zeros(len(known))
            self.confidence_[known] = confidence(
                [labels[known] for labels in found.labels], found.weights, self.labels_[known]
            )

    def _warn(self) -> None:
        super()._warn()
        tried = getattr(self, "n_clusters_tried_", None)
        if tried is not None and (tried.weak or not tried.shows_clusters):
            warnings.warn(f"{type(self).__name__}: {tried.verdict}", DataWarning, stacklevel=3)


def _sample(n_points: int, seed: int) -> NDArray[np.int64] | None:
    """Points that the members see, if these are not all."""
    if n_points <= MOST_POINTS:
        return None
    return np.sort(np.random.default_rng(seed).choice(n_points, SAMPLE, replace=False))


def numbers_to_try(asked: tuple[int, int] | Literal["auto"], n_points: int) -> range:
    """Numbers of clusters, as far as there are points for them."""
    if asked == "auto":
        return range(2, max(2, min(LARGEST_NUMBER, n_points // FEWEST_PER_CLUSTER)) + 1)
    first, last = asked
    room = n_points // LEAST_PER_CLUSTER
    if last > room:
        raise InputError(
            "{n_clusters}: {} points are enough to try up to {} clusters, with {} points for each.",
            n_points,
            room,
            LEAST_PER_CLUSTER,
            n_clusters=asked,
        )
    return range(first, last + 1)


def _table(cuts: list[Partition], weights: NDArray[np.float64]) -> tuple[dict[str, Any], ...]:
    """A row for each partition."""
    families = [cut.member.family for cut in cuts]
    agreement = mean_in_family(mutual_agreement([cut.labels for cut in cuts]), families)
    return tuple(
        {**cut.row(), "agreement": float(agreed), "weight": float(weight)}
        for cut, agreed, weight in zip(cuts, agreement, weights, strict=True)
    )


def estimate_n_clusters(
    X: ArrayLike,
    n_clusters: tuple[int, int] | Literal["auto"] = "auto",
    *,
    random_state: Any = None,
    **parameters: Any,
) -> NumberOfClusters:
    """How many clusters the data show, with the evidence for the numbers that were tried.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), path or source
        The points.
    n_clusters : (int, int) or "auto"
        Numbers to try, from one to another; both ends count. "auto" is from 2 to 20.
    random_state : int, RandomState or None
        Fixes everything that is drawn at random.
    **parameters : object
        Other parameters of `SubspaceClustering`.

    Returns
    -------
    NumberOfClusters
        Print it, or take its `n_clusters`, `best` and `tried`.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.tuning import estimate_n_clusters
    >>> X, _ = make_union_of_subspaces(3, 3, 30, 40, random_state=0)
    >>> estimate_n_clusters(X, random_state=0).n_clusters
    3
    >>> len(estimate_n_clusters(X, (2, 6), random_state=0).tried)
    5
    """
    model = SubspaceClustering(n_clusters, random_state=random_state, **parameters).fit(X)
    tried: NumberOfClusters = model.n_clusters_tried_
    return tried
