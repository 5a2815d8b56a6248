"""LSR: subspace clustering by least squares regression."""

from __future__ import annotations

from subspan.affinity import DENSE
from subspan.base import Settled, SubspaceMethod
from subspan.handover import Representation
from subspan.methods.declarations import LSRParameters
from subspan.methods.documentation import documented
from subspan.methods.room import Own, check_fit, closed_form_bytes, dense_graph_bytes, tile_bytes
from subspan.model.coding import Coding, RidgeCoding
from subspan.self_expression.ridge import ridge_factors
from subspan.self_expression.thresholded_ridge import thresholded_ridge
from subspan.sources import Source

# Coefficients of a new row that count, unless `n_neighbors` says otherwise.
N_LARGEST = 8


@documented
class LSR(LSRParameters, SubspaceMethod):
    """Every point is represented by all others with the least squares of errors and coefficients [1]_.

    That has a closed form. It groups strongly correlated points together, but connects all clusters a little.

    {parameters}

    {attributes}

    Notes
    -----
    {dense_graph}

    With `n_neighbors` the rows of that product are made a block at a time, and only their largest entries are
    kept: `representation_` and `affinity_` are sparse, and the graph connects the clusters far less.

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

    def _coding(self, n_features: int) -> Coding:
        return RidgeCoding(float(self.regularization), self.n_neighbors or N_LARGEST)

    @property
    def _extends(self) -> bool:
        # Without it every point has a coefficient on every other, and a new row has only the largest ones.
        return self.n_neighbors is not None

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own:
        """Arrays that are its own, for so many points and features."""
        own = closed_form_bytes(*shape, itemsize)
        if self.n_neighbors is not None:
            return Own(own + tile_bytes(shape[0], itemsize, threads), "take fewer rows")
        return Own(own + dense_graph_bytes(shape[0], itemsize, threads), DENSE)

    def _represent(self, points: Source, settled: Settled) -> Representation:
        n_points = points.shape[0]
        check_fit(self, points, settled)
        if self.n_neighbors is not None:
            sparse = thresholded_ridge(
                points.rows(0, n_points),
                self.regularization,
                self.n_neighbors,
                zero_diagonal=self.zero_diagonal,
                threads=settled.threads,
            )
            return Representation(sparse, n_iter=1, changes=(1.0,))
        factors = ridge_factors(
            points.rows(0, n_points),
            self.regularization,
            zero_diagonal=self.zero_diagonal,
            threads=settled.threads,
        )
        return Representation(factors, n_iter=1, changes=(1.0,))
