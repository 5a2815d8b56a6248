"""Principal components of tables that need not fit in memory twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from subspan.execution.progress import progress_bar
from subspan.execution.threads import n_threads, run_in_threads, single_threaded_libraries
from subspan.handover import InputError
from subspan.sources.checks import check_finite

Doubles = NDArray[np.float64]
FloatTable = NDArray[np.floating]

# Rows converted to double precision at a time, and columns of the scatter matrix that make one task.
ROWS = 1024
COLUMNS = 512


def pca(
    X: ArrayLike,
    n_components: int = 500,
    *,
    center: bool = True,
    n_jobs: int | None = None,
    progress: bool = False,
) -> FloatTable:
    """Coordinates of the rows in the directions of their largest spread.

    The matrix of the products of columns is summed up in double precision over blocks of rows, so that a
    memory-mapped table is never held in memory as a whole.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        One point per row.
    n_components : int
        Number of directions, at most the smaller side of `X`.
    center : bool
        Subtract the mean row first. Without it the directions are the leading eigenvectors of X'X, which
        keeps subspaces through the origin where they are.
    n_jobs : int, optional
        Threads; every core by default. The result does not depend on it.
    progress : bool
        Show progress on stderr.

    Returns
    -------
    array of shape (n_rows, n_components)
        float32 for float32 input, else float64. Each direction points to where its entry of largest
        magnitude is positive.

    Examples
    --------
    >>> import numpy as np
    >>> pca(np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0]]), 1).tolist()
    [[-2.0], [0.0], [2.0]]
    """
    table = _check_table(X, n_components)
    threads = n_threads(n_jobs)
    mean = _mean(table) if center else np.zeros(table.shape[1])
    with progress_bar("Principal components", 2 * len(table), show=progress) as advance:
        scatter = np.zeros((table.shape[1], table.shape[1]))
        for start in range(0, len(table), ROWS):
            _add_products(scatter, table[start : start + ROWS] - mean, threads)
            advance(len(table[start : start + ROWS]))
        axes = _leading_axes(scatter, n_components)
        out = np.empty((len(table), n_components), table.dtype)

        def project(start: int) -> int:
            rows = table[start : start + ROWS] - mean
            out[start : start + ROWS] = rows @ axes
            return len(rows)

        for n_rows in run_in_threads(project, range(0, len(table), ROWS), threads):
            advance(n_rows)
    return out


def _check_table(X: ArrayLike, n_components: int) -> FloatTable:
    table: FloatTable = np.asanyarray(X)
    if table.ndim != 2:
        raise InputError(f"X must have two axes (row, column), got shape {table.shape}.")
    if table.dtype.kind in "bui":
        table = table.astype(np.float64)
    if table.dtype not in (np.float32, np.float64):
        raise InputError(f"X must hold real numbers, got type {table.dtype}.")
    if not 1 <= n_components <= min(table.shape):
        raise InputError(
            f"n_components={n_components} must lie between 1 and {min(table.shape)}, the smaller side of X."
        )
    check_finite(table)
    return table


def _mean(table: FloatTable) -> Doubles:
    total = np.zeros(table.shape[1])
    for start in range(0, len(table), ROWS):
        total += table[start : start + ROWS].sum(axis=0, dtype=np.float64)
    return np.asarray(total / len(table))


def _add_products(scatter: Doubles, rows: Doubles, threads: int, *, columns: int = COLUMNS) -> None:
    """Add rows' rows to the upper triangle; every task has columns of its own to write to."""

    def add(left: int) -> None:
        scatter[left : left + columns, left:] += rows[:, left : left + columns].T @ rows[:, left:]

    for _ in run_in_threads(add, range(0, rows.shape[1], columns), threads):
        pass


def _leading_axes(scatter: Doubles, n_components: int) -> Doubles:
    """Eigenvectors of the largest eigenvalues in columns, largest first."""
    n_columns = len(scatter)
    with single_threaded_libraries():
        wanted = (n_columns - n_components, n_columns - 1)
        _, vectors = eigh(scatter, lower=False, subset_by_index=wanted, overwrite_a=True)
    vectors = np.ascontiguousarray(vectors[:, ::-1])
    largest = np.abs(vectors).argmax(axis=0)
    return np.asarray(vectors * np.sign(vectors[largest, np.arange(n_components)]))
