"""Online low-rank representation: a basis learned from a stream of points, and their codes on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm

from subspan.execution.threads import run_in_threads, single_threaded_libraries
from subspan.kernels.online_low_rank import Basis, CodingScratch, learn_point, measure_losses

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

# Points coded together.
ROWS_PER_TASK = 512
# Code and errors of a point are found by turns: largest relative change, and most rounds, as published.
LIMITS = (1e-3, 1000)


@dataclass(frozen=True)
class OnlineWeights:
    """Weights of the problem; see `OnlineBasis`. None for the published values."""

    reconstruction: float = 1.0
    sparsity: float | None = None
    consistency: float | None = None

    def resolved(self, n_features: int) -> tuple[float, float, float]:
        """All three for points of `n_features` numbers.

        Examples
        --------
        >>> OnlineWeights().resolved(4)
        (1.0, 0.5, 0.5)
        """
        default = float(n_features) ** -0.5
        sparsity = default if self.sparsity is None else self.sparsity
        consistency = default if self.consistency is None else self.consistency
        return float(self.reconstruction), float(sparsity), float(consistency)


@dataclass
class OnlineBasis:
    """The basis D of a stream of points z_1, z_2, ... and the sums that are needed to continue it.

    Sought are D, coefficients U, codes V and gross errors E that make small

        lambda1/2 ||Z - D V^T - E||^2 + (||U||^2 + ||V||^2) / 2 + lambda2 ||E||_1 + lambda3/2 ||D - Z U||^2,

    points in columns: the points are combinations U V^T of points, up to gross errors. Each point is taken
    once in an epoch. lambda3 grows with the square root of the number of points seen.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).standard_normal((30, 2)) @ np.eye(2, 8)
    >>> stream = OnlineBasis.start(8, 3, OnlineWeights(), seed=0)
    >>> coefficients, codes = stream.learn(points)
    >>> coefficients.shape, codes.shape, stream.n_seen
    ((30, 3), (30, 3), 30)
    """

    state: Basis
    weights: tuple[float, float, float]
    # Points taken in all epochs, those of this epoch, and the sum of squares of their coefficients.
    n_taken: int = 0
    n_seen: int = 0
    coefficient_square: float = 0.0

    @classmethod
    def start(cls, n_features: int, n_basis: int, weights: OnlineWeights, seed: int) -> Self:
        """A random basis that has seen no point."""
        vectors = np.random.default_rng(seed).standard_normal((n_basis, n_features))
        wide = (n_basis, n_features)
        state = Basis(
            vectors,
            np.ascontiguousarray(vectors.T),
            memory=np.zeros(wide),
            code_products=np.zeros((n_basis, n_basis)),
            code_points=np.zeros(wide),
        )
        return cls(state, weights.resolved(n_features))

    @property
    def vectors(self) -> Doubles:
        """The basis vectors in rows."""
        return self.state.vectors

    def begin_epoch(self) -> None:
        """Begin to take the same points again; the sums over codes are kept."""
        self.state.memory[:] = 0.0
        self.n_seen = 0
        self.coefficient_square = 0.0

    def learn(self, points: Floats) -> tuple[Doubles, Doubles]:
        """Update the basis with the points, one by one; returns their coefficients u and codes v, in rows."""
        shape = (len(points), len(self.vectors))
        coefficients, codes = np.empty(shape), np.empty(shape)
        scratch = self._scratch()
        gram = np.empty((shape[1], shape[1]))
        # The products take most of the time, and their last bits depend on the number of BLAS threads.
        with single_threaded_libraries():
            for row, u, v in zip(points, coefficients, codes, strict=True):
                self.n_seen += 1
                weights = (*self.weights[:2], self.weights[2] * self.n_seen**0.5)
                np.matmul(self.vectors, self.vectors.T, out=gram)
                learn_point(row, gram, self.state, weights, LIMITS, scratch, u, v)
                _improve(self.state, weights)
        self.n_taken += len(points)
        self.coefficient_square += float((coefficients**2).sum())
        return coefficients, codes

    def objective(self, points: Floats, threads: int = 1) -> float:
        """The problem's value at this basis, for the points of an epoch just learned, per point taken.

        The sums over codes are kept over epochs, so a point counts each time it is taken. The coefficients
        and their distance from the basis are those of the last epoch.
        """
        losses = np.empty(len(points))

        def measure(start: int) -> None:
            rows = slice(start, start + ROWS_PER_TASK)
            gram = self.vectors @ self.vectors.T
            measure_losses(
                points[rows], gram, self.state, self.weights, LIMITS, self._scratch(), losses[rows]
            )

        for _ in run_in_threads(measure, range(0, len(points), ROWS_PER_TASK), threads, "blocks of rows"):
            pass
        apart = float(((self.vectors - self.state.memory) ** 2).sum())
        pull = self.weights[2] * np.sqrt(self.n_seen)
        return float(losses.mean()) + (self.coefficient_square / 2 + float(pull) / 2 * apart) / self.n_taken

    def _scratch(self) -> CodingScratch:
        n_basis, n_features = self.vectors.shape
        lengths = [n_features] * 3 + [n_basis] * 3
        return CodingScratch(*(np.empty(length) for length in lengths))


def _improve(state: Basis, weights: tuple[float, float, float]) -> None:
    """One pass over the basis vectors, each set to its minimiser while the others stand.

    They minimise lambda1/2 sum ||z - e - D v||^2 + lambda3/2 ||D - M||^2. A pass in order is a step of
    Gauss and Seidel, which subtracts from D the gradient divided by the triangle of the Hessian.
    """
    hessian = weights[0] * state.code_products
    hessian[np.diag_indices_from(hessian)] += weights[2]
    gradient = hessian @ state.vectors
    gradient -= weights[0] * state.code_points
    gradient -= weights[2] * state.memory
    # Both are symmetric or transposed in Fortran's order, so nothing is copied.
    step = dtrsm(1.0, hessian.T, gradient.T, side=1, lower=1, trans_a=1, overwrite_b=1)
    state.features[...] -= step
    state.vectors[...] = state.features.T
