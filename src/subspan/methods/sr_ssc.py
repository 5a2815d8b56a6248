"""SR-SSC: scalable and robust sparse subspace clustering by several sets of anchor points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from subspan.affinity import symmetric_affinity
from subspan.base import Settled, SubspaceMethod
from subspan.embedding.layers import merged_embedding
from subspan.execution.steps import track
from subspan.handover import Graph, InputError, Representation, RowsOfPoints
from subspan.methods.declarations import SRSSCParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, coding_bytes
from subspan.model.coding import Coding, ElasticNetCoding
from subspan.self_expression.anchors import anchor_codes, sample_anchors
from subspan.sources import Source

# Anchors in a set unless the user says otherwise, if there are twice as many points.
DEFAULT_ANCHORS = 500


@dataclass(frozen=True)
class LayeredRepresentation(Representation):
    """The coefficients of every layer besides their mean."""

    layers: tuple[csr_array, ...] = ()
    anchors: tuple[np.ndarray, ...] = ()

    def for_rows(self, points: RowsOfPoints) -> Self:
        """Coefficients and anchors as rows of the input."""
        layers = tuple(csr_array(points.expand(layer)) for layer in self.layers)
        anchors = tuple(points.rows_of(kept) for kept in self.anchors)
        return replace(super().for_rows(points), layers=layers, anchors=anchors)

    def attributes(self) -> dict[str, Any]:
        """Layers and anchors, too."""
        return {**super().attributes(), "layers_": list(self.layers), "anchors_": list(self.anchors)}


@documented
class SRSSC(SRSSCParameters, SubspaceMethod):
    """Several sets of anchor points are drawn by a randomised hierarchical clustering [1]_.

    Over each set every point is represented by the lasso, which gives one graph; the graphs are layers of one
    embedding, merged on the Grassmann manifold [2]_.

    {parameters}

    {attributes}
    layers_ : list of csr_array of shape (n_samples, n_samples)
        Coefficients of each layer; only the columns of its anchors are filled.
    anchors_ : list of ndarray
        Rows of `X` that are the anchors of each layer.

    Notes
    -----
    `representation_` is the mean of the layers' coefficients, and `affinity_` the graph of this mean: they
    are there to be looked at. What is cut are the graphs of the layers, whose merged eigenvalues are in
    `eigenvalues_`.

    The publication's abstract names the steps. The rest is our choice: clusters are split by 2-means from two
    random points, the largest first, and the point nearest to the mean of each is an anchor; the penalty is
    relative to the largest inner product, as for SSC.

    References
    ----------
    .. [1] Maryam Abdolali, Nicolas Gillis, Mohammad Rahmati. Scalable and Robust Sparse Subspace Clustering
       Using Randomized Clustering and Multilayer Graphs. Signal Processing 163, 2019.
    .. [2] Xiaowen Dong, Pascal Frossard, Pierre Vandergheynst, Nikolai Nefedov. Clustering on Multi-Layer
       Graphs via Subspace Analysis on Grassmann Manifolds. IEEE Transactions on Signal Processing 62, 2014.

    Examples
    --------
    >>> from subspan import SRSSC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = SRSSC(n_clusters=4, n_anchors=80, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    # The l1 norm of coefficients that sum to one is the same for all points in between. On rows of unit norm
    # it prefers the near ones.
    _constant = 2.0
    _unit_lift = True

    def _coding(self, n_features: int) -> Coding:
        return ElasticNetCoding(tau=1.0, gamma=float(self.regularization))

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        n_anchors = self._anchors_of(shape[0])
        own = 3 * 8 * (shape[0] * shape[1] * threads + n_anchors**2) + coding_bytes(n_anchors, 8, threads)
        return Own(own, "use fewer anchors")

    def _anchors_of(self, n_points: int) -> int:
        return self.n_anchors or min(DEFAULT_ANCHORS, -(-n_points // 2))

    def _represent(self, points: Source, settled: Settled) -> LayeredRepresentation:
        threads = settled.threads
        check_fit(self, points, settled)
        rows = points.rows(0, points.shape[0])
        n_anchors = self._anchors_of(len(rows))
        anchors = sample_anchors(rows, n_anchors, self.n_layers, seed=settled.seed, threads=threads)
        layers = tuple(
            anchor_codes(rows, kept, regularization=self.regularization, threads=threads)
            for kept in track("layers", anchors)
        )
        mean = _mean(layers)
        empty = int((np.diff(mean.indptr) == 0).sum())
        counts = {"empty_representations": empty}
        return LayeredRepresentation(mean, 1, (1.0,), counts, layers, tuple(anchors))

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if not isinstance(representation, LayeredRepresentation):
            return super()._connect(representation, settled)
        if all(layer.nnz == 0 for layer in representation.layers):
            raise InputError("The affinity is all zero: no point is represented by any other.")
        graphs = [symmetric_affinity(layer, self.scale, self.keep) for layer in representation.layers]
        embed = partial(merged_embedding, graphs, alpha=self.alpha)
        return Graph(symmetric_affinity(representation.coefficients, self.scale, self.keep), embed)


def _mean(layers: tuple[csr_array, ...]) -> csr_array:
    """Mean of the coefficients, in their type."""
    total = layers[0].copy()
    for layer in layers[1:]:
        total = csr_array(total + layer)
    total.data /= total.dtype.type(len(layers))
    total.eliminate_zeros()
    total.sort_indices()
    return total
