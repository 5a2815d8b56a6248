"""SCC: spectral curvature clustering."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.affinity.curvature import curvature_affinity, curvature_scales, polar_curvatures
from subspan.affinity.simplices import sample_tuples
from subspan.base import Settled, SubspaceMethod
from subspan.embedding.factored import factored_embedding
from subspan.execution.steps import track
from subspan.handover import Factors, Graph, InputError, Representation
from subspan.labeling import label_embedding
from subspan.labeling.flats import flat_error
from subspan.methods.declarations import SCCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit
from subspan.model.remains import Habits
from subspan.sources import Source
from subspan.sources.scanning import of_unit_size

# Tuples for each cluster.
COLUMNS_PER_CLUSTER = 100
# While tuples and scales are being tried, eigenvectors need not be so exact, and k-means has fewer starts.
TRIAL_TOL = 1e-4
TRIAL_STARTS = 5


@dataclass(frozen=True)
class Trial:
    """Affinities with one set of tuples at one scale, the clusters they give, and how well flats fit."""

    columns: NDArray[np.floating]
    labels: NDArray[np.int64]
    error: float


@dataclass(frozen=True)
class TupleAffinities(Representation):
    """Affinities of points with tuples, as `Factors`: they make a graph, but represent no point."""

    def attributes(self) -> dict[str, Any]:
        """The iterations; there are no coefficients."""
        return {"n_iter_": self.n_iter, "changes_": self.changes}


@documented
class SCC(SCCParameters, SubspaceMethod):
    """Each point is compared with sampled tuples of d + 1 points [1]_.

    The polar curvature of the d + 2 points together is zero if they lie on one d-flat. Points are alike that
    fit the same tuples: for the matrix A of affinities of points with tuples the graph is A A^T. Tuples are
    drawn anew from the clusters found, for at least `dim` iterations and for as long as flats through the
    clusters fit better and better. Flats need not pass through the origin, which self-expressive methods take
    for granted.

    {parameters}

    {attributes}

    Notes
    -----
    No point is represented by others: there is no `representation_`, unless one was handed in. `affinity_` is
    of type `Factors`, both of its factors being A, of shape (n_samples, n_columns); the graph A A^T is never
    formed. Its diagonal counts in the degrees. `changes_` has for
    each iteration its error over the least error of those before; for the first one, over that of one
    flat through all points. `scale` acts on coefficients handed in only.
    There are about five arrays like A at once; if these do not fit into `memory_budget`, the data are refused
    before any work.

    The scale of the affinity is searched for in every iteration among curvatures of rank N c / K^p, p = 1 ...
    d + 1, by the error of the clusters that result. The error is the root mean squared distance of the
    points to the best flats of their clusters. Differences from the authors' release: volumes are those of
    the simplices also for more features than d + 1, so that curvatures do not change when all points are
    shifted; tuples are drawn from the best clusters so far; k-means has several random starts instead of one
    from mutually distant points; scales are kept from zero relative to the largest curvature.

    References
    ----------
    .. [1] Guangliang Chen, Gilad Lerman. Spectral Curvature Clustering (SCC). International Journal of
       Computer Vision 81, 2009.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan import SCC
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(3, 2, 5, 60, affine=True, random_state=0)
    >>> model = SCC(n_clusters=3, dim=2, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    @property
    def _needs_directions(self) -> bool:
        return self.normalize or not self.affine

    @property
    def _through_origin(self) -> bool:
        return not self.affine

    def _habits(self) -> Habits:
        return replace(super()._habits(), affine=bool(self.affine), dimension=int(self.dim))

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        n_columns = self._checked_columns(shape)
        own = shape[0] * n_columns * (4 * itemsize + 12) + 24 * n_columns**2
        return Own(own, "take fewer tuples of points")

    def _represent(self, points: Source, settled: Settled) -> TupleAffinities:
        n_columns = self._checked_columns(points.shape)
        check_fit(self, points, settled)
        # Curvatures are relative to one another: the unit of length does not matter.
        points = of_unit_size(points)
        best: Trial | None = None
        ratios: list[float] = []
        labels = np.zeros(points.shape[0], np.int64)
        error = self._error(points, labels, settled)
        for number in track("iterations", range(self.max_iter), at_most=True):
            rng = np.random.default_rng([settled.seed, number])
            tuples = sample_tuples(labels, n_columns, self.dim + self.affine, rng)
            found = min(self._trials(points, tuples, settled), key=lambda trial: trial.error)
            ratios.append(found.error / error if error > 0 else 1.0)
            if best is None or found.error < best.error:
                best, labels, error = found, found.labels, found.error
            if len(ratios) >= self.dim and ratios[-1] > 1 - self.tol:
                break
        assert best is not None
        columns = Factors(best.columns, best.columns, np.arange(len(labels)))
        return TupleAffinities(columns, len(ratios), tuple(ratios))

    def _trials(self, points: Source, tuples: NDArray[np.int64], settled: Settled) -> Iterator[Trial]:
        """Clusters by one set of tuples, at every scale."""
        curvatures = polar_curvatures(points, tuples, affine=self.affine, threads=settled.threads)
        for scale in curvature_scales(curvatures, self.n_clusters, self.dim + 1):
            columns = curvature_affinity(curvatures, scale)
            embedding = factored_embedding(
                columns,
                self.n_clusters,
                n_components=self.n_components,
                seed=settled.seed,
                tol=TRIAL_TOL,
                n_threads=settled.threads,
            )
            n_init = min(self.n_init, TRIAL_STARTS)
            labels = label_embedding(embedding.vectors, self.n_clusters, n_init=n_init, seed=settled.seed)
            yield Trial(columns, labels, self._error(points, labels, settled))

    def _error(self, points: Source, labels: NDArray[np.int64], settled: Settled) -> float:
        return flat_error(points, labels, self.dim, affine=self.affine, threads=settled.threads)

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if not isinstance(representation, TupleAffinities):
            return super()._connect(representation, settled)
        found = representation.coefficients
        # Symmetric where copies of a point have been expanded, too.
        affinity = Factors(found.left, found.left, found.point)
        return Graph(affinity, partial(factored_embedding, affinity.left))

    def _checked_columns(self, shape: tuple[int, int]) -> int:
        """Number of tuples, if the points admit flats and tuples like these."""
        n_points, n_features = shape
        if self.dim >= n_features:
            raise InputError(
                "{dim} must be below the number of features, but X has n_features={}: a flat of that "
                "dimension would be the whole space.",
                n_features,
                dim=self.dim,
            )
        if n_points < self.dim + 2:
            raise InputError(
                "{dim} needs at least {} distinct rows, but X has only {}.",
                *(self.dim + 2, n_points),
                dim=self.dim,
            )
        if self.n_columns is not None and self.n_columns < self.n_clusters:
            raise InputError(
                "{n_columns} must be at least {n_clusters}: every cluster needs a tuple.",
                n_columns=self.n_columns,
                n_clusters=self.n_clusters,
            )
        return self.n_columns or COLUMNS_PER_CLUSTER * self.n_clusters
