"""SCC: spectral curvature clustering."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.affinity.curvature import curvature_affinity, curvature_scales, polar_curvatures
from subspan.affinity.simplices import sample_tuples
from subspan.base import SubspaceClusterer
from subspan.embedding.factored import factored_embedding
from subspan.execution.steps import track
from subspan.execution.threads import n_threads
from subspan.handover import Embedding, Factors, InputError, Representation
from subspan.labeling import label_embedding
from subspan.labeling.flats import flat_error
from subspan.methods.documentation import documented
from subspan.parameters import between, positive_integer
from subspan.sources import Source

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


@documented
class SCC(SubspaceClusterer):
    """Spectral curvature clustering (SCC) of points on flats of one dimension.

    Each point is compared with sampled tuples of d + 1 points [1]_: the polar curvature of the d + 2 points
    together is zero if they lie on one d-flat. Points are alike that fit the same tuples: for the matrix A of
    affinities of points with tuples the graph is A A^T. Tuples are drawn anew from the clusters found, for at
    least `dim` rounds and for as long as flats through the clusters fit better and better. Flats need not
    pass through the origin, which self-expressive methods take for granted.

    Parameters
    ----------
    {n_clusters}
    dim : int, default=3
        Dimension d of the flats, less than the number of features. The flats of all clusters have the same.
    affine : bool, default=True
        Whether flats may miss the origin. False makes the origin a vertex of every simplex (LSCC), which
        leaves one point fewer to be drawn for a tuple.
    n_columns : int or None, default=None
        Tuples sampled in each round, an equal share in each cluster (c). None means 100 for each cluster.
    max_iter : int, default=50
        Largest number of rounds.
    tol : float, default=0.01
        From round `dim` on, the first round that lowers the error by a smaller share than this is the last.
    normalize : bool, default=False
        Bring every row to unit norm first. That bends flats that miss the origin; it is of use with
        ``affine=False``, where curvatures would otherwise depend on the lengths of the rows.
    zero_rows : {"raise", "label"}, default="raise"
        With ``affine=False`` or ``normalize=True`` a zero row belongs to every subspace or has no direction:
        refuse the data, or give such rows the label -1. Otherwise it is a point like any other.
    {later_stages}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    `representation_` and `affinity_` are of type `Factors`, both of their factors being A, of shape
    (n_samples, n_columns); the graph A A^T is never formed. Loops count in its degrees. `changes_` has for
    each round its error over the least error of the rounds before; for the first round, over that of one
    flat through all points. `scale` acts on coefficients handed in only, and `memory_budget` on nothing:
    SCC needs room for about five arrays like A.

    The scale of the affinity is searched for in every round among curvatures of rank N c / K^p, p = 1 ...
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "dim": [positive_integer()],
        "affine": ["boolean"],
        "n_columns": [positive_integer(), None],
        "max_iter": [positive_integer()],
        "tol": [between(0, 1)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        dim: int = 3,
        affine: bool = True,
        n_columns: int | None = None,
        max_iter: int = 50,
        tol: float = 0.01,
        normalize: bool = False,
        zero_rows: str = "raise",
        duplicates: str = "merge",
        affinity: str = "self_expressive",
        scale: str | None = None,
        n_components: int | Literal["auto"] | None = None,
        n_init: int = 20,
        left_out: str = "attach",
        memory_budget: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            n_clusters,
            normalize=normalize,
            zero_rows=zero_rows,
            duplicates=duplicates,
            affinity=affinity,
            scale=scale,
            n_components=n_components,
            n_init=n_init,
            left_out=left_out,
            memory_budget=memory_budget,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.dim = dim
        self.affine = affine
        self.n_columns = n_columns
        self.max_iter = max_iter
        self.tol = tol

    @property
    def _needs_directions(self) -> bool:
        return self.normalize or not self.affine

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        n_columns = self._checked_columns(points.shape)
        best: Trial | None = None
        ratios: list[float] = []
        labels = np.zeros(points.shape[0], np.int64)
        error = self._error(points, labels)
        for number in track("rounds", range(self.max_iter), at_most=True):
            rng = np.random.default_rng([seed, number])
            tuples = sample_tuples(labels, n_columns, self.dim + self.affine, rng)
            found = min(self._trials(points, tuples, seed), key=lambda trial: trial.error)
            ratios.append(found.error / error if error > 0 else 1.0)
            if best is None or found.error < best.error:
                best, labels, error = found, found.labels, found.error
            if len(ratios) >= self.dim and ratios[-1] > 1 - self.tol:
                break
        assert best is not None
        factors = Factors(best.columns, best.columns, np.arange(len(labels)))
        return Representation(factors, len(ratios), tuple(ratios))

    def _trials(self, points: Source, tuples: NDArray[np.int64], seed: int) -> Iterator[Trial]:
        """Clusters by one set of tuples, at every scale."""
        threads = n_threads(self.n_jobs)
        curvatures = polar_curvatures(points, tuples, affine=self.affine, threads=threads)
        for scale in curvature_scales(curvatures, self.n_clusters, self.dim + 1):
            columns = curvature_affinity(curvatures, scale)
            embedding = self._embedding_of(columns, seed, TRIAL_TOL)
            n_init = min(self.n_init, TRIAL_STARTS)
            labels = label_embedding(embedding.vectors, self.n_clusters, n_init=n_init, seed=seed)
            yield Trial(columns, labels, self._error(points, labels))

    def _error(self, points: Source, labels: NDArray[np.int64]) -> float:
        return flat_error(points, labels, self.dim, affine=self.affine, threads=n_threads(self.n_jobs))

    def _affinity(self) -> csr_array | NDArray[np.floating] | Factors:
        coefficients = self.representation_
        if isinstance(coefficients, Factors):
            # Symmetric where copies of a point have been expanded, too.
            return Factors(coefficients.left, coefficients.left, coefficients.point)
        return super()._affinity()

    def _embedding(self, seed: int) -> Embedding:
        if isinstance(self.affinity_, Factors):
            return self._embedding_of(self.affinity_.left, seed)
        return super()._embedding(seed)

    def _embedding_of(self, columns: NDArray[np.floating], seed: int, tol: float = 1e-6) -> Embedding:
        return factored_embedding(
            columns,
            self.n_clusters,
            n_components=self.n_components,
            seed=seed,
            tol=tol,
            n_threads=n_threads(self.n_jobs),
        )

    def _checked_columns(self, shape: tuple[int, int]) -> int:
        """Number of tuples, if the points admit flats and tuples like these."""
        n_points, n_features = shape
        if self.dim >= n_features:
            raise InputError(
                f"dim={self.dim} must be below the number of features, but X has n_features={n_features}: "
                "a flat of that dimension would be the whole space."
            )
        if n_points < self.dim + 2:
            raise InputError(
                f"dim={self.dim} needs at least {self.dim + 2} distinct rows, but X has only {n_points}."
            )
        if self.n_columns is not None and self.n_columns < self.n_clusters:
            raise InputError(
                f"n_columns={self.n_columns} must be at least n_clusters={self.n_clusters}: every cluster "
                "needs a tuple."
            )
        return self.n_columns or COLUMNS_PER_CLUSTER * self.n_clusters
