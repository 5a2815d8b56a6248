"""OLRSC: online low-rank subspace clustering by basis dictionary pursuit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from subspan.affinity import DENSE
from subspan.base import GivenCoefficients, Settled, StageClock, SubspaceMethod
from subspan.execution.steps import Advance, steps
from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.handover import Certificate, Embedding, Factors, Graph, InputError, Representation
from subspan.methods.declarations import OLRSCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, dense_graph_bytes
from subspan.parameters import check_parameters
from subspan.self_expression.online_low_rank import OnlineBasis, OnlineWeights
from subspan.sources import Source
from subspan.sources.checks import check_finite, unit_rows, zero_rows
from subspan.sources.dtypes import EXACT_IN_FLOAT32

# Smallest norm that anything is divided by.
TINY = float(np.finfo(np.float64).tiny)
# Rows that learn in one go: an interruption waits no longer.
ROWS_PER_BLOCK = 256
# Bytes of all arrays of the shape of the codes that are there together, for each of their entries.
ARRAYS_OF_CODES = 8 * 8


@dataclass(frozen=True)
class Streamed(Representation):
    """Codes and coefficients of rows that came piece by piece."""

    def attributes(self) -> dict[str, Any]:
        """The factors alone: nobody counted epochs."""
        return {"representation_": self.coefficients}


@dataclass(frozen=True)
class OnlineRepresentation(Representation):
    """Codes and coefficients, with the basis they were learned with."""

    basis: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    # After each epoch.
    objective: tuple[float, ...] = ()

    def attributes(self) -> dict[str, Any]:
        """Basis and objective, too."""
        return {**super().attributes(), "basis_": self.basis, "objective_": self.objective}


@documented
class OLRSC(OLRSCParameters, SubspaceMethod):
    """A low-rank representation is learned from one point after the other [1]_.

    A basis D of a few vectors follows the points; each point z is coded on it, z = D v + e with gross errors
    e, and helps to express it, D = Z U. So z_j is represented by all points with the coefficients U v_j, and
    besides the basis only U and V are kept. The graph of U V^T is dense nevertheless; clustering the codes V
    does without it.

    {parameters}

    {attributes}
    basis_ : ndarray of shape (n_basis, n_features)
        The basis, its vectors in rows.
    objective_ : tuple of float
        Value of the problem after each epoch, per point taken in it and in those before.

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

    def partial_fit(self, X: ArrayLike, y: object = None, *, new_epoch: bool = False) -> Self:
        """Let the basis follow some more rows, and keep their codes for `label_stream`.

        Parts of a table in turn do what `fit` does in one epoch without `shuffle`, except that equal rows are
        not merged.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The next rows.
        y : ignored
        new_epoch : bool, default=False
            Whether all rows have been passed, and these are the first of another epoch. The codes of the
            epoch before are discarded.

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
        for place, part in zip(results, self._coded(kept), strict=True):
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
                "X: row {} is zero; pass {zero_rows} to give such rows the label -1.",
                empty[0],
                zero_rows="label",
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
        factors = Factors(left, right, np.arange(len(left)))
        settled = replace(self._settle(Workplace(n_threads(self.n_jobs))), seed=self._seed)
        with self._shown():
            self._cluster(Streamed(factors, n_iter=0, changes=()), None, settled, StageClock())
        self._warn()
        return self.labels_

    def _begin_stream(self, n_features: int, seed: int) -> None:
        weights = OnlineWeights(self.reconstruction, self.sparsity, self.consistency)
        self._stream = OnlineBasis.start(n_features, self.n_basis or 5 * self.n_clusters, weights, seed)
        # Coefficients and codes of each part of the stream.
        self._streamed: list[NDArray[np.floating]] = []
        self._seed = seed

    def _represent(self, points: Source, settled: Settled) -> Representation:
        n_points, n_features = points.shape
        check_fit(self, points, settled)
        self._begin_stream(n_features, settled.seed)
        objective, changes = [], []
        before = np.zeros((0, 0))
        rng = np.random.default_rng(settled.seed)
        with steps("rows", self.n_epochs * n_points) as advance:
            for _ in range(self.n_epochs):
                self._stream.begin_epoch()
                order = rng.permutation(n_points) if self.shuffle else np.arange(n_points)
                coefficients, codes = self._learn(points, order, advance)
                changes.append(_relative_change(codes, before))
                before = codes
                objective.append(self._stream.objective(points.rows(0, n_points), settled.threads))
        left, right = (part.astype(points.dtype) for part in (codes, coefficients))
        return OnlineRepresentation(
            Factors(left, right, np.arange(n_points)),
            self.n_epochs,
            tuple(changes),
            basis=self._stream.vectors.copy(),
            objective=tuple(objective),
        )

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        own = ARRAYS_OF_CODES * shape[0] * (self.n_basis or 5 * self.n_clusters)
        if self.clustering == "codes":
            return Own(own, "take a smaller basis")
        return Own(own + dense_graph_bytes(shape[0], itemsize, threads), DENSE)

    def _learn(
        self, points: Source, order: NDArray[np.int64], advance: Advance
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients and codes of all points, which are taken in this order."""
        shape = (len(order), len(self._stream.vectors))
        coefficients, codes = np.empty(shape), np.empty(shape)
        for start in range(0, len(order), ROWS_PER_BLOCK):
            taken = order[start : start + ROWS_PER_BLOCK]
            # A source wants its rows sorted.
            sorted_rows, place = np.unique(taken, return_inverse=True)
            coefficients[taken], codes[taken] = self._coded(points.take(sorted_rows)[place])
            advance(len(taken))
        return coefficients, codes

    def _coded(self, rows: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients and codes of rows, from which the basis learns."""
        # Weights too far apart in size leave nothing but rounding, and codes grow without end.
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._stream.learn(rows)
        if not np.isfinite(found[1]).all():
            raise InputError(
                "{reconstruction}, {sparsity}, {consistency}: codes are not finite; these differ too much.",
                reconstruction=self.reconstruction,
                sparsity=self.sparsity,
                consistency=self.consistency,
            )
        return found

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if self.clustering == "spectral" or isinstance(representation, GivenCoefficients):
            return super()._connect(representation, settled)
        # The codes themselves are clustered: no graph is cut.
        factors = representation.coefficients
        return Graph(
            csr_array(factors.shape, dtype=factors.dtype), partial(_codes_as_embedding, factors.left)
        )


def _codes_as_embedding(codes: NDArray[np.floating], n_clusters: int, **_: object) -> Embedding:
    codes = codes.astype(np.float64)
    embedded: NDArray[np.bool_] = np.any(codes != 0, axis=1)
    if embedded.sum() < n_clusters:
        raise InputError(
            "{n_clusters}, but only {} codes are not zero.", embedded.sum(), n_clusters=n_clusters
        )
    nothing_to_prove = Certificate(converged=True, residual=0.0, probe_excess=0.0, n_products=0)
    return Embedding(codes, np.empty(0), np.where(embedded, 0, -1), embedded, nothing_to_prove)


def _relative_change(codes: NDArray[np.float64], before: NDArray[np.float64]) -> float:
    """||codes - before|| / ||codes||, where there was something before."""
    if before.shape != codes.shape:
        return 1.0
    return float(np.linalg.norm(codes - before)) / max(float(np.linalg.norm(codes)), TINY)
