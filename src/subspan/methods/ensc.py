"""EnSC: subspace clustering by the elastic net; with tau = 1, sparse subspace clustering by the lasso."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.affinity.neighbors import neighbor_affinity
from subspan.base import SubspaceClusterer
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.threads import n_threads
from subspan.handover import InputError, Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least, one_of, positive_integer
from subspan.self_expression.elastic_net import ElasticNetSettings, represent_by_elastic_net
from subspan.sources import Source


@documented
class ElasticNetSC(SubspaceClusterer):
    """Elastic-net subspace clustering (EnSC).

    Every point x is represented by the others through the c that minimises
    ``1/2 ||x - c X||^2 + tau alpha ||c||_1 + (1 - tau) alpha/2 ||c||_2^2`` [1]_. The first penalty keeps the
    coefficients few, the second spreads them over more points of the same subspace. The minimum is exact: the
    optimality conditions hold over all points, up to the rounding of products (1e-6 with float32).

    Parameters
    ----------
    {n_clusters}
    tau : float, default=0.9
        Share of the l1 penalty, above 0 and at most 1. With 1 this is sparse subspace clustering (SSC) by the
        lasso. (With 0 it would be least squares regression: use `LSR`.)
    gamma : float, default=50
        Weight of the data against the penalty: alpha = (largest correlation of the point with any other) /
        (tau * gamma). At 1 all coefficients are zero; the larger, the more of them there are.
    alpha : float or None, default=None
        The same alpha for all points, instead of one by `gamma`.
    n_nonzero : int or None, default=None
        Keep only so many of the largest coefficients of each point; None keeps all.
    graph : {"symmetric", "neighbors"}, default="symmetric"
        What is cut: the mean of the coefficients' magnitudes in both directions, or the graph that links each
        point to those with the most similar coefficients.
    n_neighbors : int, default=3
        Links of each point in the graph of neighbours.
    {stages}

    Attributes
    ----------
    {attributes}

    References
    ----------
    .. [1] Chong You, Chun-Guang Li, Daniel P. Robinson, Rene Vidal. Oracle Based Active Set Algorithm for
       Scalable Elastic Net Subspace Clustering. CVPR 2016.

    Examples
    --------
    >>> from subspan import ElasticNetSC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = ElasticNetSC(n_clusters=4, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "tau": [at_least(0)],
        "gamma": [at_least(1)],
        "alpha": [at_least(0), None],
        "n_nonzero": [positive_integer(), None],
        "graph": [one_of("symmetric", "neighbors")],
        "n_neighbors": [positive_integer()],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        tau: float = 0.9,
        gamma: float = 50.0,
        alpha: float | None = None,
        n_nonzero: int | None = None,
        graph: str = "symmetric",
        n_neighbors: int = 3,
        normalize: bool = True,
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
        self.tau = tau
        self.gamma = gamma
        self.alpha = alpha
        self.n_nonzero = n_nonzero
        self.graph = graph
        self.n_neighbors = n_neighbors

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        self._check_penalty()
        return represent_by_elastic_net(
            points,
            ElasticNetSettings(float(self.tau), float(self.gamma), self.alpha),
            budget=bytes_of_budget(self.memory_budget),
            n_nonzero=self.n_nonzero,
            threads=n_threads(self.n_jobs),
        )

    def _affinity(self) -> csr_array | NDArray[np.floating]:
        if self.graph == "symmetric":
            return super()._affinity()
        return neighbor_affinity(self.representation_, self.n_neighbors, threads=n_threads(self.n_jobs))

    def _check_penalty(self) -> None:
        """Without an l1 penalty the coefficients are dense, and another method has them in closed form."""
        if self.tau == 0:
            raise InputError(
                "tau=0: without the l1 penalty this is least squares regression; use LSR instead."
            )
        if self.tau > 1:
            raise InputError(f"tau={self.tau:g} must lie above 0 and be at most 1.")
        if self.alpha == 0:
            raise InputError("alpha=0: without a penalty the coefficients are not determined; use alpha > 0.")
