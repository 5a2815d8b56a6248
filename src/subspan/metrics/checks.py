"""What all metrics ask of their input: labels of any type, and a matrix with a row for each of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from subspan.handover import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def number_classes(name: str, labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct labels and, for every point, the position of its label among them."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {values.shape}.")
    if values.size == 0:
        raise InputError(f"{name} is empty.")
    _refuse_missing(name, values)
    if values.dtype == object:
        return _number_objects(values)
    classes, numbers = np.unique(values, return_inverse=True)
    return classes, numbers


def is_cluster(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which labels name a cluster: all but -1, which means "in no cluster"."""
    # Compared one by one: an array of strings has no meaningful comparison with a number.
    return np.array([label != -1 for label in labels.tolist()])


def _refuse_missing(name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind not in "fO":
        return
    missing = [_is_missing(value) for value in values.tolist()]
    if any(missing):
        first = missing.index(True)
        raise InputError(f"{name}: {sum(missing)} labels are missing, the first at row {first}.")


def _is_missing(value: Any) -> bool:
    # None by definition, NaN because it differs from itself, pandas.NA because it won't say whether it does.
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _number_objects(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Number Python objects, which may be of several types: sorted if they can be, else as they come."""
    distinct = list(dict.fromkeys(values.tolist()))
    with suppress(TypeError):
        distinct.sort()
    position = {label: number for number, label in enumerate(distinct)}
    classes = np.empty(len(distinct), dtype=object)
    classes[:] = distinct
    return classes, np.array([position[label] for label in values.tolist()], dtype=np.intp)


def check_square(
    name: str, matrix: Any, n_points: int, labels: str = "labels_true"
) -> csr_array | NDArray[np.floating[Any]]:
    """Return the matrix as a real CSR or dense array with one finite row and column per point.

    Its points are those that the argument called `labels` has labels for.
    """
    # What a fit to many points leaves on disk or has not formed comes as a sparse matrix when it is asked to.
    matrix = matrix.tocsr() if hasattr(matrix, "tocsr") else matrix
    checked = _summed(csr_array(matrix)) if issparse(matrix) else np.asarray(matrix)
    if checked.ndim != 2 or checked.shape[0] != checked.shape[1]:
        raise InputError(f"{name} must be a square matrix, got shape {checked.shape}.")
    if checked.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got dtype {checked.dtype}.")
    if checked.shape[0] != n_points:
        raise InputError(f"{name} has {checked.shape[0]} rows, but {labels} has {n_points} labels.")
    # The extremes show NaN and infinity without a second array of the size of the matrix.
    values = stored_values(checked)
    if values.size and not np.isfinite([values.min(), values.max()]).all():
        row, column = first_entry(checked, lambda part: ~np.isfinite(part))
        raise InputError(f"{name} holds NaN or infinity, first at row {row}, column {column}.")
    return checked


def _summed(matrix: csr_array) -> csr_array:
    """Return the matrix with every entry stored once; the caller's own stays as it is."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def stored_values(matrix: Any) -> NDArray[Any]:
    """Return the entries that can differ from zero: those of a sparse matrix, or all of a dense one."""
    return np.asarray(matrix.data if issparse(matrix) else matrix)


def first_entry(matrix: Any, is_wrong: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> tuple[int, int]:
    """Return the row and column of the first entry, row by row, for which `is_wrong` holds."""
    for row in range(matrix.shape[0]):
        line = matrix[[row], :]
        wrong = np.flatnonzero(is_wrong(stored_values(line)))
        if wrong.size:
            return row, int(line.indices[wrong[0]] if issparse(line) else wrong[0])
    raise ValueError("no such entry")
