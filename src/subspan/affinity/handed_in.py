"""Checks of a graph or of coefficients that the user passes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, issparse, sparray, spmatrix

from subspan.affinity.symmetrize import row_of_entry, without_diagonal
from subspan.handover import InputError

# Largest difference of mirror entries, relative to the largest weight, that counts as rounding.
SYMMETRY_TOL = 1e-8


def check_graph(graph: ArrayLike | sparray | spmatrix, argument: str = "X") -> csr_array:
    """A user's affinity graph as the later stages need it.

    Parameters
    ----------
    graph : array or sparse matrix of shape (n, n)
        Finite, non-negative and symmetric up to rounding. The diagonal is dropped, rounding
        differences between mirror entries are averaged; float32 is kept, all else becomes float64.
    argument : str
        Name of the argument in the caller's signature, for messages.

    Raises
    ------
    InputError
        If the graph cannot be used; the message names the first offending entry.

    Examples
    --------
    >>> check_graph([[5, 1, 0], [1, 0, 2], [0, 2, 0]]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    >>> check_graph([[0, 1], [3, 0]])
    Traceback (most recent call last):
    ...
    subspan.handover.InputError: X: a graph must be symmetric, but entry (0, 1) is 1 and entry (1, 0) is 3
    """
    checked = _square_finite(graph, argument)
    _refuse_first(checked, checked.data < 0, f"{argument}: a graph must not be negative, but")
    edges = without_diagonal(checked)
    if edges.nnz == 0:
        raise InputError(f"{argument}: the graph has no edge between two points")
    return _symmetric(edges, argument)


def check_coefficients(coefficients: ArrayLike | sparray | spmatrix, argument: str = "X") -> csr_array:
    """A user's coefficients as the later stages need them: row j represents point j.

    Parameters
    ----------
    coefficients : array or sparse matrix of shape (n, n)
        Finite. The diagonal is dropped; float32 is kept, all else becomes float64.
    argument : str
        Name of the argument in the caller's signature, for messages.

    Raises
    ------
    InputError
        If the coefficients cannot be used; the message names the first offending entry.

    Examples
    --------
    >>> check_coefficients([[1.0, -2.0], [0.5, 1.0]]).toarray().tolist()
    [[0.0, -2.0], [0.5, 0.0]]
    """
    return without_diagonal(_square_finite(coefficients, argument))


def _square_finite(matrix: ArrayLike | sparray | spmatrix, argument: str) -> csr_array:
    given: Any = matrix if issparse(matrix) else np.asarray(matrix)
    undamaged(matrix, argument)
    if given.dtype.kind not in "fiub":
        raise InputError(f"{argument}: must hold real numbers, but has dtype {given.dtype}")
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.shape[0] == 0:
        raise InputError(f"{argument}: must be a square matrix, but has shape {given.shape}")
    precision = np.float32 if given.dtype == np.float32 else np.float64
    checked = csr_array(given, dtype=precision, copy=True)
    checked.sum_duplicates()
    _refuse_first(checked, ~np.isfinite(checked.data), f"{argument}: must be finite, but")
    return checked


def undamaged(matrix: Any, argument: str = "X") -> Any:
    """What was given, unless a sparse matrix has positions outside of it: compiled code would follow them.

    Examples
    --------
    >>> undamaged([[0.0, 1.0], [1.0, 0.0]])
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if not issparse(matrix):
        return matrix
    try:
        # SciPy looks no further where the last position says that there are no entries.
        if hasattr(matrix, "indptr") and (np.diff(matrix.indptr) < 0).any():
            raise ValueError("index pointer values must not fall")
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            # The constructor compares each position with the shape.
            coo_array((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
    except (ValueError, IndexError) as error:
        raise InputError(f"{argument}: the sparse matrix is damaged ({error})") from None
    return matrix


def _symmetric(edges: csr_array, argument: str) -> csr_array:
    """The graph with mirror entries averaged, if they agree up to rounding."""
    asymmetry = csr_array(edges - edges.T)
    asymmetry.sort_indices()
    off = np.flatnonzero(np.abs(asymmetry.data) > SYMMETRY_TOL * edges.data.max())
    if off.size:
        row, column = int(row_of_entry(asymmetry)[off[0]]), int(asymmetry.indices[off[0]])
        raise InputError(
            f"{argument}: a graph must be symmetric, but entry ({row}, {column}) is {edges[row, column]:.6g}"
            f" and entry ({column}, {row}) is {edges[column, row]:.6g}"
        )
    halves = edges * edges.dtype.type(0.5)
    averaged = csr_array(halves + halves.T)
    averaged.eliminate_zeros()
    averaged.sort_indices()
    return averaged


def _refuse_first(matrix: csr_array, offends: NDArray[np.bool_], sentence: str) -> None:
    """Refuse with the place and value of the first stored entry that offends, if any does."""
    if offends.any():
        entry = int(np.argmax(offends))
        row, column = int(row_of_entry(matrix)[entry]), int(matrix.indices[entry])
        raise InputError(f"{sentence} entry ({row}, {column}) is {matrix.data[entry]:.6g}")
