"""Consensus OMP (Algorithm 2 of the paper): all sub-problems and outer iterations, block by block.

Once the dictionaries are drawn, the coefficients of a point depend on no other point's. One block of
points with everything that is done to it is therefore one task: it needs the source of rows and the
number of the block, and returns rows of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subspan.execution.steps import track
from subspan.execution.threads import stop_if_cancelled
from subspan.execution.tiles import TILE, in_panels, padded, padded_length, tile_product
from subspan.kernels.coarse import FirstLook, among_look, new_look
from subspan.kernels.consensus import average_solutions
from subspan.kernels.pursuit import advance, begin, pursue
from subspan.kernels.scores import Search, among, bits_type, new_search
from subspan.kernels.state import (
    LANES,
    Dictionary,
    Lanes,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
    new_lanes,
    new_memory,
    new_state,
)
from subspan.self_expression.blocks import Block, join_blocks
from subspan.self_expression.coarse import NO_ROWS, CoarseRows, coarse_rows
from subspan.self_expression.gram import gathered_matrices, gram_matrix, squared_norms
from subspan.self_expression.plan import GramPlan
from subspan.sources import ArraySource, Source

Floats = NDArray[np.floating]

# Points of a block, unless the caller wants it otherwise.
BLOCK_ROWS = 4 * TILE
# Numbers of Gram rows, see `Rules`: where a step gets faster by reading less.
SHORTCUT_FROM = 8192
# Candidates that a first look at the scores may leave, on average, to be faster than going without one, and
# atoms that it is tried on.
FEW_CANDIDATES = 8.0
SAMPLE = 8 * TILE
# Steps of a pursuit in all outer iterations that repay the numbers for first looks.
MANY_STEPS = 8


@dataclass(frozen=True)
class ConsensusSettings:
    """What the caller wants of the coefficients; the names are those of the estimators."""

    n_nonzero: int
    damping: float = 0.0
    residual_tol: float = 1e-3
    max_iter: int = 1
    tol: float = 1e-3
    selection: Literal["psi", "greedy"] = "psi"
    candidates: Literal["preserved", "all"] = "preserved"
    average: Literal["all", "chosen"] = "all"


@dataclass(frozen=True)
class Workspace:
    """Buffers of one running task."""

    correlations: Floats
    # Of residuals with the atoms of a sub-dictionary, where no Gram matrix is kept.
    products: Floats
    state: PursuitState
    search: Search
    look: FirstLook
    lanes: Lanes
    picks: Picks
    totals: NDArray[np.float64]
    times: NDArray[np.int32]
    touched: NDArray[np.int32]


class ConsensusTask:
    """Everything a block needs besides its own rows. Calling it with a block number solves the block."""

    def __init__(
        self,
        source: Source,
        dictionaries: Sequence[NDArray[np.int64]],
        settings: ConsensusSettings,
        *,
        gram_plan: GramPlan,
        unit_norm: bool = True,
        threads: int = 1,
        block_rows: int = BLOCK_ROWS,
        order: NDArray[np.int64] | None = None,
        look_first: bool | None = None,
    ) -> None:
        self.source = source
        # Whether gathered copies have 8 bits a number, see `kernels.coarse`; by default where it pays.
        self.look_first = look_first
        self.order = order
        self.settings = settings
        self.gram_plan = gram_plan
        self.block_rows = block_rows
        every_point = gram_plan in ("shared", "gathered")
        self.atom_rows = np.arange(source.shape[0]) if every_point else used_atoms(dictionaries)
        # In memory, atoms that are likely to meet stand together.
        standing = self.atom_rows if order is None or gram_plan != "gathered" else order
        self.atoms = padded(source.take(standing))
        # Where each atom stands, by its number.
        self.place = np.argsort(standing).astype(np.int32)
        self.atom_norms = squared_norms(self.atoms)
        self.atom_of_row = np.full(source.shape[0], -1, np.int32)
        self.atom_of_row[self.atom_rows] = np.arange(len(self.atom_rows))
        self.unit_norm = unit_norm
        self.longest = np.sqrt(self.atom_norms.max())
        # The greedy rule divides every score by the root of ||x||^2 + damping, which leaves at most 1.
        self.reach = self.longest if unit_norm or settings.selection == "psi" else 1.0
        kept = [self.atom_of_row[rows] for rows in dictionaries]
        self.shared_gram = gram_matrix(self.atoms, threads) if every_point else None
        # For correlations that are in no Gram matrix, of points and of residuals.
        self.panels = in_panels(self.atoms[:0] if every_point else self.atoms)
        residual = gram_plan == "residual"
        self.dictionary_panels = [in_panels(padded(self.atoms[c])) for c in kept] if residual else []
        self.dictionaries = self._dictionaries(kept, threads)

    @property
    def n_blocks(self) -> int:
        """Number of blocks that make up all rows."""
        return -(-self.source.shape[0] // self.block_rows)

    def __call__(self, block: int) -> Block:
        """Solve block number `block`."""
        work = self._workspace()
        return join_blocks([self._tile(*tile, work)[-1] for tile in self._tiles(block)])

    def course(self, block: int) -> list[Block]:
        """Block number `block` after each of the outer iterations, as if it were the last."""
        work = self._workspace()
        courses = [self._tile(*tile, work, each=True) for tile in self._tiles(block)]
        return [join_blocks(parts) for parts in zip(*courses, strict=True)]

    def _tiles(self, block: int) -> list[tuple[int, int]]:
        """Where the tiles of a block start and stop."""
        first = block * self.block_rows
        last = min(first + self.block_rows, self.source.shape[0])
        return [(start, min(start + TILE, last)) for start in range(first, last, TILE)]

    def _rows(self, start: int, stop: int) -> tuple[Floats, NDArray[np.int32]]:
        """The points of a tile, padded, and their places among the atoms."""
        own = np.full(TILE, -1, np.int32)
        if self.order is None:
            own[: stop - start] = self.atom_of_row[start:stop]
            return padded(self.source.rows(start, stop)), own
        chosen = self.order[start:stop]
        own[: stop - start] = self.atom_of_row[chosen]
        return padded(self.source.take(chosen)), own

    @property
    def _rules(self) -> Rules:
        settings, dtype = self.settings, self.atoms.dtype
        return Rules(
            n_nonzero=settings.n_nonzero,
            damping=float(settings.damping),
            squared_tol=float(settings.residual_tol) ** 2,
            precision=float(np.finfo(dtype).eps),
            product_error=float(np.finfo(dtype).eps) * max(64, self.atoms.shape[1] / 2 + 1),
            greedy=settings.selection == "greedy",
            unit_norm=self.unit_norm,
            from_dropped=settings.candidates == "all",
            reach=float(self.reach),
            longest=float(self.longest),
            shortcut_from=SHORTCUT_FROM,
            magnitude_mask=bits_type(dtype)(np.iinfo(bits_type(dtype)).max),
        )

    def _dictionaries(self, kept: Sequence[NDArray[np.int32]], threads: int) -> list[Dictionary]:
        """The sub-dictionaries that keep the atoms of these numbers."""
        if self.shared_gram is not None and self._looks_first(kept[0], threads):
            coarse = coarse_rows(self.shared_gram, [self.place[numbers] for numbers in kept], threads)
            grams = [self.shared_gram for _ in kept]
        else:
            coarse = [NO_ROWS for _ in kept]
            grams = self._grams(kept, threads)
        parts = zip(kept, grams, coarse, strict=True)
        return [self._dictionary(numbers, gram, rows) for numbers, gram, rows in parts]

    def _looks_first(self, numbers: NDArray[np.int32], threads: int) -> bool:
        """Whether a first look leaves few candidates: tried on some points and part of a sub-dictionary."""
        if self.gram_plan != "gathered" or self.atoms.dtype != np.float32 or self._weighted:
            return False
        if self.look_first is not None:
            return self.look_first
        if self.settings.n_nonzero * self.settings.max_iter < MANY_STEPS:
            return False
        sample = numbers[np.linspace(0, len(numbers) - 1, min(SAMPLE, len(numbers))).astype(np.int64)]
        trial = ConsensusTask(
            ArraySource(self.atoms[self.place[sample]]), [np.arange(len(sample))],
            replace(self.settings, max_iter=1), gram_plan="gathered", unit_norm=self.unit_norm,
            threads=threads, look_first=True,
        )  # fmt: skip
        work = trial._workspace()
        trial._tile(0, min(TILE, len(sample)), work)
        n_searches, n_candidates = work.look.account
        # Besides the winner there are as many times more as there are more atoms.
        besides = (n_candidates / max(n_searches, 1) - 1) * len(numbers) / len(sample)
        return bool(1 + besides <= FEW_CANDIDATES)

    def _grams(self, kept: Sequence[NDArray[np.int32]], threads: int) -> list[Floats]:
        """Gram matrix of each sub-dictionary; the same bit for bit whichever plan it comes from."""
        if self.gram_plan == "shared" and self.shared_gram is not None:
            return [self.shared_gram for _ in kept]
        if self.gram_plan == "gathered" and self.shared_gram is not None:
            return gathered_matrices(self.shared_gram, [self.place[numbers] for numbers in kept], threads)
        if self.gram_plan == "per_dictionary":
            return [
                gram_matrix(padded(self.atoms[columns]), threads) for columns in track("Gram matrices", kept)
            ]
        return [np.empty((0, 0), self.atoms.dtype) for _ in kept]

    @property
    def _weighted(self) -> bool:
        """Whether scores are weighted by the lengths of the atoms."""
        return self.settings.selection == "greedy" and not self.unit_norm

    def _dictionary(self, numbers: NDArray[np.int32], gram: Floats, coarse: CoarseRows) -> Dictionary:
        n_atoms, dtype = len(self.atom_rows), self.atoms.dtype
        position = np.full(n_atoms, -1, np.int32)
        weights = np.ones(0, dtype)
        if self._weighted:
            weights = (1 / np.sqrt(self.atom_norms + self.settings.damping)).astype(dtype)
        if self.gram_plan == "shared":
            position[numbers] = numbers
            kept = np.zeros(len(self.atoms), dtype)
            kept[numbers] = weights[numbers] if len(weights) else 1
            none = np.empty(0, np.int32)
            return Dictionary(none, none, position, gram, kept, *coarse)
        position[numbers] = np.arange(len(numbers))
        columns = self.place[numbers]
        weights = weights[columns] if len(weights) else weights
        return Dictionary(numbers, columns, position, gram, weights, *coarse)

    @property
    def _capacity(self) -> int:
        """Most atoms that the support of one point can see in all outer iterations."""
        most = self.settings.n_nonzero * len(self.dictionaries) * self.settings.max_iter
        return min(most, len(self.atom_rows))

    def _memories(self) -> list[Memory]:
        """One memory for each sub-problem; an empty one where nothing would be asked of it."""
        settings = self.settings
        useful = settings.max_iter > 1 and settings.candidates == "preserved" and self.gram_plan != "residual"
        return [new_memory(TILE if useful else 0, settings.n_nonzero) for _ in self.dictionaries]

    def _workspace(self) -> Workspace:
        n_atoms, dtype, s = len(self.atoms), self.atoms.dtype, self.settings.n_nonzero
        n_subproblems = len(self.dictionaries)
        longest = max(len(d.columns) or n_atoms for d in self.dictionaries)
        looks_first = len(self.dictionaries[0].coarse) > 0
        weighted = len(self.dictionaries[0].weights) > 0
        # Where searches begin with a look, enough pursuits go side by side for none to wait long.
        n_lanes = LANES if looks_first else 1
        n_slots = TILE if self.gram_plan == "residual" else n_lanes
        n_seen = max(len(d.position_seen) for d in self.dictionaries)
        shape = (n_subproblems, TILE, s)
        return Workspace(
            correlations=np.empty((TILE, n_atoms if self.shared_gram is None else 0), dtype),
            products=np.empty(TILE * padded_length(longest) if self.gram_plan == "residual" else 0, dtype),
            state=new_state(n_slots, s, self._capacity, n_seen, dtype),
            search=new_search(n_lanes, longest, s, self._capacity, weighted, dtype),
            look=new_look(n_lanes, longest if looks_first else 0, s),
            lanes=new_lanes(n_lanes),
            picks=Picks(np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape[:2], np.int32)),
            totals=np.zeros(n_atoms),
            times=np.zeros(n_atoms, np.int32),
            touched=np.zeros(n_atoms, np.int32),
        )

    def _points(self, rows: Floats, own: NDArray[np.int32], n: int, work: Workspace) -> Points:
        """The tile of `n` points with its correlations; the target c_j of every one is still zero."""
        capacity = self._capacity
        if self.shared_gram is not None:
            # The atoms are the points, so their correlations are rows of the Gram matrix.
            correlations, row = self.shared_gram, self.place[own].astype(np.int64)
        else:
            correlations, row = tile_product(rows, self.panels, out=work.correlations), np.arange(TILE)
        return Points(
            correlations=correlations,
            row=row,
            squared_norms=squared_norms(rows),
            own=own,
            active=np.arange(TILE) < n,
            target_index=np.zeros((TILE, capacity), np.int32),
            target_value=np.zeros((TILE, capacity)),
            target_count=np.zeros(TILE, np.int32),
        )

    def _tile(self, start: int, stop: int, work: Workspace, *, each: bool = False) -> list[Block]:
        """The points of a tile after the last outer iteration, or after each of them."""
        settings = self.settings
        n = stop - start
        rows, own = self._rows(start, stop)
        points = self._points(rows, own, n, work)
        counts = np.zeros(2, np.int64)
        sums = np.zeros((settings.max_iter, 2))
        memories = self._memories()
        blocks = []
        n_iter = 0
        while n_iter < settings.max_iter and points.active.any():
            for t in range(len(self.dictionaries)):
                self._pursue(t, rows, points, work, memories[t], counts)
            average_solutions(
                *work.picks, settings.average == "chosen", settings.tol**2,
                work.totals, work.times, work.touched,
                points.active, points.target_index, points.target_value, points.target_count, sums[n_iter],
            )  # fmt: skip
            n_iter += 1
            if each:
                blocks.append(self._block(points, n, n_iter, sums[:n_iter], counts))
        sums[n_iter:, 1] = sums[n_iter - 1, 1]
        last = self._block(points, n, n_iter, sums, counts)
        if not each:
            return [last]
        # A tile whose points have come to rest stays as it is.
        return blocks + [replace(last, sums=sums[: i + 1]) for i in range(n_iter, settings.max_iter)]

    def _block(
        self, points: Points, n: int, n_iter: int, sums: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> Block:
        """The coefficients of the first `n` points of a tile as they are now."""
        listed = np.arange(points.target_index.shape[1]) < points.target_count[:n, None]
        support = listed & (points.target_value[:n] != 0)
        indices = self.atom_rows[points.target_index[:n][support]].astype(np.int32)
        values = points.target_value[:n][support].astype(self.atoms.dtype)
        lengths = support.sum(axis=1).astype(np.int32)
        return Block(lengths, indices, values, n_iter, sums.copy(), counts.copy())

    def _pursue(
        self,
        t: int,
        rows: Floats,
        points: Points,
        work: Workspace,
        memory: Memory,
        counts: NDArray[np.int64],
    ) -> None:
        """Solve sub-problem `t` for the active points of a tile."""
        stop_if_cancelled()
        dictionary = self.dictionaries[t]
        picks = Picks(work.picks.indices[t], work.picks.values[t], work.picks.counts[t])
        search = among(work.search, len(dictionary.columns) or len(self.atoms))
        given = (points, dictionary, self.atoms, self.atom_norms, self._rules, work.state)
        if self.gram_plan != "residual":
            look = among_look(work.look, len(dictionary.columns) if len(dictionary.coarse) else 0)
            pursue(*given, search, look, work.lanes, memory, picks, counts)
            return
        residuals = rows.copy()
        panels = self.dictionary_panels[t]
        n_atoms = padded_length(len(dictionary.columns))
        products = work.products[: TILE * n_atoms].reshape(TILE, n_atoms)
        begin(points, dictionary, self._rules, work.state, picks)
        n_running = 1
        while n_running:
            tile_product(residuals, panels, out=products)
            n_running = advance(products, rows, *given, search, picks, residuals, counts)


def used_atoms(dictionaries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Sorted rows that some sub-dictionary kept."""
    kept = np.concatenate(dictionaries)
    used = np.zeros(kept.max() + 1, bool)
    used[kept] = True
    return np.flatnonzero(used)
