"""Connectivity: how well the affinity graph holds each true class together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, issparse, sparray, spmatrix
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from subspan.handover import InputError
from subspan.metrics.checks import check_square, first_entry, number_classes, stored_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Up to this many points a dense solver takes about a second and has nothing to converge.
DENSE_LIMIT = 1500
# Length of the Krylov basis, restarts before the dense solver takes over, accepted residual.
BASIS_SIZE = 48
MAX_RESTARTS = 400
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Connectivity:
    """Algebraic connectivity of every class."""

    # Distinct true labels, in the order of numpy.unique.
    classes: NDArray[Any]
    # Second smallest eigenvalue of each class's normalised Laplacian; 0 if the class falls apart.
    per_class: NDArray[np.float64]

    @property
    def minimum(self) -> float:
        """The weakest class: the paper's c."""
        return float(self.per_class.min())

    @property
    def mean(self) -> float:
        """Mean over the classes: the paper's c-bar."""
        return float(self.per_class.mean())


def connectivity(affinity: ArrayLike | sparray | spmatrix, labels_true: ArrayLike) -> Connectivity:
    """Algebraic connectivity of the affinity graph within every true class.

    For each class the edges between its own points are kept and the second smallest eigenvalue of their
    normalised Laplacian, I - D^(-1/2) W D^(-1/2), is computed. It is exactly 0 if the points of the
    class are not all connected, if one of them has no edge inside the class, and for a class of a single
    point; the largest possible value is m / (m - 1) for m points, reached by the complete graph.

    Parameters
    ----------
    affinity : sparse or dense matrix of shape (n_points, n_points)
        Symmetric, without negative entries. The diagonal counts as loops, a common factor is irrelevant.
    labels_true : array-like of shape (n_points,)
        True class of every point, of any type. Every label is a class: leave out outliers beforehand.

    Returns
    -------
    Connectivity
        With `classes`, `per_class`, `minimum` and `mean`.

    Raises
    ------
    InputError
        If the affinity is not square, real, finite, non-negative, symmetric and as long as the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.metrics import connectivity
    >>> result = connectivity(np.ones((4, 4)) - np.eye(4), ["a", "a", "b", "b"])
    >>> result.per_class
    array([2., 2.])
    >>> result.minimum
    2.0
    """
    names, classes = number_classes("labels_true", labels_true)
    matrix = check_square("affinity", affinity, classes.size)
    _refuse_negative(matrix)
    per_class = np.zeros(len(names))
    for number in range(len(names)):
        members = np.flatnonzero(classes == number)
        per_class[number] = _algebraic_connectivity(_subgraph(matrix, members))
    return Connectivity(names, per_class)


def _refuse_negative(matrix: Any) -> None:
    values = stored_values(matrix)
    if values.size and values.min() < 0:
        row, column = first_entry(matrix, lambda part: part < 0)
        raise InputError(f"affinity has a negative entry at row {row}, column {column}.")


def _subgraph(matrix: Any, members: NDArray[np.intp]) -> csr_array:
    """Cut out the edges between the members, and refuse them if the two directions differ."""
    block = matrix[members][:, members] if issparse(matrix) else matrix[np.ix_(members, members)]
    graph = csr_array(block, dtype=np.float64)
    graph.eliminate_zeros()
    difference = abs(graph - graph.T)
    if difference.nnz and difference.max() > 1e-6 * graph.max():
        row, column = (members[place] for place in np.unravel_index(difference.argmax(), graph.shape))
        raise InputError(
            f"affinity is not symmetric: rows {row} and {column} disagree about the edge between them."
        )
    return graph


def _algebraic_connectivity(
    graph: csr_array, *, dense_size: int = DENSE_LIMIT, max_restarts: int = MAX_RESTARTS
) -> float:
    degrees = graph.sum(axis=1)
    # Components first: where the answer is exactly 0, an eigensolver would return rounding noise.
    if graph.shape[0] == 1 or degrees.min() <= np.finfo(np.float64).eps * degrees.max():
        return 0.0
    if connected_components(graph, directed=False)[0] > 1:
        return 0.0
    scale = diags_array(1.0 / np.sqrt(degrees))
    top = np.sqrt(degrees / degrees.sum())
    matrix = csr_array(scale @ graph @ scale)
    return max(0.0, 1.0 - _second_largest(matrix, top, dense_size, max_restarts))


def _second_largest(matrix: csr_array, top: NDArray[np.float64], dense_size: int, max_restarts: int) -> float:
    """Second largest eigenvalue, with multiplicity, of a matrix whose first is 1 with vector `top`."""
    if matrix.shape[0] > dense_size:
        value, residual = _lanczos(matrix, top, max_restarts)
        if residual <= 100 * TOLERANCE:
            return value
    second = matrix.shape[0] - 2
    return float(eigh(matrix.toarray(), eigvals_only=True, subset_by_index=[second, second])[0])


def _lanczos(matrix: csr_array, top: NDArray[np.float64], max_restarts: int) -> tuple[float, float]:
    """Second largest eigenvalue and its residual; an infinite residual if there is no convergence."""

    def product(vector: NDArray[np.float64]) -> NDArray[np.float64]:
        # The known first pair is moved from 1 to -1, the lower end of the spectrum.
        flat = vector.ravel()
        return np.asarray(matrix @ flat - 2.0 * (top @ flat) * top)

    deflated = LinearOperator(matrix.shape, matvec=product, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(top.size)
    start -= (top @ start) * top
    try:
        values, vectors = eigsh(
            deflated, k=1, which="LA", v0=start, ncv=BASIS_SIZE, maxiter=max_restarts, tol=TOLERANCE
        )
    except ArpackNoConvergence:
        return 0.0, np.inf
    vector = vectors[:, 0]
    return float(values[0]), float(np.linalg.norm(product(vector) - values[0] * vector))
