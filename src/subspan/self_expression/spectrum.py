"""Points in their principal axes: the singular value decomposition that closed forms start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.execution.threads import run_in_threads, single_threaded_libraries
from subspan.execution.tiles import gram_matrix, padded
from subspan.handover import InputError

Floats = NDArray[np.floating]

# Points rotated together.
ROWS_PER_TASK = 1024


@dataclass(frozen=True)
class PrincipalAxes:
    """X = scores @ axes.T with orthonormal axes and orthogonal columns of scores, the longest first.

    For X = U S V^T the scores are U S and the axes V, as many as X has rows or columns, whichever are fewer.
    """

    # (n_points, r) and (n_features, r), float64.
    scores: NDArray[np.float64]
    axes: NDArray[np.float64]
    # Squared singular values, the squared lengths of the columns of scores.
    squares: NDArray[np.float64]

    @property
    def values(self) -> NDArray[np.float64]:
        """Singular values, the largest first."""
        return np.sqrt(self.squares)


def principal_axes(points: Floats, threads: int = 1) -> PrincipalAxes:
    """Principal axes of the rows through the smaller of the two Gram matrices, in float64.

    With D features and n > D points everything but the scores stays in D x D. Squaring costs half of the
    digits: singular values below 1e-8 of the largest are noise.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        Points in rows. They are not centred.
    threads : int
        Threads; the result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> spectrum = principal_axes(np.array([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]]))
    >>> spectrum.values.tolist()
    [4.0, 3.0]
    """
    n_points, n_features = points.shape
    if np.abs(points).max() > np.sqrt(np.finfo(np.float64).max / points.size):
        raise InputError(
            "X: its rows are too long for sums of their squares; use {normalize}.", normalize=True
        )
    if n_points > n_features:
        squares, axes = _spectrum(points.T, threads)
        return PrincipalAxes(_rotated(points, axes, threads), axes, squares)
    squares, left = _spectrum(points, threads)
    values = np.sqrt(squares)
    axes = _rotated(points.T, left, threads) / np.where(values == 0, 1, values)
    return PrincipalAxes(left * values, axes, squares)


def _spectrum(vectors: Floats, threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues and eigenvectors of the Gram matrix of a few vectors, the largest first."""
    size = len(vectors)
    gram = gram_matrix(padded(vectors.astype(np.float64)), threads)[:size, :size]
    with single_threaded_libraries():
        squares, left = eigh(gram)
    # Rounding may push a zero below zero.
    return np.maximum(squares[::-1], 0.0), np.ascontiguousarray(left[:, ::-1])


def _rotated(rows: Floats, axes: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
    """Rows times axes, in float64, on a fixed grid of rows."""
    out = np.empty((len(rows), axes.shape[1]))

    def fill(start: int) -> None:
        stop = start + ROWS_PER_TASK
        np.matmul(rows[start:stop].astype(np.float64), axes, out=out[start:stop])

    for _ in run_in_threads(fill, range(0, len(rows), ROWS_PER_TASK), threads, "blocks of rows"):
        pass
    return out
