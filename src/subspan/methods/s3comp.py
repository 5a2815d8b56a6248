"""S3COMP and S3COMP-C: stochastic sparse subspace clustering by orthogonal matching pursuit."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from subspan.execution.steps import stage
from subspan.handover import InputError
from subspan.methods.documentation import documented
from subspan.methods.in_blocks import BlockClusterer
from subspan.parameters import at_least, between, check_parameters, one_of, positive_integer
from subspan.self_expression.consensus import ConsensusSettings


@documented
class S3COMP(BlockClusterer):
    """Stochastic sparse subspace clustering, one pass over the sub-problems (S3COMP, S3COMP*).

    Every point is represented `n_subproblems` times, each time by at most `n_nonzero` others out of a
    random part of the data; the average of these solutions is sparse, yet dense enough to hold
    clusters together [1]_.

    Parameters
    ----------
    {n_clusters}
    n_nonzero : int, default=5
        Atoms per pursuit (s): about the dimension of the subspaces.
    n_subproblems : int, default=15
        Random sub-dictionaries (T).
    dropout : float in [0, 1), default=0.5
        Probability that a point is left out of a sub-dictionary (delta). Larger data allow more.
    dictionary_size : int or None, default=None
        Keep exactly this many points in each sub-dictionary instead; the cost is then linear in the
        number of points.
    damping : float, default=0.5
        Weight lambda of the pull towards the consensus; in the first pass, of the squared norm of the
        coefficients.
    {pursuit}
    selection : {"psi", "greedy"}, default="psi"
        Atom picked next: the paper's psi, or the one that lowers the objective most. They differ once
        there is a consensus, and where rows do not have unit norm.
    candidates : {"preserved", "all"}, default="preserved"
        Pick only atoms that the sub-dictionary kept, or dropped ones too, at the value of the
        consensus (appendix of the paper).
    average : {"all", "chosen"}, default="all"
        Divide the sum of the solutions by T, or entry by entry by the number of sub-problems that
        chose the atom (S3COMP*).
    cover : bool, default=False
        Add one more sub-dictionary with all points that none of the others kept.
    {block_stages}

    Attributes
    ----------
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BlockClusterer._parameter_constraints,
        "n_nonzero": [positive_integer()],
        "n_subproblems": [positive_integer()],
        "dropout": [between(0, 1)],
        "dictionary_size": [positive_integer(), None],
        "damping": [at_least(0)],
        "residual_tol": [at_least(0)],
        "selection": [one_of("psi", "greedy")],
        "candidates": [one_of("preserved", "all")],
        "average": [one_of("all", "chosen")],
        "cover": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_nonzero: int = 5,
        n_subproblems: int = 15,
        dropout: float = 0.5,
        dictionary_size: int | None = None,
        damping: float = 0.5,
        residual_tol: float = 1e-3,
        selection: Literal["psi", "greedy"] = "psi",
        candidates: Literal["preserved", "all"] = "preserved",
        average: Literal["all", "chosen"] = "all",
        cover: bool = False,
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
        self.n_subproblems = n_subproblems
        self.dropout = dropout
        self.dictionary_size = dictionary_size
        self.damping = damping
        self.residual_tol = residual_tol
        self.selection = selection
        self.candidates = candidates
        self.average = average
        self.cover = cover
        self.work_dir = work_dir

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        settings = ConsensusSettings(
            # Without damping more atoms than dimensions are dependent.
            n_nonzero=min(self.n_nonzero, n_features) if self.damping == 0 else self.n_nonzero,
            damping=self.damping,
            residual_tol=self.residual_tol,
            selection=self.selection,
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
class S3COMPC(S3COMP):
    """Stochastic sparse subspace clustering with consensus (S3COMP-C).

    The sub-problems of S3COMP are solved again and again, each pulled towards the average of all, until
    the average of a point comes to rest [1]_.

    Parameters
    ----------
    {n_clusters}
    n_nonzero : int, default=5
        Atoms per pursuit (s): about the dimension of the subspaces.
    n_subproblems : int, default=15
        Random sub-dictionaries (T).
    dropout : float in [0, 1), default=0.5
        Probability that a point is left out of a sub-dictionary (delta). Larger data allow more.
    dictionary_size : int or None, default=None
        Keep exactly this many points in each sub-dictionary instead; the cost is then linear in the
        number of points.
    damping : float, default=0.5
        Weight lambda of the pull towards the consensus.
    max_iter : int, default=5
        Outer iterations; the paper finds 3 to 5 enough on real data.
    tol : float, default=1e-3
        A point rests once its coefficients change by no more than this, relative to their norm.
    {pursuit}
    selection : {"psi", "greedy"}, default="psi"
        Atom picked next: the paper's psi, or the one that lowers the objective most.
    candidates : {"preserved", "all"}, default="preserved"
        Pick only atoms that the sub-dictionary kept, or dropped ones too, at the value of the
        consensus (appendix of the paper).
    average : {"all", "chosen"}, default="all"
        Divide the sum of the solutions by T, or entry by entry by the number of sub-problems that
        chose the atom.
    cover : bool, default=False
        Add one more sub-dictionary with all points that none of the others kept.
    {block_stages}

    Attributes
    ----------
    {block_attributes}

    References
    ----------
    .. [1] Ying Chen, Chun-Guang Li, Chong You. Stochastic Sparse Subspace Clustering. CVPR 2020.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **S3COMP._parameter_constraints,
        "max_iter": [positive_integer()],
        "tol": [at_least(0)],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_nonzero: int = 5,
        n_subproblems: int = 15,
        dropout: float = 0.5,
        dictionary_size: int | None = None,
        damping: float = 0.5,
        max_iter: int = 5,
        tol: float = 1e-3,
        residual_tol: float = 1e-3,
        selection: Literal["psi", "greedy"] = "psi",
        candidates: Literal["preserved", "all"] = "preserved",
        average: Literal["all", "chosen"] = "all",
        cover: bool = False,
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
            n_nonzero=n_nonzero,
            n_subproblems=n_subproblems,
            dropout=dropout,
            dictionary_size=dictionary_size,
            damping=damping,
            residual_tol=residual_tol,
            selection=selection,
            candidates=candidates,
            average=average,
            cover=cover,
            work_dir=work_dir,
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
        self.max_iter = max_iter
        self.tol = tol

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
            raise InputError(f"affinity={self.affinity!r}: a course has to compute its coefficients.")
        if self.work_dir is not None:
            raise InputError(f"work_dir={str(self.work_dir)!r}: a course keeps its coefficients in memory.")
        guide = clone(self)
        with guide._shown():
            seed = guide._begin()
            with stage("reading"):
                points = guide._greet(X)
            with guide._timed("representation"):
                course = guide._follow(points.source, self.normalize, seed)
        for max_iter, representation in enumerate(course, start=1):
            model = copy(guide).set_params(max_iter=max_iter)
            model.counts_, model.stage_seconds_ = dict(guide.counts_), dict(guide.stage_seconds_)
            with model._shown():
                model._keep_representation(representation, points)
                model._cut(X, points, seed)
            model._warn()
            yield model

    @property
    def _rounds(self) -> dict[str, Any]:
        return {"max_iter": self.max_iter, "tol": self.tol}
