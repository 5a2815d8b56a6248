"""EnSC: subspace clustering by the elastic net; with tau = 1, sparse subspace clustering by the lasso."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.affinity.neighbors import neighbor_affinity
from subspan.affinity.symmetrize import largest_share
from subspan.base import Settled, SubspaceMethod, spectral_graph
from subspan.handover import Graph, InputError, Representation
from subspan.methods.declarations import ElasticNetSCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, coding_bytes
from subspan.model.coding import Coding, ElasticNetCoding
from subspan.self_expression.elastic_net import ElasticNetSettings, represent_by_elastic_net
from subspan.sources import Source


@documented
class ElasticNetSC(ElasticNetSCParameters, SubspaceMethod):
    """Every point is represented by the others, with two penalties on its coefficients [1]_.

    For a point x the coefficients are the c that minimises
    ``1/2 ||x - c X||^2 + tau alpha ||c||_1 + (1 - tau) alpha/2 ||c||_2^2``. The first penalty keeps the
    coefficients few, the second spreads them over more points of the same subspace. The minimum is exact: the
    optimality conditions hold over all points, up to the rounding of products (1e-6 with float32).

    {parameters}

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

    def _coding(self, n_features: int) -> Coding:
        alpha = None if self.alpha is None else float(self.alpha)
        return ElasticNetCoding(float(self.tau), float(self.gamma), alpha)

    @property
    def _extends(self) -> bool:
        # With errors the coefficients are those of a cleaned point, which a new row does not have.
        return self.graph == "symmetric" and self.errors is None

    def _represent(self, points: Source, settled: Settled) -> Representation:
        self._check_penalty()
        errors = self._error_atoms(points.shape[1])
        own = check_fit(self, points, settled)
        return represent_by_elastic_net(
            points,
            ElasticNetSettings(float(self.tau), float(self.gamma), self.alpha),
            budget=settled.budget - own.n_bytes,
            n_nonzero=self.n_nonzero,
            threads=settled.threads,
            others=errors,
        )

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features; inner products take what is left."""
        n_points, n_features = shape
        n_atoms = n_points + (0 if self.errors is None else n_features - self._lifts)
        own = 4 * n_atoms * n_features * itemsize + coding_bytes(n_atoms, itemsize, threads)
        return Own(own, "take fewer rows")

    def _error_atoms(self, n_features: int) -> NDArray[np.float64] | None:
        """An atom for an error in each entry; the constant of lifted rows has none."""
        if self.errors is None:
            return None
        return self.errors * np.eye(n_features - self._lifts, n_features)

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if self.graph == "symmetric":
            return super()._connect(representation, settled)
        coefficients = largest_share(representation.coefficients, self.keep)
        return spectral_graph(neighbor_affinity(coefficients, self.n_neighbors, threads=settled.threads))

    def _check_penalty(self) -> None:
        """Without an l1 penalty the coefficients are dense, and another method has them in closed form."""
        if self.tau == 0:
            raise InputError(
                "{tau}: without the l1 penalty this is least squares regression; use LSR instead.", tau=0
            )
        if self.tau > 1:
            raise InputError("{tau} must lie above 0 and be at most 1.", tau=self.tau)
        if self.alpha == 0:
            raise InputError(
                "{alpha}: without a penalty the coefficients are not determined; use {alpha:name} > 0.",
                alpha=0,
            )
