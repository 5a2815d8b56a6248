"""LRSC: low-rank subspace clustering in closed form."""

from __future__ import annotations

from subspan.affinity import DENSE
from subspan.base import Settled, SubspaceMethod
from subspan.handover import Representation
from subspan.methods.declarations import LRSCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, closed_form_bytes, dense_graph_bytes
from subspan.self_expression.low_rank import LowRankSettings, low_rank_factors
from subspan.sources import Source


@documented
class LRSC(LRSCParameters, SubspaceMethod):
    """Points are represented by one another with symmetric coefficients C of least nuclear norm [1]_.

    These are the points as they are, or what is left of them without noise and gross errors. The singular
    value decomposition of the data gives the answer. With clean points A in rows the problem is to minimise
    ||C||_* + tau/2 ||A - C A||_F^2, with more terms for `noise`.

    {parameters}

    {attributes}

    Notes
    -----
    {dense_graph}
    The diagonal of C, which is not zero, is left out.

    The singular values of A under noise are minimisers of a problem in one variable, whose cost the paper
    compares at two approximate points to find a threshold. Here the minimiser is computed exactly.
    For other than gross errors `n_iter_` is 1. With gross errors a `tau` above the default is reached step by
    step from there: weak directions come in while the errors leave.

    References
    ----------
    .. [1] Rene Vidal, Paolo Favaro. Low Rank Subspace Clustering (LRSC). Pattern Recognition Letters 43,
       2014.

    Examples
    --------
    >>> from subspan import LRSC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = LRSC(n_clusters=4, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        own = closed_form_bytes(*shape, itemsize)
        return Own(own + dense_graph_bytes(shape[0], itemsize, threads), DENSE)

    def _represent(self, points: Source, settled: Settled) -> Representation:
        n_points = points.shape[0]
        check_fit(self, points, settled)
        settings = LowRankSettings(
            tau=self.tau,
            alpha=self.alpha,
            gamma=self.gamma,
            noise=self.noise,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        found = low_rank_factors(points.rows(0, n_points), settings, settled.threads)
        return Representation(found.factors, n_iter=len(found.changes), changes=found.changes)
