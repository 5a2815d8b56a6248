"""SR-SSC: scalable and robust sparse subspace clustering by several sets of anchor points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array

from subspan.affinity import symmetric_affinity
from subspan.base import Points, SubspaceClusterer
from subspan.embedding.layers import merged_embedding
from subspan.execution.steps import track
from subspan.execution.threads import n_threads
from subspan.handover import Embedding, InputError, Representation
from subspan.methods.documentation import documented
from subspan.parameters import at_least, positive_integer
from subspan.self_expression.anchors import anchor_codes, sample_anchors
from subspan.sources import Source

# Anchors in a set unless the user says otherwise, if there are twice as many points.
DEFAULT_ANCHORS = 500


@dataclass(frozen=True)
class LayeredRepresentation(Representation):
    """The coefficients of every layer besides their mean."""

    layers: tuple[csr_array, ...] = ()
    anchors: tuple[np.ndarray, ...] = ()


@documented
class SRSSC(SubspaceClusterer):
    """Scalable and robust sparse subspace clustering (SR-SSC).

    Several sets of anchor points are drawn by a randomised hierarchical clustering [1]_. Over each set every
    point is represented by the lasso, which gives one graph; the graphs are layers of one embedding, merged
    on the Grassmann manifold [2]_.

    Parameters
    ----------
    {n_clusters}
    n_layers : int, default=5
        Sets of anchors, each with a graph of its own.
    n_anchors : int or None, default=None
        Anchors in a set. None means 500, or half the number of distinct rows if that is less.
    regularization : float, default=20
        Weight of the residual in the lasso, above 1. The penalty of a point's coefficients is its largest
        inner product with an anchor divided by this: at 1 no coefficient would be left.
    alpha : float, default=0.5
        Weight of the distance between the subspaces of the layers against the smoothness on each graph.
    {stages}

    Attributes
    ----------
    layers_ : list of csr_array of shape (n_samples, n_samples)
        Coefficients of each layer; only the columns of its anchors are filled.
    anchors_ : list of ndarray
        Rows of `X` that are the anchors of each layer.
    {attributes}

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "n_layers": [positive_integer()],
        "n_anchors": [positive_integer(), None],
        "regularization": [at_least(1)],
        "alpha": [at_least(0)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_layers: int = 5,
        n_anchors: int | None = None,
        regularization: float = 20.0,
        alpha: float = 0.5,
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
        self.n_layers = n_layers
        self.n_anchors = n_anchors
        self.regularization = regularization
        self.alpha = alpha

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> LayeredRepresentation:
        rows = points.rows(0, points.shape[0])
        threads = n_threads(self.n_jobs)
        n_anchors = self.n_anchors or min(DEFAULT_ANCHORS, -(-len(rows) // 2))
        anchors = sample_anchors(rows, n_anchors, self.n_layers, seed=seed, threads=threads)
        layers = tuple(
            anchor_codes(rows, kept, regularization=self.regularization, threads=threads)
            for kept in track("layers", anchors)
        )
        mean = _mean(layers)
        empty = int((np.diff(mean.indptr) == 0).sum())
        counts = {"empty_representations": empty}
        return LayeredRepresentation(mean, 1, (1.0,), counts, layers, tuple(anchors))

    def _keep_representation(self, representation: Representation, points: Points) -> None:
        super()._keep_representation(representation, points)
        assert isinstance(representation, LayeredRepresentation)
        self.layers_ = [csr_array(points.expand(layer)) for layer in representation.layers]
        self.anchors_ = [points.row_of_point[anchors] for anchors in representation.anchors]

    def _embedding(self, seed: int) -> Embedding:
        if self.affinity != "self_expressive":
            return super()._embedding(seed)
        if all(layer.nnz == 0 for layer in self.layers_):
            raise InputError("The affinity is all zero: no point is represented by any other.")
        return merged_embedding(
            [symmetric_affinity(layer, self.scale) for layer in self.layers_],
            self.n_clusters,
            alpha=self.alpha,
            n_components=self.n_components,
            seed=seed,
            n_threads=n_threads(self.n_jobs),
        )


def _mean(layers: tuple[csr_array, ...]) -> csr_array:
    """Mean of the coefficients, in their type."""
    total = layers[0].copy()
    for layer in layers[1:]:
        total = csr_array(total + layer)
    total.data /= total.dtype.type(len(layers))
    total.eliminate_zeros()
    total.sort_indices()
    return total
