"""What a plot needs of a fitted estimator, or one sentence on why this estimator does not have it.

Scikit-learn is imported in the function: whoever has a fitted estimator has it already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import Factors, InputError
from subspan.plotting.numbers.graph import Affinity

if TYPE_CHECKING:
    from subspan.tuning import NumberOfClusters


def labels_of(estimator: Any) -> NDArray[np.int64]:
    """Cluster of every row."""
    labels: NDArray[np.int64] = _attribute(estimator, "labels_")
    return labels


def eigenvalues_of(estimator: Any) -> NDArray[np.float64]:
    """Eigenvalues of the graph, unless none was cut."""
    eigenvalues: NDArray[np.float64] = _attribute(estimator, "eigenvalues_")
    if len(eigenvalues) == 0:
        raise InputError(_no_graph(estimator))
    return eigenvalues


def affinity_of(estimator: Any) -> Affinity:
    """The graph that was cut, unless none was."""
    affinity = _attribute(estimator, "affinity_")
    if getattr(affinity, "nnz", 1) == 0:
        raise InputError(_no_graph(estimator))
    return affinity


def closeness_of(estimator: Any) -> Affinity:
    """The graph or, where none was cut, inner products of the embedding."""
    affinity = _attribute(estimator, "affinity_")
    if getattr(affinity, "nnz", 1) > 0:
        return affinity
    vectors = _attribute(estimator, "embedding_")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, 1.0)
    return Factors(unit, unit, np.arange(len(unit)))


def embedding_of(estimator: Any) -> NDArray[np.float64]:
    """Points in the space of the leading eigenvectors."""
    embedding: NDArray[np.float64] = _attribute(estimator, "embedding_")
    return embedding


def coefficients_of(estimator: Any) -> Any:
    """Coefficients of every point, sparse or as factors."""
    labels_of(estimator)
    if hasattr(estimator, "representation_"):
        return estimator.representation_
    name = type(estimator).__name__
    if estimator.affinity == "precomputed":
        raise InputError(
            f"{name}: affinity='precomputed', so a graph was handed in and no coefficients are known."
        )
    raise InputError(f"{name}: finds its graph without coefficients, so there are none to look at.")


def sparse_coefficients_of(estimator: Any) -> Any:
    """Coefficients of every point, if most of them are zero."""
    coefficients = coefficients_of(estimator)
    if isinstance(coefficients, Factors):
        name = type(estimator).__name__
        raise InputError(f"{name}: has dense coefficients, so every point is represented by all others.")
    return coefficients


def changes_of(estimator: Any) -> tuple[float, ...]:
    """Changes of the coefficients, if they were iterated."""
    coefficients_of(estimator)
    name = type(estimator).__name__
    if not hasattr(estimator, "changes_"):
        raise InputError(f"{name}: its coefficients were handed in, so nothing converged.")
    changes: tuple[float, ...] = estimator.changes_
    if len(changes) < 2:
        raise InputError(f"{name}: found its coefficients in one pass, so nothing converged.")
    return changes


def numbers_tried(estimator: Any) -> NumberOfClusters:
    """The numbers of clusters that were tried, if the number was to be found."""
    labels_of(estimator)
    found: NumberOfClusters | None = getattr(estimator, "n_clusters_tried_", None)
    if found is None:
        raise InputError(f"{type(estimator).__name__}: was told the number of clusters, so it tried none.")
    return found


def _attribute(estimator: Any, name: str) -> Any:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator, name)
    return getattr(estimator, name)


def _no_graph(estimator: Any) -> str:
    return f"{type(estimator).__name__}: clustering='codes' cuts no graph, so there is none to look at."
