"""SSC-OMP: sparse subspace clustering by orthogonal matching pursuit."""

from __future__ import annotations

from typing import Any

from subspan.methods.declarations import SSCOMPParameters
from subspan.methods.documentation import documented
from subspan.methods.in_blocks import BlockClusterer
from subspan.model.coding import Coding
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.job import ANCHORED


@documented
class SSCOMP(SSCOMPParameters, BlockClusterer):
    """Every point is represented once by at most `n_nonzero` of all others [1]_.

    It is the pursuit of S3COMP with one dictionary of all points and no damping. With `affine` it starts at
    the nearest point and goes along the most aligned differences to it; new rows go to the nearest flat.

    {parameters}

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

    def _coding(self, n_features: int) -> Coding | None:
        # Coefficients of points of flats start at their nearest point. New rows go by the flats themselves.
        return None if self.affine else super()._coding(n_features)

    @property
    def _extends(self) -> bool:
        return not self.affine

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        # More atoms than dimensions are dependent.
        n_nonzero = min(self.n_nonzero, n_features)
        settings = ConsensusSettings(
            n_nonzero=n_nonzero, residual_tol=self.residual_tol, selection=ANCHORED if self.affine else "psi"
        )
        return settings, {"n_subproblems": 1, "n_nonzero": n_nonzero, "dropout": 0.0}
