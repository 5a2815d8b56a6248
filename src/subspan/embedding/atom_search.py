"""Search for leading eigenvectors by their parts on the atoms alone.

With S = [[S_aa, B^T], [B, 0]] an eigenvector with value mu is (x, B x / mu), where

    S_aa x + B^T B x / mu = mu x.

In a space of trial vectors V at the atoms this is Rayleigh and Ritz over all (V c, B V z): a small symmetric
problem in V^T S_aa V and V^T B^T B V. So the values are those of the whole graph, never too large, and the
memory that the search takes does not grow with the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.embedding.eigen import (
    GUARD_VECTORS,
    LOOSE_TOL,
    PROBE_EXCESS,
    PROBE_STEPS,
    PROBE_WIDTH,
    Eigenpairs,
)
from subspan.embedding.orthogonal import orthonormal_directions
from subspan.embedding.search import RitzPairs
from subspan.execution.steps import Advance, steps

Floats = NDArray[np.float64]
# S_aa x and B^T B x for a block of vectors x at the atoms.
Products = Callable[[Floats], tuple[Floats, Floats]]

# Room for the trial vectors, in blocks; when it is full, half of it is kept.
BASIS_BLOCKS = 4
# What a vector has on the other points is divided by its value; guards may have a tiny one.
SMALLEST_VALUE = 1e-6


class Checkpoint(Protocol):
    """Where the state of a search is kept, so that one that was interrupted goes on."""

    def load(self) -> dict[str, NDArray[Any]] | None:
        """The state kept last."""

    def save(self, state: dict[str, NDArray[Any]]) -> None:
        """Keep a state instead of the one before."""


class TrialSpace:
    """Orthonormal trial vectors at the atoms with their two images."""

    def __init__(self, n_atoms: int, capacity: int) -> None:
        # Vectors, S_aa times them, B^T B times them; column-major, so that the leading ones are contiguous.
        self._columns = [np.empty((n_atoms, capacity), order="F") for _ in range(3)]
        # V^T S_aa V and V^T B^T B V.
        self._small = [np.zeros((capacity, capacity)) for _ in range(2)]
        self.capacity = capacity
        self.used = 0

    @property
    def basis(self) -> Floats:
        """The trial vectors so far."""
        return self._columns[0][:, : self.used]

    def extend(self, block: Floats, images: tuple[Floats, Floats]) -> None:
        """Append orthonormal vectors, orthogonal to those before, with their images."""
        first, last = self.used, self.used + block.shape[1]
        for columns, new in zip(self._columns, (block, *images), strict=True):
            columns[:, first:last] = new
        self.used = last
        for small, image in zip(self._small, images, strict=True):
            coupling = self.basis.T @ image
            small[:last, first:last] = coupling
            small[first:last, :last] = coupling.T

    def ritz(self, count: int) -> tuple[RitzPairs, Floats]:
        """The `count` largest pairs of the whole graph, their parts on the atoms, and their residuals there.

        On the other points the residual is zero. Vectors have unit length on all points together.
        """
        values, rotation = self._ritz(count)
        vectors, among, through = (columns[:, : self.used] @ rotation for columns in self._columns)
        residuals = among + through / np.maximum(values, SMALLEST_VALUE) - vectors * values
        return RitzPairs(values, vectors, np.linalg.norm(residuals, axis=0)), residuals

    def restart(self, count: int) -> None:
        """Keep only the space of the `count` largest pairs."""
        rotation, _ = np.linalg.qr(self._ritz(count)[1])
        kept = rotation.shape[1]
        for columns in self._columns:
            columns[:, :kept] = columns[:, : self.used] @ rotation
        for place, small in enumerate(self._small):
            turned = rotation.T @ small[: self.used, : self.used] @ rotation
            self._small[place][:kept, :kept] = (turned + turned.T) / 2
        self.used = kept

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that a later search needs to go on from here."""
        names = ("vectors", "among", "through")
        used = slice(0, self.used)
        state = {name: columns[:, used] for name, columns in zip(names, self._columns, strict=True)}
        return state | {f"small_{i}": small[used, used] for i, small in enumerate(self._small)}

    def resume(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from a state."""
        self.used = state["vectors"].shape[1]
        for name, columns in zip(("vectors", "among", "through"), self._columns, strict=True):
            columns[:, : self.used] = state[name]
        for i, small in enumerate(self._small):
            small[: self.used, : self.used] = state[f"small_{i}"]

    def _ritz(self, count: int) -> tuple[Floats, Floats]:
        among, through = (small[: self.used, : self.used] for small in self._small)
        # V^T B^T B V = L L^T turns the part on the other points into one with a plain inner product.
        squares, axes = eigh(through)
        factor = axes * np.sqrt(np.maximum(squares, 0.0))
        whole = np.block([[among, factor], [factor.T, np.zeros_like(among)]])
        values, vectors = eigh(whole, subset_by_index=(len(whole) - min(count, self.used), len(whole) - 1))
        return values[::-1], vectors[: self.used, ::-1]


@dataclass
class AtomSearch:
    """One search: products taken so far, and where the state goes."""

    products: Products
    limit: int
    seed: int
    checkpoint: Checkpoint | None = None
    used: int = 0
    # Told of each product.
    watcher: Advance | None = None

    def run(self, start: Floats, tolerances: Floats) -> RitzPairs:
        """As many of the largest pairs as there are tolerances for their residuals.

        Ends when every residual is within its tolerance, or at the limit of products.
        """
        width = tolerances.size
        space = TrialSpace(len(start), BASIS_BLOCKS * width)
        self._begin(space, start, tolerances)
        while True:
            pairs, residuals = space.ritz(width)
            if np.all(pairs.residuals <= tolerances) or self.used >= self.limit:
                return pairs
            if space.used + width > space.capacity:
                space.restart(space.capacity // 2)
                if self.checkpoint:
                    self.checkpoint.save({**space.state(), "used": np.array(self.used), "for": tolerances})
                # From what was kept and nothing else: so does a search that was interrupted here.
                continue
            unfinished = pairs.residuals > tolerances.min()
            self._grow(space, residuals[:, unfinished])

    def exceeds(self, found: RitzPairs, n_wanted: int) -> float:
        """How far a fresh random block gets above the smallest wanted value; at most 0 if none was missed."""
        space = TrialSpace(len(found.vectors), found.vectors.shape[1] + PROBE_WIDTH * (PROBE_STEPS + 1))
        self._grow(space, found.vectors)
        lowest = found.values[n_wanted - 1]
        block = self._random(len(found.vectors), PROBE_WIDTH)
        for _ in range(PROBE_STEPS):
            among, through = self._grow(space, block)
            block = among + through / lowest
        seen = space.ritz(n_wanted + 1)[0].values
        lift = float(seen[n_wanted - 1] - lowest)
        # A missed pair lifts the last wanted value; otherwise the next one shows the distance.
        return lift if lift > PROBE_EXCESS else float(seen[-1] - lowest)

    def _begin(self, space: TrialSpace, start: Floats, tolerances: Floats) -> None:
        """Fill the space with the first block, or with what an interrupted search for the same pairs left."""
        state = self.checkpoint.load() if self.checkpoint else None
        if state is not None and np.array_equal(state["for"], tolerances):
            space.resume(state)
            self.used = int(state["used"])
            return
        missing = max(0, tolerances.size - start.shape[1])
        self._grow(space, np.hstack([start, self._random(len(start), missing)]))

    def _grow(self, space: TrialSpace, candidates: Floats) -> tuple[Floats, Floats]:
        """Append what is new in the candidates, or random vectors where nothing is; its images."""
        block = orthonormal_directions(candidates, [space.basis])
        if block.shape[1] == 0:
            fresh = self._random(len(candidates), max(1, candidates.shape[1]))
            block = orthonormal_directions(fresh, [space.basis])
        self.used += 1
        images = self.products(np.ascontiguousarray(block))
        if self.watcher is not None:
            self.watcher(1)
        space.extend(block, images)
        return images

    def _random(self, n_rows: int, n_columns: int) -> Floats:
        # By the number of products and not by what was drawn before: nothing of it has to be kept.
        return np.random.default_rng([self.seed, self.used]).standard_normal((n_rows, n_columns))


def leading_pairs(
    products: Products,
    exact: Floats,
    n_wanted: int,
    *,
    start: Floats | None = None,
    seed: int = 0,
    tol: float = 1e-6,
    max_products: int = 2000,
    checkpoint: Checkpoint | None = None,
) -> Eigenpairs:
    """Largest eigenpairs beside those of value 1 that are known, by their parts on the atoms.

    Parameters
    ----------
    products : callable
        S_aa x and B^T B x for a block of vectors x.
    exact : array of shape (n_atoms, c)
        Parts of the known ones.
    n_wanted, start, seed, tol, max_products : as for `subspan.embedding.eigen.leading_eigenpairs`
    checkpoint : Checkpoint, optional
        Where the state of the search is kept now and then.

    Returns
    -------
    Eigenpairs
        Vectors are parts on the atoms of vectors of unit length.
    """
    n_exact = exact.shape[1]
    n_pairs = min(n_exact + n_wanted + GUARD_VECTORS, len(exact))
    loose = min(n_pairs, n_exact + n_wanted)
    tolerances = np.full(n_pairs, np.inf)
    tolerances[:loose] = tol
    tolerances[loose : loose + 1] = max(tol, LOOSE_TOL)
    search = AtomSearch(products, max_products - PROBE_STEPS - 1, seed, checkpoint)
    begin = exact if start is None else np.hstack([exact, start])
    with steps("products", max_products, at_most=True) as search.watcher:
        pairs = search.run(begin, tolerances)
        excess = search.exceeds(pairs, loose) if n_wanted else 0.0
    converged = bool(np.all(pairs.residuals[:loose] <= tol)) and excess <= PROBE_EXCESS
    values, vectors, residuals = pairs.values[n_exact:], pairs.vectors[:, n_exact:], pairs.residuals[n_exact:]
    return Eigenpairs(loose - n_exact, values, vectors, residuals, converged, excess, search.used)
