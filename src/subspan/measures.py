"""A fitted estimator in numbers: what its coefficients and its graph say about known classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.base import SubspaceMethod
from subspan.embedding import spectral_embedding
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Factors
from subspan.metrics import connectivity, subspace_preserving_error

# Leading eigenvalues that are kept of every graph.
N_EIGENVALUES = 15


def graph_measures(model: SubspaceMethod, y: NDArray[np.int64]) -> dict[str, Any]:
    """What the coefficients and the graph say; without measures of a graph that is never formed."""
    if isinstance(model.affinity_, Factors):
        return {"sre": None, "connectivity": None, "eigenvalues": model.eigenvalues_.tolist()}
    # Small dense problems: threads of BLAS would only wait for each other.
    with single_threaded_libraries():
        within = connectivity(model.affinity_, y)
    return {
        "sre": subspace_preserving_error(model.representation_, y),
        "connectivity": {
            "min": within.minimum,
            "mean": within.mean,
            "per_class": within.per_class.tolist(),
        },
        "eigenvalues": leading_eigenvalues(model),
    }


def support_size(coefficients: csr_array | Factors | None) -> float | None:
    """Mean number of coefficients of a point; None if points are not represented."""
    if coefficients is None:
        return None
    n_points = coefficients.shape[0]
    return n_points - 1 if isinstance(coefficients, Factors) else coefficients.nnz / n_points


def leading_eigenvalues(model: SubspaceMethod) -> list[float]:
    """Largest eigenvalues of the normalised affinity, largest first.

    The fit needs only as many as there are clusters, and leaves out small components in excess of them: here
    they take part, each with its eigenvalue 1.
    """
    n_values = min(N_EIGENVALUES, len(model.labels_) - 1)
    values = model.eigenvalues_
    if model.embedding_.shape[1] < n_values:
        with single_threaded_libraries():
            embedding = spectral_embedding(model.affinity_, n_values, n_components=n_values)
        values = embedding.eigenvalues
    return [float(value) for value in values[:n_values]]
