"""Settings of one method compared without labels: how far each agrees with the consensus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from subspan.base import SubspaceMethod
from subspan.execution.steps import track
from subspan.handover import InputError
from subspan.tuning.front_door import SubspaceClustering


@dataclass(frozen=True)
class Consensus:
    """Labels that `SubspaceClustering` gives to some data, as a scorer in the manner of scikit-learn.

    A fitted estimator, or a pipeline that ends with one, is scored by the adjusted Rand index of its labels
    with these, over the rows that it gave a label. It must have been fitted to the same rows, so
    `GridSearchCV` needs one split that leaves nothing out: ``cv=[(np.arange(len(X)), np.arange(len(X)))]``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from subspan import LSR
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.tuning import Consensus
    >>> X, _ = make_union_of_subspaces(3, 2, 20, 20, random_state=0)
    >>> everything = np.arange(len(X))
    >>> scorer = Consensus.of(X, 3, random_state=0)
    >>> grid = {"regularization": [0.01, 0.1], "n_neighbors": [6]}
    >>> found = GridSearchCV(LSR(3, random_state=0), grid, scoring=scorer, cv=[(everything, everything)])
    >>> float(found.fit(X).best_score_)
    1.0
    """

    labels: NDArray[np.int64]

    @classmethod
    def of(cls, X: ArrayLike, n_clusters: int, *, random_state: Any = None) -> Consensus:
        """The consensus about the rows of `X`."""
        return cls(SubspaceClustering(n_clusters, random_state=random_state).fit(X).labels_)

    def __call__(self, estimator: Any, X: object = None, y: object = None) -> float:
        """Agreement of a fitted estimator; 1 means the same clusters."""
        last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
        labels = last.labels_
        if len(labels) != len(self.labels):
            raise InputError(
                f"The estimator has labels of {len(labels)} rows, the consensus of {len(self.labels)}: "
                "they must be fitted to the same rows."
            )
        known = (labels >= 0) & (self.labels >= 0)
        return float(adjusted_rand_score(self.labels[known], labels[known]))


def search(
    X: ArrayLike, estimator: SubspaceMethod, grid: Mapping[str, Sequence[Any]]
) -> list[dict[str, Any]]:
    """Fit a method under every setting of a grid, and compare without labels.

    No score is the truth: a setting may be better than the consensus.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    estimator : estimator of this package
        With the number of clusters and all that the grid leaves alone. It is not changed.
    grid : dict
        Values to try, by name of the parameter.

    Returns
    -------
    list of dict
        A row for each setting, best first: its parameters, the `agreement` with the consensus, the `gap` of
        its spectrum behind as many eigenvalues as clusters (nan where it is not in sight), and the rows that
        were `left_out`, fewer of which come first where settings agree equally.

    Examples
    --------
    >>> from subspan import LSR
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.tuning import search
    >>> X, _ = make_union_of_subspaces(3, 2, 20, 20, random_state=0)
    >>> rows = search(X, LSR(3, random_state=0), {"n_neighbors": [6, 8]})
    >>> [(row["n_neighbors"], row["agreement"]) for row in rows]
    [(6, 1.0), (8, 1.0)]
    """
    consensus = Consensus.of(X, estimator.n_clusters, random_state=estimator.random_state)
    rows = []
    for settings in track("settings", list(ParameterGrid(grid))):
        model = clone(estimator).set_params(**settings).fit(X)
        scores = {"agreement": consensus(model), "gap": _gap(model), "left_out": model.counts_["left_out"]}
        rows.append({**settings, **scores})
    return sorted(rows, key=lambda row: (-row["agreement"], row["left_out"]))


def _gap(model: SubspaceMethod) -> float:
    values, n_clusters = model.eigenvalues_, model.n_clusters_
    return float(values[n_clusters - 1] - values[n_clusters]) if len(values) > n_clusters else float("nan")
