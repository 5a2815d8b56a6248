"""OLRSC: online low-rank subspace clustering by basis dictionary pursuit."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from subspan.affinity import check_room
from subspan.base import SubspaceClusterer
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.steps import Advance, steps
from subspan.execution.threads import n_threads
from subspan.handover import Certificate, Embedding, Factors, InputError, Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least, check_parameters, one_of, positive_integer
from subspan.self_expression.online_low_rank import OnlineBasis, OnlineWeights
from subspan.sources import Source
from subspan.sources.checks import check_finite, unit_rows, zero_rows
from subspan.sources.dtypes import EXACT_IN_FLOAT32

# Weights must be above zero.
TINY = float(np.finfo(np.float64).tiny)
# Rows that learn in one go: an interruption waits no longer.
ROWS_PER_BLOCK = 256


@documented
class OLRSC(SubspaceClusterer):
    """Online low-rank subspace clustering by basis dictionary pursuit (OLRSC).

    A low-rank representation learned from one point after the other [1]_. A basis D of a few vectors follows
    the points; each point z is coded on it, z = D v + e with gross errors e, and helps to express it,
    D = Z U. So z_j is represented by all points with the coefficients U v_j, and besides the basis only U
    and V are kept. The graph of U V^T is dense nevertheless; clustering the codes V does without it.

    Parameters
    ----------
    {n_clusters}
    n_basis : int or None, default=None
        Number of basis vectors (d), at least the sum of the dimensions of the subspaces. None means
        5 * n_clusters.
    reconstruction : float, default=1.0
        Weight of the squared errors of reconstruction (lambda1).
    sparsity : float or None, default=None
        Weight of the gross errors (lambda2). None means 1 / sqrt(n_features).
    consistency : float or None, default=None
        Weight of the distance between the basis and combinations of the points (lambda3), for the first
        point; it grows with the square root of the number of points. None means 1 / sqrt(n_features).
    n_epochs : int, default=2
        How often `fit` goes through the rows, in their order.
    clustering : {"spectral", "codes"}, default="spectral"
        Cut the graph of U V^T, or run k-means on the codes V (OLRSC-F in the paper): the latter takes
        n_samples * n_basis numbers instead of n_samples^2.
    {stages}

    Attributes
    ----------
    basis_ : ndarray of shape (n_basis, n_features)
        The basis, its vectors in rows.
    objective_ : tuple of float
        Value of the problem after each epoch, per point taken in it and in those before.
    {attributes}

    Notes
    -----
    `representation_` is kept as `Factors`: codes V on the left, U on the right. `affinity_` is a dense array
    of n_samples^2 numbers; if these do not fit into `memory_budget`, the data are refused before any work.
    With ``clustering="codes"`` there is no graph: `affinity_` has no entries, `eigenvalues_` is empty, and
    `embedding_` holds the codes as they are.

    Rows that do not fit in memory together can be passed piece by piece to `partial_fit`; `label_stream`
    then clusters all of them.

    References
    ----------
    .. [1] Jie Shen, Ping Li, Huan Xu. Online Low-Rank Subspace Clustering by Basis Dictionary Pursuit.
       ICML 2016.

    Examples
    --------
    >>> from subspan import OLRSC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(3, 2, 30, 100, random_state=0)
    >>> model = OLRSC(n_clusters=3, n_basis=6, n_epochs=5, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "n_basis": [positive_integer(), None],
        "reconstruction": [at_least(TINY)],
        "sparsity": [at_least(TINY), None],
        "consistency": [at_least(TINY), None],
        "n_epochs": [positive_integer()],
        "clustering": [one_of("spectral", "codes")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_basis: int | None = None,
        reconstruction: float = 1.0,
        sparsity: float | None = None,
        consistency: float | None = None,
        n_epochs: int = 2,
        clustering: str = "spectral",
        normalize: bool = True,
        zero_rows: str = "raise",
        duplicates: str = "merge",
        affinity: str = "self_expressive",
        scale: str | None = "max",
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
        self.n_basis = n_basis
        self.reconstruction = reconstruction
        self.sparsity = sparsity
        self.consistency = consistency
        self.n_epochs = n_epochs
        self.clustering = clustering

    def partial_fit(self, X: ArrayLike, y: object = None, *, new_epoch: bool = False) -> Self:
        """Let the basis follow some more rows, and keep their codes for `label_stream`.

        Parts of a table in turn do what `fit` does in one epoch, except that equal rows are not merged.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The next rows.
        y : ignored
        new_epoch : bool, default=False
            Whether all rows have been passed, and these are the first of another round. The codes of the
            round before are given up.

        Returns
        -------
        self
        """
        check_parameters(self)
        first = not hasattr(self, "basis_")
        rows = self._next_rows(X, reset=first)
        if first:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            self._begin_stream(rows.shape[1], seed)
        if new_epoch:
            self._stream.begin_epoch()
            self._streamed.clear()
        usable = np.setdiff1d(np.arange(len(rows)), zero_rows(rows))
        kept = unit_rows(rows[usable]) if self.normalize else rows[usable]
        results = np.zeros((2, len(rows), len(self._stream.vectors)), rows.dtype)
        for place, part in zip(results, self._stream.learn(kept), strict=True):
            place[usable] = part
        self._streamed.append(results)
        self.basis_ = self._stream.vectors.copy()
        return self

    def _next_rows(self, X: ArrayLike, *, reset: bool) -> NDArray[np.floating]:
        """Rows of a stream after the checks that `fit` makes."""
        narrow = getattr(getattr(X, "dtype", None), "char", "d") in EXACT_IN_FLOAT32
        dtypes = [np.float32, np.float64] if narrow else [np.float64, np.float32]
        rows: NDArray[np.floating] = self._validated(X, dtype=dtypes, order="C", reset=reset)
        check_finite(rows)
        empty = zero_rows(rows)
        if len(empty) and self.zero_rows == "raise":
            raise InputError(
                f"X: row {empty[0]} is zero; pass zero_rows='label' to give such rows the label -1."
            )
        return rows

    def label_stream(self) -> NDArray[np.int64]:
        """Cluster all rows passed to `partial_fit` since the last `fit`, or in the last epoch.

        The attributes are set as by `fit`, except those that describe the input.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Labels in the order of the rows; -1 for rows without direction.
        """
        check_is_fitted(self, "basis_")
        if not self._streamed:
            raise InputError("label_stream: no rows have been passed to partial_fit.")
        right, left = np.concatenate(self._streamed, axis=1)
        self.representation_ = Factors(left, right, np.arange(len(left)))
        self.stage_seconds_, self.counts_ = {}, {}
        with self._shown():
            with self._timed("affinity"):
                self.affinity_ = self._affinity()
            with self._timed("embedding"):
                embedding = self._embed(self._seed)
            with self._timed("labeling"):
                self.labels_ = self._label(embedding, None, self._seed)
        self._warn()
        return self.labels_

    def _begin_stream(self, n_features: int, seed: int) -> None:
        weights = OnlineWeights(self.reconstruction, self.sparsity, self.consistency)
        self._stream = OnlineBasis.start(n_features, self.n_basis or 5 * self.n_clusters, weights, seed)
        # Coefficients and codes of each part of the stream.
        self._streamed: list[NDArray[np.floating]] = []
        self._seed = seed

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        n_points, n_features = points.shape
        if self.clustering == "spectral":
            check_room(n_points, points.dtype, bytes_of_budget(self.memory_budget), "OLRSC")
        self._begin_stream(n_features, seed)
        objective, changes = [], []
        before = np.zeros((0, 0))
        with steps("rows", self.n_epochs * n_points) as advance:
            for _ in range(self.n_epochs):
                self._stream.begin_epoch()
                coefficients, codes = self._learn(points, advance)
                changes.append(_relative_change(codes, before))
                before = codes
                objective.append(self._stream.objective(points.rows(0, n_points), n_threads(self.n_jobs)))
        self.basis_ = self._stream.vectors.copy()
        self.objective_ = tuple(objective)
        left, right = (part.astype(points.dtype) for part in (codes, coefficients))
        return Representation(Factors(left, right, np.arange(n_points)), self.n_epochs, tuple(changes))

    def _learn(self, points: Source, advance: Advance) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        parts = []
        for start in range(0, points.shape[0], ROWS_PER_BLOCK):
            rows = points.rows(start, start + ROWS_PER_BLOCK)
            parts.append(self._stream.learn(rows))
            advance(len(rows))
        coefficients, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
        return coefficients, codes

    def _affinity(self) -> csr_array | NDArray[np.floating]:
        if self.clustering == "codes" and isinstance(self.representation_, Factors):
            return csr_array(self.representation_.shape, dtype=self.representation_.dtype)
        return super()._affinity()

    def _embedding(self, seed: int) -> Embedding:
        """The codes themselves, if they are to be clustered."""
        if self.clustering == "spectral" or self.affinity != "self_expressive":
            return super()._embedding(seed)
        codes = self.representation_.left.astype(np.float64)
        embedded: NDArray[np.bool_] = np.any(codes != 0, axis=1)
        if embedded.sum() < self.n_clusters:
            raise InputError(f"n_clusters={self.n_clusters}, but only {embedded.sum()} codes are not zero.")
        nothing_to_prove = Certificate(converged=True, residual=0.0, probe_excess=0.0, n_products=0)
        return Embedding(codes, np.empty(0), np.where(embedded, 0, -1), embedded, nothing_to_prove)


def _relative_change(codes: NDArray[np.float64], before: NDArray[np.float64]) -> float:
    """||codes - before|| / ||codes||, where there was something before."""
    if before.shape != codes.shape:
        return 1.0
    return float(np.linalg.norm(codes - before)) / max(float(np.linalg.norm(codes)), TINY)
