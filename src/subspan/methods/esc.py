"""ESC: exemplar-based subspace clustering."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, diags_array

from subspan.affinity.neighbors import neighbor_affinity
from subspan.affinity.symmetrize import largest_share
from subspan.base import Settled, SubspaceMethod, spectral_graph
from subspan.handover import Graph, Representation, RowsOfPoints
from subspan.methods.declarations import ESCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, coding_bytes
from subspan.model.coding import Coding, ElasticNetCoding
from subspan.self_expression.exemplars import encode_by_exemplars, search_bytes
from subspan.sources import Source

# Exemplars unless the user says otherwise, if there are twice as many points.
DEFAULT_EXEMPLARS = 500


@dataclass(frozen=True)
class ExemplarRepresentation(Representation):
    """The coefficients, and the points they belong to in the order of their choice."""

    exemplars: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def for_rows(self, points: RowsOfPoints) -> Self:
        """Coefficients and exemplars as rows of the input."""
        return replace(super().for_rows(points), exemplars=points.rows_of(self.exemplars))

    def attributes(self) -> dict[str, Any]:
        """The exemplars, too."""
        return {**super().attributes(), "exemplars_": self.exemplars}


@documented
class ESC(ESCParameters, SubspaceMethod):
    """A few points are chosen, the exemplars, that represent all others well [1]_.

    The first is chosen at random, then again and again the point that those before it represent worst,
    measured by the minimum of ||c||_1 + lambda / 2 ||x - cA||^2. Coefficients over all exemplars, scaled to
    unit norm, say which points are alike: each is linked to those nearest to it.

    {parameters}

    {attributes}
    exemplars_ : ndarray of shape (n_exemplars,)
        Rows of `X` that are the exemplars, in the order of their choice.

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

    # The l1 norm of coefficients that sum to one is the same for all points in between. On rows of unit norm
    # it prefers the near ones.
    _constant = 2.0
    _unit_lift = True

    def _coding(self, n_features: int) -> Coding:
        return ElasticNetCoding(tau=1.0, gamma=1.0, alpha=1 / float(self.regularization))

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        n_exemplars = self._exemplars_of(shape[0])
        own = search_bytes(shape[0], n_exemplars) + coding_bytes(n_exemplars, 8, threads)
        return Own(own, "use fewer exemplars")

    def _exemplars_of(self, n_points: int) -> int:
        return self.n_exemplars or min(DEFAULT_EXEMPLARS, -(-n_points // 2))

    def _represent(self, points: Source, settled: Settled) -> ExemplarRepresentation:
        check_fit(self, points, settled)
        rows = points.rows(0, points.shape[0])
        found = encode_by_exemplars(
            rows,
            self._exemplars_of(len(rows)),
            regularization=self.regularization,
            seed=settled.seed,
            threads=settled.threads,
        )
        codes = found.codes
        columns = found.exemplars.astype(codes.indices.dtype)[codes.indices]
        wide = csr_array((codes.data, columns, codes.indptr), shape=(len(rows), len(rows)))
        wide.sort_indices()
        counts = {"empty_representations": int((np.diff(wide.indptr) == 0).sum())}
        return ExemplarRepresentation(wide, 1, (1.0,), counts, found.exemplars)

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        coefficients = representation.coefficients
        if not isinstance(representation, ExemplarRepresentation):
            coefficients = _with_own_entries(coefficients)
        coefficients = largest_share(coefficients, self.keep)
        return spectral_graph(neighbor_affinity(coefficients, self.n_neighbors, threads=settled.threads))


def _with_own_entries(coefficients: csr_array) -> csr_array:
    """Coefficients that were handed in lose their diagonal: exemplars, used but empty, get theirs back.

    Rows are compared at unit norm, so the value does not matter.
    """
    used = np.zeros(coefficients.shape[0], bool)
    used[coefficients.indices] = True
    own = (used & (np.diff(coefficients.indptr) == 0)).astype(coefficients.dtype)
    return csr_array(coefficients + diags_array(own))
