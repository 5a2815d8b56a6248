"""SSC-OMP: sparse subspace clustering by orthogonal matching pursuit."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np

from subspan.methods.documentation import documented
from subspan.methods.in_blocks import BlockClusterer
from subspan.parameters import at_least, positive_integer
from subspan.self_expression.consensus import ConsensusSettings


@documented
class SSCOMP(BlockClusterer):
    """Sparse subspace clustering by orthogonal matching pursuit (SSC-OMP).

    Every point is represented once by at most `n_nonzero` of all others [1]_: the pursuit of S3COMP with
    one dictionary of all points and no damping.

    Parameters
    ----------
    {n_clusters}
    n_nonzero : int, default=5
        Atoms per point (s): at most the dimension of the subspaces.
    {pursuit}
    {block_stages}

    Attributes
    ----------
    {block_attributes}

    References
    ----------
    .. [1] Chong You, Daniel P. Robinson, Rene Vidal. Scalable Sparse Subspace Clustering by Orthogonal
       Matching Pursuit. CVPR 2016.

    Examples
    --------
    >>> from subspan import SSCOMP
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = SSCOMP(n_clusters=4, n_nonzero=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BlockClusterer._parameter_constraints,
        "n_nonzero": [positive_integer()],
        "residual_tol": [at_least(0)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_nonzero: int = 5,
        residual_tol: float = 1e-3,
        normalize: bool = True,
        zero_rows: str = "raise",
        duplicates: str = "merge",
        affinity: str = "self_expressive",
        scale: str | None = None,
        n_components: int | Literal["auto"] | None = None,
        n_init: int = 20,
        left_out: str = "attach",
        memory_budget: int | str | None = None,
        work_dir: str | PathLike[str] | None = None,
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
        self.n_nonzero = n_nonzero
        self.residual_tol = residual_tol
        self.work_dir = work_dir

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        # More atoms than dimensions are dependent.
        n_nonzero = min(self.n_nonzero, n_features)
        settings = ConsensusSettings(n_nonzero=n_nonzero, residual_tol=self.residual_tol)
        return settings, {"n_subproblems": 1, "n_nonzero": n_nonzero, "dropout": 0.0}
