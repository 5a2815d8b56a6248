"""Search for leading eigenvectors that only stores their parts on the atoms.

With S = [[S_aa, B^T], [B, 0]] an eigenvector with value mu is (x, B x / mu), where

    S_aa x + B^T B x / mu = mu x.

For trial vectors V on the atoms, the Rayleigh-Ritz method over all vectors (V c, B V z) is a small symmetric
eigenproblem in V^T S_aa V and V^T B^T B V. So the Ritz values belong to the whole graph and are never too
large, and the memory of the search does not grow with the number of points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from subspan.embedding.eigen import (
    GUARD_VECTORS,
    MOST_PRODUCTS,
    PROBE_STEPS,
    PROBE_WIDTH,
    TOL,
    Eigenpairs,
    judged,
)
from subspan.embedding.search import (
    BlockSearch,
    Checkpoint,
    CountedProducts,
    Doubles,
    Goal,
    RitzPairs,
    SearchSpace,
    SearchState,
)
from subspan.execution.steps import steps

# S_aa x and B^T B x for a block of vectors x at the atoms.
Products = Callable[[Doubles], tuple[Doubles, Doubles]]

# Most trial vectors, in blocks; then the search restarts with half of them.
BLOCKS_ON_ATOMS = 4
# Smallest value to divide by: the values of guard vectors may be tiny.
SMALLEST_VALUE = 1e-6


class AtomRitz:
    """Pairs of the whole graph in a space of vectors at the atoms.

    On the other points the residual is zero. Vectors have unit length on all points together.
    """

    images = ("among", "through")

    def pairs(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Doubles]:
        """The largest values, and combinations of the trial vectors that are not orthogonal."""
        among, through = small
        # With V^T B^T B V = L L^T the coordinates of the part on the other points become orthonormal.
        squares, axes = eigh(through)
        factor = axes * np.sqrt(np.maximum(squares, 0.0))
        whole = np.block([[among, factor], [factor.T, np.zeros_like(among)]])
        used = len(among)
        values, vectors = eigh(whole, subset_by_index=(len(whole) - min(count, used), len(whole) - 1))
        return values[::-1], vectors[:used, ::-1]

    def residuals(self, values: Doubles, vectors: Doubles, images: Sequence[Doubles]) -> Doubles:
        """Residual of the equation above, on the atoms."""
        among, through = images
        return among + through / np.maximum(values, SMALLEST_VALUE) - vectors * values

    def shrunk(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Sequence[Doubles]]:
        """An orthonormal basis of the largest pairs."""
        rotation, _ = np.linalg.qr(self.pairs(small, count)[1])
        turned = [rotation.T @ matrix @ rotation for matrix in small]
        return rotation, [(matrix + matrix.T) / 2 for matrix in turned]


class NoCheckpoint:
    """A checkpoint that stores nothing. The search takes the same steps as one that can be resumed."""

    def load(self) -> SearchState | None:
        """Nothing."""
        return None

    def save(self, state: SearchState) -> None:
        """Do nothing."""


def _excess(search: BlockSearch, found: RitzPairs, goal: Goal) -> float:
    """By how much a new random block exceeds the smallest wanted value; at most 0 if no pair was missed."""
    n_wanted = goal.n_wanted
    n_atoms, n_found = found.vectors.shape
    space = SearchSpace(search.rule, n_atoms, n_found + PROBE_WIDTH * (PROBE_STEPS + 1))
    search.grow(space, found.vectors)
    lowest = found.values[n_wanted - 1]
    block = search.draw((n_atoms, PROBE_WIDTH))
    for _ in range(PROBE_STEPS):
        _, (among, through) = search.grow(space, block)
        block = among + through / lowest
    seen = space.ritz(n_wanted + 1)[0].values
    lift = float(seen[n_wanted - 1] - lowest)
    # A missed pair raises the last wanted value. Otherwise the next value shows the distance.
    return lift if goal.missed(found, lift) else float(seen[-1] - lowest)


def leading_pairs(
    products: Products,
    exact: Doubles,
    n_wanted: int,
    *,
    start: Doubles | None = None,
    seed: int = 0,
    tol: float = TOL,
    max_products: int = MOST_PRODUCTS,
    certain: bool = True,
    checkpoint: Checkpoint | None = None,
) -> Eigenpairs:
    """Largest eigenpairs beside those of value 1 that are known, by their parts on the atoms.

    Parameters
    ----------
    products : callable
        S_aa x and B^T B x for a block of vectors x.
    exact : array of shape (n_atoms, c)
        Parts of the known ones.
    n_wanted, start, seed, tol, max_products, certain
        As for `subspan.embedding.eigen.leading_eigenpairs`.
    checkpoint : Checkpoint, optional
        Where the state of the search is kept now and then.

    Returns
    -------
    Eigenpairs
        Vectors are parts on the atoms of vectors of unit length.
    """
    n_exact = exact.shape[1]
    n_pairs = min(n_exact + n_wanted + GUARD_VECTORS, len(exact))
    goal = Goal(n_pairs, min(n_pairs, n_exact + n_wanted), tol, certain=certain)
    counted = CountedProducts(products)

    def draw(shape: tuple[int, int]) -> Doubles:
        # Seeded by the number of products, so that a checkpoint need not store the generator.
        return np.random.default_rng([seed, counted.used]).standard_normal(shape)

    limit = max_products - PROBE_STEPS - 1
    search = BlockSearch(counted, AtomRitz(), limit, draw, checkpoint=checkpoint or NoCheckpoint())
    begin = exact if start is None else np.hstack([exact, start])
    with steps("products", max_products, at_most=True) as counted.watcher:
        pairs = search.run(begin, goal, BLOCKS_ON_ATOMS * n_pairs)
        excess = _excess(search, pairs, goal) if n_wanted else 0.0
    found = judged(pairs, goal, excess, counted.used)
    return replace(
        found,
        n_wanted=found.n_wanted - n_exact,
        values=pairs.values[n_exact:],
        vectors=pairs.vectors[:, n_exact:],
        residuals=pairs.residuals[n_exact:],
    )
