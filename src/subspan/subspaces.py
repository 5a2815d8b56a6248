"""The subspace of a cluster: mean, orthonormal basis, singular values, and the distance of points to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, eigvalsh

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subspace:
    """A linear subspace or, with a mean, an affine one."""

    # (n_features, dim): orthonormal columns, those along which the points spread most come first.
    basis: Doubles
    # Singular values of the points along these columns.
    singular_values: Doubles
    mean: Doubles | None = None

    def residuals(self, points: Doubles) -> Doubles:
        """What is left of each point after projection; the length of a row is the point's distance."""
        centred = points if self.mean is None else points - self.mean
        return np.asarray(centred - (centred @ self.basis) @ self.basis.T)


class Spread:
    """How the points of a cluster spread around the origin or, if affine, around their mean.

    All numbers come from the smaller of the two Gram matrices. Squaring costs half of the digits: singular
    values below 1e-8 of the largest are noise.

    Examples
    --------
    >>> spread = Spread(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), affine=True)
    >>> spread.squared_singular_values().tolist(), spread.squared_distance(1)
    ([2.0, 0.0], 0.0)
    >>> line = spread.subspace(1)
    >>> line.mean.tolist(), np.abs(line.basis).tolist()
    ([1.0, 5.0], [[1.0], [0.0]])
    >>> line.residuals(np.array([[9.0, 7.0]])).tolist()
    [[0.0, 2.0]]
    """

    def __init__(self, points: Doubles, *, affine: bool = False) -> None:
        self.mean: Doubles | None = points.mean(axis=0) if affine else None
        self._points = points if self.mean is None else points - self.mean
        self._few_points = len(points) < points.shape[1]
        self._gram = self._points @ self._points.T if self._few_points else self._points.T @ self._points

    def squared_singular_values(self) -> Doubles:
        """All of them, the largest first."""
        return np.maximum(np.linalg.eigvalsh(self._gram)[::-1], 0.0)

    def squared_distance(self, dim: int) -> float:
        """Sum of squared distances to the best subspace of this dimension."""
        size = len(self._gram)
        if size <= dim:
            return 0.0
        largest = eigvalsh(self._gram, subset_by_index=(size - dim, size - 1))
        return max(float(np.trace(self._gram) - largest.sum()), 0.0)

    def subspace(self, dim: int) -> Subspace:
        """The best subspace of this dimension, or of the rank of the points if that is smaller."""
        size = len(self._gram)
        squares, vectors = eigh(self._gram, subset_by_index=(max(size - dim, 0), size - 1))
        squares, vectors = squares[::-1], vectors[:, ::-1]
        kept = squares > size * np.finfo(np.float64).eps * np.trace(self._gram)
        basis = vectors[:, kept]
        if self._few_points:
            # Images of orthonormal vectors are orthogonal up to rounding only.
            basis, _ = np.linalg.qr(self._points.T @ basis)
        return Subspace(np.ascontiguousarray(basis), np.sqrt(squares[kept]), self.mean)
