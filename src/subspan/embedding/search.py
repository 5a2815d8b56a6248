"""Block search for the largest eigenpairs: a growing orthonormal basis, restarted from its best vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.embedding.orthogonal import orthonormal_directions
from subspan.execution.steps import Advance

Product = Callable[[NDArray[np.float64]], NDArray[np.float64]]

# Room for the basis, in blocks; when it is full, the best third is kept.
BASIS_BLOCKS = 8
KEPT_SHARE = 3
# Up to this many columns the small eigenproblem costs next to nothing and is solved at every step;
# a larger basis grows by plain products until it is full.
CHEAP_COLUMNS = 256
# A polynomial of higher degree makes the directions of one block nearly dependent.
HIGHEST_DEGREE = 10


class CountedProduct:
    """The product of the operator with a block of vectors, and how often it was taken.

    `row_cost` is the number of multiplications in a row of the product. Against it stands the work of
    keeping a basis orthogonal, which grows with the number of its columns.
    """

    def __init__(self, product: Product, row_cost: float) -> None:
        self._product = product
        self._row_cost = row_cost
        self.used = 0
        # Told of each product.
        self.watcher: Advance | None = None

    def filter_degree(self, n_columns: int) -> int:
        """Products worth taking for each block that is made orthogonal to `n_columns` others."""
        return int(np.clip(n_columns / self._row_cost, 1, HIGHEST_DEGREE))

    def __call__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """The operator times the block."""
        self.used += 1
        image = self._product(np.ascontiguousarray(block))
        if self.watcher is not None:
            self.watcher(1)
        return image


@dataclass(frozen=True)
class RitzPairs:
    """Approximate eigenpairs, largest first, and the norms of their residuals."""

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residuals: NDArray[np.float64]


class SearchSpace:
    """Orthonormal basis Q, its image S Q, and the small matrix Q^T S Q.

    Keeping the image makes residuals and restarts free of products with S.
    """

    def __init__(self, size: int, capacity: int) -> None:
        # Column-major, so that the leading columns are one contiguous block.
        self._basis = np.empty((size, capacity), order="F")
        self._image = np.empty((size, capacity), order="F")
        self._small = np.zeros((capacity, capacity))
        self.capacity = capacity
        self.used = 0

    @property
    def basis(self) -> NDArray[np.float64]:
        """The columns filled so far."""
        return self._basis[:, : self.used]

    def extend(self, block: NDArray[np.float64], image: NDArray[np.float64]) -> None:
        """Append orthonormal columns, already orthogonal to the basis, with their images."""
        first, last = self.used, self.used + block.shape[1]
        self._basis[:, first:last] = block
        self._image[:, first:last] = image
        self.used = last
        coupling = self.basis.T @ image
        self._small[:last, first:last] = coupling
        self._small[first:last, :last] = coupling.T

    def ritz(self, count: int) -> tuple[RitzPairs, NDArray[np.float64]]:
        """The `count` largest Ritz pairs, and their residual vectors."""
        values, rotation = self._ritz_rotation(count)
        vectors = self.basis @ rotation
        residuals = self._image[:, : self.used] @ rotation - vectors * values
        return RitzPairs(values, vectors, np.linalg.norm(residuals, axis=0)), residuals

    def restart(self, count: int) -> None:
        """Shrink the basis to its `count` largest Ritz vectors."""
        values, rotation = self._ritz_rotation(count)
        kept = values.size
        self._basis[:, :kept] = self.basis @ rotation
        self._image[:, :kept] = self._image[:, : self.used] @ rotation
        self._small[:kept, :kept] = np.diag(values)
        self.used = kept

    def _ritz_rotation(self, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        small = self._small[: self.used, : self.used]
        values, rotation = eigh((small + small.T) / 2)
        return values[::-1][:count], rotation[:, ::-1][:, :count]


def search(
    product: CountedProduct,
    limit: int,
    known: NDArray[np.float64],
    start: NDArray[np.float64],
    tolerances: NDArray[np.float64],
    rng: np.random.Generator,
) -> RitzPairs:
    """Largest Ritz pairs orthogonal to `known`, as many as there are tolerances for their residuals.

    Stops when every residual is within its tolerance, or when `product` was used `limit` times. The
    basis grows by residuals or products, so from a random start it spans the block Krylov space.
    """
    width = tolerances.size
    space = SearchSpace(len(start), start.shape[1] + BASIS_BLOCKS * width)
    missing = max(0, width - start.shape[1])
    block = orthonormal_directions(np.hstack([start, rng.standard_normal((len(start), missing))]), [known])
    degree = product.filter_degree(space.capacity)
    cut = 1.0
    while True:
        image = product(block)
        space.extend(block, image)
        full = space.used + width > space.capacity
        if full or space.used <= CHEAP_COLUMNS or product.used >= limit:
            pairs, residuals = space.ritz(width)
            if np.all(pairs.residuals <= tolerances) or product.used >= limit:
                return pairs
            if full:
                space.restart(space.capacity // KEPT_SHARE)
            # Pairs that are done cost no more products; the guards are never done.
            unfinished = pairs.residuals > tolerances.min()
            promising, plain = pairs.vectors[:, unfinished], residuals[:, unfinished]
            cut = float(pairs.values[-1])
        else:
            promising, plain = block, image
        affordable = min(degree, limit - product.used - 1)
        use_filter = affordable > 1 and cut < 1
        candidates = filtered(product, promising, affordable, cut) if use_filter else plain
        block = _next_block(candidates, known, space.basis, rng)


def filtered(
    product: CountedProduct, block: NDArray[np.float64], degree: int, cut: float
) -> NDArray[np.float64]:
    """A Chebyshev polynomial of the operator times a block: small on [-1, cut], steep above.

    Where products are cheap, a few of them together bring more than one block in the basis each.
    """
    centre, half = (cut - 1) / 2, (cut + 1) / 2
    before, now = block, (product(block) - centre * block) / half
    for _ in range(degree - 1):
        before, now = now, 2 * (product(now) - centre * now) / half - before
    return now


def _next_block(
    candidates: NDArray[np.float64],
    known: NDArray[np.float64],
    basis: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """New directions among the candidates; random ones where the basis is closed under the operator."""
    block = orthonormal_directions(candidates, [known, basis])
    if block.shape[1] == 0:
        fresh = rng.standard_normal((len(basis), max(1, candidates.shape[1])))
        block = orthonormal_directions(fresh, [known, basis])
    return block
