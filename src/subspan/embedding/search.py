"""Block search for the largest eigenpairs: a growing orthonormal basis, restarted from its best vectors.

All eigenproblems use this search. Each passes its products, and the rule that computes eigenpairs from a
basis and its images.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from subspan.embedding.orthogonal import orthonormal_directions
from subspan.execution.steps import Advance
from subspan.handover import SMALLEST_GAP

Doubles = NDArray[np.float64]
Product = Callable[[Doubles], Doubles]
# Product of the operator with a block of vectors: one array, or several if the operator has several parts.
Images = tuple[Doubles, ...]
SearchState = dict[str, NDArray[Any]]

# A polynomial of higher degree makes the directions of one block nearly dependent.
HIGHEST_DEGREE = 10
# Largest residual in units of the gap, which bounds the sine of the angle to the true space
# (Davis and Kahan, SIAM J. Numer. Anal. 7, 1970).
ANGLE = 1e-3
# Residual that a search can always reach in spite of rounding. It asks for no less.
FINEST = ANGLE * SMALLEST_GAP
# Below this gap even exact vectors of the rounded graph prove nothing.
ROUNDING = 1e-11
# Residual of the first pair beyond the wanted ones, if no narrow gap asks for less.
LOOSE = 1e-2


class CountedProducts:
    """Images of a block of vectors, and how often they were taken.

    `row_cost` is the number of multiplications in a row of the product. It is compared with the work of
    keeping a basis orthogonal, which grows with the number of columns.
    """

    def __init__(self, products: Callable[[Doubles], Images], row_cost: float = np.inf) -> None:
        self._products = products
        self._row_cost = row_cost
        self.used = 0
        # Called after each product.
        self.watcher: Advance | None = None

    def filter_degree(self, n_columns: int) -> int:
        """Products worth taking for each block that is made orthogonal to `n_columns` others."""
        return int(np.clip(n_columns / self._row_cost, 1, HIGHEST_DEGREE))

    def __call__(self, block: Doubles) -> Images:
        """The images of the block."""
        self.used += 1
        images = self._products(np.ascontiguousarray(block))
        if self.watcher is not None:
            self.watcher(1)
        return images


@dataclass(frozen=True)
class RitzPairs:
    """Approximate eigenpairs, largest first, and the norms of their residuals."""

    values: Doubles
    vectors: Doubles
    residuals: Doubles


@dataclass(frozen=True)
class Goal:
    """When a search may stop: the residuals are small, also when compared with the gap.

    Eigenvectors of nearly equal values mix freely. So small residuals alone do not say that the space of
    the wanted pairs is the right one. They must be small against the distance to the next value.
    """

    # Pairs of the block, how many of them are wanted, and the largest residual of these.
    n_pairs: int
    n_wanted: int
    tol: float
    # Eigenvalue of the vectors that are known and left out; the gap starts there if no pair is wanted.
    known_value: float = np.inf
    # Whether the space must be the right one; if not, good eigenvalues are enough.
    certain: bool = True

    def gap(self, values: Doubles) -> float:
        """Distance between the last wanted value and the next; infinite if there is no other."""
        seen = np.append(self.known_value, values)[self.n_wanted : self.n_wanted + 2]
        return float(max(seen[0] - seen[1], 0.0)) if seen.size == 2 else np.inf

    def tolerances(self, values: Doubles, finest: float = FINEST) -> Doubles:
        """Largest residual of each pair: the wanted ones, one that shows the gap, guards."""
        # Without a need for certainty any gap will do.
        gap = self.gap(values) if self.certain else np.inf
        wanted = np.clip(ANGLE * gap, finest, self.tol)
        each = np.full(values.size, np.inf)
        each[: self.n_wanted] = wanted
        each[self.n_wanted : self.n_wanted + 1] = max(np.clip(gap / 2, finest / ANGLE, LOOSE), wanted)
        return each

    def reached(self, pairs: RitzPairs) -> bool:
        """Whether all residuals are as small as they must be."""
        return bool(np.all(pairs.residuals <= self.tolerances(pairs.values)))

    def tied(self, pairs: RitzPairs) -> bool:
        """Whether the gap is known to be too narrow, so that more work would not settle anything."""
        at_the_cut = pairs.residuals[max(self.n_wanted - 1, 0) : self.n_wanted + 1]
        return self.certain and self.gap(pairs.values) + float(at_the_cut.sum()) < SMALLEST_GAP

    def proved(self, pairs: RitzPairs, excess: float) -> bool:
        """Whether the space of the wanted pairs is the leading one, given what a probe found beside it."""
        told_apart = not self.certain or self.gap(pairs.values) >= ROUNDING
        exact = bool(np.all(pairs.residuals <= self.tolerances(pairs.values, finest=0.0)))
        return told_apart and exact and not self.missed(pairs, excess)

    def missed(self, pairs: RitzPairs, excess: float) -> bool:
        """Whether a probe has found a pair that belongs to the wanted ones, beyond what residuals explain."""
        return excess > 10 * float(self.tolerances(pairs.values)[: self.n_wanted].min(initial=self.tol))


class RitzRule(Protocol):
    """How the eigenpairs in a space follow from its orthonormal basis V, the images of V, and V^T images."""

    @property
    def images(self) -> Sequence[str]:
        """A name for each image."""

    def pairs(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Doubles]:
        """The `count` largest values, and the combinations of the basis that belong to them."""

    def residuals(self, values: Doubles, vectors: Doubles, images: Sequence[Doubles]) -> Doubles:
        """Residuals of vectors with these images as eigenvectors."""

    def shrunk(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Sequence[Doubles]]:
        """An orthonormal basis of the `count` largest pairs, in terms of V, and the small matrices in it."""


class Checkpoint(Protocol):
    """Where the state of a search is stored, so that an interrupted search can be continued."""

    def load(self) -> SearchState | None:
        """The state kept last."""

    def save(self, state: SearchState) -> None:
        """Keep a state instead of the one before."""


class SearchSpace:
    """Orthonormal basis V, its images, and the small matrices V^T images.

    The images are kept, so that residuals and restarts need no products.
    """

    def __init__(self, rule: RitzRule, size: int, capacity: int) -> None:
        self._rule = rule
        self._names = ("vectors", *rule.images)
        # Column-major, so that the leading columns are one contiguous block.
        self._columns = [np.empty((size, capacity), order="F") for _ in self._names]
        self._small = [np.zeros((capacity, capacity)) for _ in rule.images]
        self.capacity = capacity
        self.used = 0

    @property
    def basis(self) -> Doubles:
        """The columns filled so far."""
        return self._columns[0][:, : self.used]

    @property
    def small(self) -> list[Doubles]:
        """V^T images, one matrix for each image."""
        return [small[: self.used, : self.used] for small in self._small]

    def extend(self, block: Doubles, images: Images) -> None:
        """Append orthonormal columns, already orthogonal to the basis, with their images."""
        first, last = self.used, self.used + block.shape[1]
        for columns, new in zip(self._columns, (block, *images), strict=True):
            columns[:, first:last] = new
        self.used = last
        for small, image in zip(self._small, images, strict=True):
            coupling = self.basis.T @ image
            small[:last, first:last] = coupling
            small[first:last, :last] = coupling.T

    def ritz(self, count: int) -> tuple[RitzPairs, Doubles]:
        """The `count` largest Ritz pairs, and their residual vectors."""
        values, rotation = self._rule.pairs(self.small, count)
        vectors, *images = (columns[:, : self.used] @ rotation for columns in self._columns)
        residuals = self._rule.residuals(values, vectors, images)
        return RitzPairs(values, vectors, np.linalg.norm(residuals, axis=0)), residuals

    def restart(self, count: int) -> None:
        """Shrink the basis to the space of its `count` largest Ritz pairs."""
        rotation, small = self._rule.shrunk(self.small, count)
        kept = rotation.shape[1]
        for columns in self._columns:
            columns[:, :kept] = columns[:, : self.used] @ rotation
        for matrix, new in zip(self._small, small, strict=True):
            matrix[:kept, :kept] = new
        self.used = kept

    def state(self) -> SearchState:
        """Everything that a later search needs to go on from here."""
        columns = {
            name: columns[:, : self.used] for name, columns in zip(self._names, self._columns, strict=True)
        }
        return columns | {f"small_{i}": small for i, small in enumerate(self.small)}

    def resume(self, state: SearchState) -> None:
        """Go on from a state."""
        self.used = state["vectors"].shape[1]
        for name, columns in zip(self._names, self._columns, strict=True):
            columns[:, : self.used] = state[name]
        for i, small in enumerate(self.small):
            small[:] = state[f"small_{i}"]


@dataclass(frozen=True)
class BlockSearch:
    """A search of one operator for its largest eigenpairs, orthogonal to the known ones."""

    products: CountedProducts
    rule: RitzRule
    # Products after which the best so far are returned.
    limit: int
    # Random numbers of a given shape.
    draw: Callable[[tuple[int, int]], Doubles]
    known: Sequence[Doubles] = ()
    # Up to this many columns the small eigenproblem costs next to nothing and is solved at every step;
    # a larger basis grows by plain products until it is full.
    cheap_columns: float = np.inf
    # A full basis of c columns is reduced to c // kept_share.
    kept_share: int = 2
    # Solves a system with the operator minus a shift above the spectrum, where that is cheap.
    invert: Product | None = None
    checkpoint: Checkpoint | None = None

    def run(self, start: Doubles, goal: Goal, capacity: int) -> RitzPairs:
        """Largest Ritz pairs that reach a goal, or what there is at the limit of products.

        The basis, of `capacity` columns at most, grows by residuals or products, so from a random start it
        spans the block Krylov space; that of the inverse, where there is one.
        """
        width = goal.n_pairs
        space = SearchSpace(self.rule, len(start), capacity)
        degree = self.products.filter_degree(capacity)
        cut = 1.0
        promising = plain = start
        if not self._resumed(space, goal):
            missing = max(0, width - start.shape[1])
            begin = np.hstack([start, self.draw((len(start), missing))])
            promising, (plain, *_) = self.grow(space, begin if self.invert is None else self.invert(begin))
        while True:
            full = space.used + width > capacity
            spent = self.products.used >= self.limit
            if full or spent or space.used <= self.cheap_columns or self.invert is not None:
                pairs, residuals = space.ritz(width)
                if spent or goal.reached(pairs) or (full and goal.tied(pairs)):
                    return pairs
                if full:
                    space.restart(capacity // self.kept_share)
                    if self.checkpoint is not None:
                        used = np.array(self.products.used)
                        self.checkpoint.save({**space.state(), "used": used, "for": np.array(astuple(goal))})
                        # Continue from the stored state only, as a resumed search does.
                        continue
                # Only unfinished pairs need more products; the guards always do.
                unfinished = pairs.residuals > goal.tolerances(pairs.values).min()
                promising, plain = pairs.vectors[:, unfinished], residuals[:, unfinished]
                cut = float(pairs.values[-1])
            promising, (plain, *_) = self.grow(space, self._candidates(promising, plain, degree, cut))

    def _candidates(self, promising: Doubles, plain: Doubles, degree: int, cut: float) -> Doubles:
        """Directions in which the basis should grow."""
        if self.invert is not None:
            return self.invert(plain)
        affordable = min(degree, self.limit - self.products.used - 1)
        use_filter = affordable > 1 and cut < 1
        return filtered(self.products, promising, affordable, cut) if use_filter else plain

    def grow(self, space: SearchSpace, candidates: Doubles) -> tuple[Doubles, Images]:
        """Append what is new in the candidates, with its images, and return both.

        If the candidates contain nothing new, random directions are used instead.
        """
        block = orthonormal_directions(candidates, [*self.known, space.basis])
        if block.shape[1] == 0:
            fresh = self.draw((len(candidates), max(1, candidates.shape[1])))
            block = orthonormal_directions(fresh, [*self.known, space.basis])
        images = self.products(block)
        space.extend(block, images)
        return block, images

    def _resumed(self, space: SearchSpace, goal: Goal) -> bool:
        """Fill the space with what an interrupted search for the same pairs left, if there was one."""
        state = self.checkpoint.load() if self.checkpoint else None
        if state is None or not np.array_equal(state["for"], astuple(goal)):
            return False
        space.resume(state)
        self.products.used = int(state["used"])
        return True


def filtered(products: CountedProducts, block: Doubles, degree: int, cut: float) -> Doubles:
    """A Chebyshev polynomial of the operator times a block: small on [-1, cut], steep above.

    The operator must have one image. If products are cheap, it is better to spend several of them on one
    block of the basis.
    """
    centre, half = (cut - 1) / 2, (cut + 1) / 2
    before, now = block, (products(block)[0] - centre * block) / half
    for _ in range(degree - 1):
        before, now = now, 2 * (products(now)[0] - centre * now) / half - before
    return now
