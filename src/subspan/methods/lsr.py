"""LSR: subspace clustering by least squares regression."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from subspan.affinity import check_room
from subspan.base import SubspaceClusterer
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.threads import n_threads
from subspan.handover import Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least
from subspan.self_expression.ridge import ridge_factors
from subspan.sources import Source

# Weights must be above zero.
TINY = float(np.finfo(np.float64).tiny)


@documented
class LSR(SubspaceClusterer):
    """Subspace clustering by least squares regression (LSR).

    Every point is represented by all others with the least squares of errors and coefficients [1]_, which has
    a closed form. It groups strongly correlated points together, but connects all clusters a little.

    Parameters
    ----------
    {n_clusters}
    regularization : float, default=1e-3
        Weight of the squared coefficients (lambda). For points of unit norm from 0.001 to 1; more noise
        needs more.
    zero_diagonal : bool, default=True
        Forbid a point to represent itself when the problem is solved (LSR1 of the paper), or just leave
        out that coefficient afterwards (LSR2). The two differ by a factor for each point, so that with
        `scale` they give the same graph.
    {stages}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    Every point has a coefficient on every other. `representation_` is therefore kept as `Factors`, thin
    matrices whose product they are, while `affinity_` is a dense array of n_samples^2 numbers. If these do
    not fit into `memory_budget`, the data are refused before any work.

    References
    ----------
    .. [1] Can-Yi Lu, Hai Min, Zhong-Qiu Zhao, Lin Zhu, De-Shuang Huang, Shuicheng Yan. Robust and Efficient
       Subspace Segmentation via Least Squares Regression. ECCV 2012.

    Examples
    --------
    >>> from subspan import LSR
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = LSR(n_clusters=4, regularization=0.01, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "regularization": [at_least(TINY)],
        "zero_diagonal": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        regularization: float = 1e-3,
        zero_diagonal: bool = True,
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
        self.regularization = regularization
        self.zero_diagonal = zero_diagonal

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        n_points = points.shape[0]
        check_room(n_points, points.dtype, bytes_of_budget(self.memory_budget), "LSR")
        factors = ridge_factors(
            points.rows(0, n_points),
            self.regularization,
            zero_diagonal=self.zero_diagonal,
            threads=n_threads(self.n_jobs),
        )
        return Representation(factors, n_iter=1, changes=(1.0,))
