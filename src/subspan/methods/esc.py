"""ESC: exemplar-based subspace clustering."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array, diags_array

from subspan.affinity.neighbors import neighbor_affinity
from subspan.base import Points, SubspaceClusterer
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.threads import n_threads
from subspan.handover import Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least, positive_integer
from subspan.self_expression.exemplars import encode_by_exemplars
from subspan.sources import Source

# Exemplars unless the user says otherwise, if there are twice as many points.
DEFAULT_EXEMPLARS = 500
# With no weight at all on the residual there is nothing to minimise.
TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class ExemplarRepresentation(Representation):
    """The coefficients, and the points they belong to in the order of their choice."""

    exemplars: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))


@documented
class ESC(SubspaceClusterer):
    """Exemplar-based subspace clustering (ESC).

    A few points are chosen that represent all others well [1]_: the first at random, then again and again the
    point that those before it represent worst, measured by the minimum of
    ||c||_1 + lambda / 2 ||x - cA||^2. Coefficients over all exemplars, scaled to unit norm, say which points
    are alike: each is linked to those nearest to it.

    Parameters
    ----------
    {n_clusters}
    n_exemplars : int or None, default=None
        Number of exemplars k. None means 500, or half the number of distinct rows if that is less.
    regularization : float, default=200
        Weight of the squared residual against the norm of the coefficients (lambda), above 1 for rows of unit
        norm: at 1 no coefficient is left.
    n_neighbors : int, default=3
        Nearest neighbours of each point in the graph (t).
    {stages}

    Attributes
    ----------
    exemplars_ : ndarray of shape (n_exemplars,)
        Rows of `X` that are the exemplars, in the order of their choice.
    {attributes}

    Notes
    -----
    Only the columns of exemplars are filled in `representation_`. An exemplar represents itself, so the
    diagonal is not zero there: set it to zero before computing measures of self-expression.

    The search recomputes a cost only where the one computed earlier, an upper bound, is larger than the
    largest that is certain. `scale` has no effect: the graph compares coefficients of unit norm.

    References
    ----------
    .. [1] Chong You, Chi Li, Daniel P. Robinson, Rene Vidal. Scalable Exemplar-based Subspace Clustering on
       Class-Imbalanced Data. ECCV 2018.

    Examples
    --------
    >>> from subspan import ESC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = ESC(n_clusters=4, n_exemplars=40, n_neighbors=5, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "n_exemplars": [positive_integer(), None],
        "regularization": [at_least(TINY)],
        "n_neighbors": [positive_integer()],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_exemplars: int | None = None,
        regularization: float = 200.0,
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
        self.n_exemplars = n_exemplars
        self.regularization = regularization
        self.n_neighbors = n_neighbors

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> ExemplarRepresentation:
        rows = points.rows(0, points.shape[0])
        found = encode_by_exemplars(
            rows,
            self.n_exemplars or min(DEFAULT_EXEMPLARS, -(-len(rows) // 2)),
            regularization=self.regularization,
            seed=seed,
            budget=bytes_of_budget(self.memory_budget),
            threads=n_threads(self.n_jobs),
        )
        codes = found.codes
        columns = found.exemplars.astype(codes.indices.dtype)[codes.indices]
        wide = csr_array((codes.data, columns, codes.indptr), shape=(len(rows), len(rows)))
        wide.sort_indices()
        counts = {"empty_representations": int((np.diff(wide.indptr) == 0).sum())}
        return ExemplarRepresentation(wide, 1, (1.0,), counts, found.exemplars)

    def _keep_representation(self, representation: Representation, points: Points) -> None:
        super()._keep_representation(representation, points)
        assert isinstance(representation, ExemplarRepresentation)
        self.exemplars_ = points.row_of_point[representation.exemplars]

    def _affinity(self) -> csr_array:
        coefficients = self.representation_
        if self.affinity == "precomputed_representation":
            coefficients = _with_own_entries(coefficients)
        return neighbor_affinity(coefficients, self.n_neighbors, threads=n_threads(self.n_jobs))


def _with_own_entries(coefficients: csr_array) -> csr_array:
    """Coefficients that were handed in lose their diagonal: exemplars, used but empty, get theirs back.

    Rows are compared at unit norm, so the value does not matter.
    """
    used = np.zeros(coefficients.shape[0], bool)
    used[coefficients.indices] = True
    own = (used & (np.diff(coefficients.indptr) == 0)).astype(coefficients.dtype)
    return csr_array(coefficients + diags_array(own))
