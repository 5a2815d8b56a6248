"""S3COMP and S3COMP-C: stochastic sparse subspace clustering by orthogonal matching pursuit."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import clone

from subspan.base import StageClock
from subspan.execution.steps import stage
from subspan.handover import InputError
from subspan.methods.declarations import S3COMPCParameters, S3COMPParameters
from subspan.methods.documentation import documented
from subspan.methods.in_blocks import BlockClusterer
from subspan.parameters import check_parameters
from subspan.self_expression.consensus import ConsensusSettings


@documented
class S3COMP(S3COMPParameters, BlockClusterer):
    """Every point is represented by other points out of random parts of the data, time after time [1]_.

    There are `n_subproblems` such parts, and from each of them at most `n_nonzero` points are taken. The
    average of the solutions is sparse, yet dense enough to hold clusters together.

    {parameters}

    {block_attributes}

    References
    ----------
    .. [1] Ying Chen, Chun-Guang Li, Chong You. Stochastic Sparse Subspace Clustering. CVPR 2020.

    Examples
    --------
    >>> from subspan import S3COMP
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = S3COMP(n_clusters=4, n_nonzero=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        settings = ConsensusSettings(
            # Without damping more atoms than dimensions are dependent.
            n_nonzero=min(self.n_nonzero, n_features) if self.damping == 0 else self.n_nonzero,
            damping=float(self.damping),
            residual_tol=float(self.residual_tol),
            # Points with a constant have many lengths, and psi would pick the longest.
            selection="greedy" if self.affine else self.selection,
            candidates=self.candidates,
            average=self.average,
            **self._rounds,
        )
        everything = self.dropout == 0 and self.dictionary_size is None
        drawing = {
            # Without dropout all sub-problems are the same one.
            "n_subproblems": 1 if everything else self.n_subproblems,
            "n_nonzero": settings.n_nonzero,
            "dropout": self.dropout,
            "size": self.dictionary_size,
            "cover": self.cover,
            "seed": seed,
        }
        return settings, drawing

    @property
    def _rounds(self) -> dict[str, Any]:
        """Outer iterations, and when a point rests."""
        return {"max_iter": 1, "tol": 0.0}


@documented
class S3COMPC(S3COMPCParameters, S3COMP):
    """The sub-problems of S3COMP are solved again and again, each pulled towards the average of all [1]_.

    A point is done when its average comes to rest.

    {parameters}

    {block_attributes}

    References
    ----------
    .. [1] Ying Chen, Chun-Guang Li, Chong You. Stochastic Sparse Subspace Clustering. CVPR 2020,
       Algorithm 2.

    Examples
    --------
    >>> from subspan import S3COMPC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.metrics import clustering_accuracy
    >>> X, y = make_union_of_subspaces(4, 3, 30, 100, random_state=0)
    >>> model = S3COMPC(n_clusters=4, n_nonzero=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_)
    1.0
    """

    def course(self, X: ArrayLike) -> Iterator[Self]:
        """Cluster the rows of `X` after each outer iteration; the iterations are gone through once.

        The coefficients of all of them are kept in memory until the last copy is made.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source
            The points.

        Yields
        ------
        S3COMPC
            Copies with ``max_iter`` = 1, 2, ..., each what `fit` makes of it. Only the time of the
            representation, in ``stage_seconds_``, is that of all iterations.

        Examples
        --------
        >>> from subspan import S3COMPC
        >>> from subspan.datasets import make_union_of_subspaces
        >>> X, y = make_union_of_subspaces(3, 3, 30, 50, noise=0.3, random_state=0)
        >>> [model.n_iter_ for model in S3COMPC(n_clusters=3, max_iter=3, random_state=0).course(X)]
        [1, 2, 3]
        """
        check_parameters(self)
        if self.affinity != "self_expressive":
            raise InputError("{affinity}: a course has to compute its coefficients.", affinity=self.affinity)
        if self.work_dir is not None:
            raise InputError("{work_dir}: a course keeps its coefficients in memory.", work_dir=self.work_dir)
        guide = clone(self)
        clock = StageClock()
        with guide._shown():
            with stage("reading"):
                source, settled = guide._open(X, guide._workplace())
                points = guide._read(source, settled)
            with clock.timed("representation"):
                course = guide._follow(points.source, settled)
        for max_iter, representation in enumerate(course, start=1):
            model = copy(guide).set_params(max_iter=max_iter)
            with model._shown():
                model._cluster(representation.for_rows(points), points, settled, copy(clock))
            model._warn()
            yield model

    @property
    def _rounds(self) -> dict[str, Any]:
        return {"max_iter": self.max_iter, "tol": float(self.tol)}
