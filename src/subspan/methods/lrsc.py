"""LRSC: low-rank subspace clustering in closed form."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from subspan.affinity import check_room
from subspan.base import SubspaceClusterer
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.threads import n_threads
from subspan.handover import Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least, one_of, positive_integer
from subspan.self_expression.low_rank import LowRankSettings, low_rank_factors
from subspan.sources import Source

# Weights must be above zero.
TINY = float(np.finfo(np.float64).tiny)


@documented
class LRSC(SubspaceClusterer):
    """Low-rank subspace clustering in closed form (LRSC).

    The points, or what is left of them without noise and gross errors, are represented by one another with
    symmetric coefficients C of least nuclear norm [1]_. The singular value decomposition of the data gives
    the answer. With clean points A in rows the problem is to minimise
    ||C||_* + tau/2 ||A - C A||_F^2, with more terms for `noise`.

    Parameters
    ----------
    {n_clusters}
    noise : {"none", "dense", "gross"}, default="none"
        Take the points X as they are, A = X; allow for small errors in all entries, which adds
        alpha/2 ||X - A||_F^2; or for large errors E in a few entries too, which adds
        alpha/2 ||X - A - E||_F^2 + gamma ||E||_1 and takes as many decompositions as iterations.
    tau : float or None, default=None
        Weight of the misfit. Singular values of A up to 1/sqrt(tau) count as noise. None means
        100 / ||X||_2^2, which keeps those above a tenth of the largest.
    alpha : float or None, default=None
        Weight of small errors. None means tau / 2.
    gamma : float or None, default=None
        Weight of gross errors: entries count as such if they are gamma / alpha off. None means three times
        the root mean square of the entries of X, times alpha.
    max_iter : int, default=150
        Most alternations between clean points and gross errors.
    tol : float, default=1e-6
        They end when the clean points change by less, relative to the points, in the mean.
    {stages}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    Every point has a coefficient on every other. `representation_` is therefore kept as `Factors`, thin
    matrices whose product they are, while `affinity_` is a dense array of n_samples^2 numbers. If these do
    not fit into `memory_budget`, the data are refused before any work. The diagonal of C, which is not zero,
    is left out.

    The singular values of A under noise are minimisers of a problem in one variable, whose cost the paper
    compares at two approximate points to find a threshold. Here the minimiser is computed exactly.
    For other than gross errors `n_iter_` is 1.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "noise": [one_of("none", "dense", "gross")],
        "tau": [at_least(TINY), None],
        "alpha": [at_least(TINY), None],
        "gamma": [at_least(TINY), None],
        "max_iter": [positive_integer()],
        "tol": [at_least(0)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        noise: str = "none",
        tau: float | None = None,
        alpha: float | None = None,
        gamma: float | None = None,
        max_iter: int = 150,
        tol: float = 1e-6,
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
        self.noise = noise
        self.tau = tau
        self.alpha = alpha
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        n_points = points.shape[0]
        check_room(n_points, points.dtype, bytes_of_budget(self.memory_budget), "LRSC")
        settings = LowRankSettings(
            tau=self.tau,
            alpha=self.alpha,
            gamma=self.gamma,
            noise=self.noise,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        found = low_rank_factors(points.rows(0, n_points), settings, n_threads(self.n_jobs))
        return Representation(found.factors, n_iter=len(found.changes), changes=found.changes)
