"""Consensus OMP (Algorithm 2 of the paper): all sub-problems and outer iterations, block by block.

Once the dictionaries are drawn, the coefficients of a point depend on no other point's. One block of
points with everything that is done to it is therefore one task: it needs the source of rows and the
number of the block, and returns rows of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, padded, tile_product
from subspan.handover import Representation
from subspan.kernels.consensus import average_solutions
from subspan.kernels.pursuit import CHUNK, advance, begin, pursue
from subspan.kernels.state import (
    DEPENDENT,
    TWINS,
    Dictionary,
    Memory,
    Picks,
    Points,
    PursuitState,
    Rules,
    new_memory,
    new_state,
)
from subspan.self_expression.gram import gathered_matrix, gram_matrix, squared_norms
from subspan.self_expression.plan import GramPlan, choose_gram_plan
from subspan.sources import Source

Floats = NDArray[np.floating]


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
class Block:
    """Rows of C for one block of points, with the account of how they came about."""

    lengths: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: Floats
    n_iter: int
    # (max_iter, 2): squared change and squared norm of the coefficients at each outer iteration.
    sums: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class Workspace:
    """Buffers of one running task."""

    correlations: Floats
    base: Floats
    scores: Floats
    tops: NDArray[np.signedinteger]
    cross: NDArray[np.float64]
    state: PursuitState
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
        block_rows: int = 4 * TILE,
    ) -> None:
        self.source = source
        self.settings = settings
        self.gram_plan = gram_plan
        self.block_rows = block_rows
        every_point = gram_plan in ("shared", "gathered")
        self.atom_rows = np.arange(source.shape[0]) if every_point else used_atoms(dictionaries)
        self.atoms = padded(source.take(self.atom_rows))
        self.atom_norms = squared_norms(self.atoms)
        self.atom_of_row = np.full(source.shape[0], -1, np.int32)
        self.atom_of_row[self.atom_rows] = np.arange(len(self.atom_rows))
        self.unit_norm = unit_norm
        longest = np.sqrt(self.atom_norms.max())
        # The greedy rule divides every score by the root of ||x||^2 + damping, which leaves at most 1.
        self.reach = longest if unit_norm or settings.selection == "psi" else 1.0
        kept = [self.atom_of_row[rows] for rows in dictionaries]
        self.dictionary_atoms = [padded(self.atoms[c]) for c in kept] if gram_plan == "residual" else []
        self.shared_gram = gram_matrix(self.atoms, threads) if every_point else None
        grams = [self._gram(columns, threads) for columns in kept]
        self.dictionaries = [
            self._dictionary(columns, gram) for columns, gram in zip(kept, grams, strict=True)
        ]

    @property
    def n_blocks(self) -> int:
        """Number of blocks that make up all rows."""
        return -(-self.source.shape[0] // self.block_rows)

    def __call__(self, block: int) -> Block:
        """Solve block number `block`."""
        first = block * self.block_rows
        last = min(first + self.block_rows, self.source.shape[0])
        work = self._workspace()
        return join_blocks(
            [self._tile(start, min(start + TILE, last), work) for start in range(first, last, TILE)]
        )

    @property
    def _rules(self) -> Rules:
        settings, dtype = self.settings, self.atoms.dtype
        return Rules(
            n_nonzero=settings.n_nonzero,
            damping=float(settings.damping),
            squared_tol=float(settings.residual_tol) ** 2,
            precision=float(np.finfo(dtype).eps),
            greedy=settings.selection == "greedy",
            unit_norm=self.unit_norm,
            from_dropped=settings.candidates == "all",
            reach=float(self.reach),
            magnitude_mask=_bits_type(dtype)(np.iinfo(_bits_type(dtype)).max),
        )

    def _gram(self, columns: NDArray[np.int32], threads: int) -> Floats:
        """Gram matrix of one sub-dictionary; the same bit for bit whichever plan it comes from."""
        if self.gram_plan == "shared" and self.shared_gram is not None:
            return self.shared_gram
        if self.gram_plan == "gathered" and self.shared_gram is not None:
            return gathered_matrix(self.shared_gram, columns, threads)
        if self.gram_plan == "per_dictionary":
            return gram_matrix(padded(self.atoms[columns]), threads)
        return np.empty((0, 0), self.atoms.dtype)

    def _dictionary(self, columns: NDArray[np.int32], gram: Floats) -> Dictionary:
        n_atoms, dtype = len(self.atom_rows), self.atoms.dtype
        position = np.full(n_atoms, -1, np.int32)
        weights = np.ones(0, dtype)
        if self.settings.selection == "greedy" and not self.unit_norm:
            weights = (1 / np.sqrt(self.atom_norms + self.settings.damping)).astype(dtype)
        if self.gram_plan == "shared":
            position[columns] = columns
            kept = np.zeros(len(self.atoms), dtype)
            kept[columns] = weights[columns] if len(weights) else 1
            return Dictionary(np.empty(0, np.int32), position, gram, kept)
        position[columns] = np.arange(len(columns))
        weights = weights[columns] if len(weights) else weights
        return Dictionary(columns, position, gram, weights)

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
        n_slots = TILE if self.gram_plan == "residual" else 1
        shape = (n_subproblems, TILE, s)
        return Workspace(
            correlations=np.empty((TILE, n_atoms if self.shared_gram is None else 0), dtype),
            base=np.empty(longest, dtype),
            scores=np.empty(longest, dtype),
            tops=np.empty(longest // CHUNK + 1, _bits_type(dtype)),
            cross=np.empty(s),
            state=new_state(n_slots, s, self._capacity, dtype),
            picks=Picks(np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape[:2], np.int32)),
            totals=np.zeros(n_atoms),
            times=np.zeros(n_atoms, np.int32),
            touched=np.zeros(n_atoms, np.int32),
        )

    def _points(self, rows: Floats, start: int, stop: int, work: Workspace) -> Points:
        """The tile with its correlations; the target c_j of every point is still zero."""
        capacity = self._capacity
        own = np.full(TILE, -1, np.int32)
        own[: stop - start] = self.atom_of_row[start:stop]
        if self.shared_gram is not None:
            # The atoms are the points, so their correlations are rows of the Gram matrix.
            correlations = self.shared_gram[start : start + TILE]
        else:
            correlations = tile_product(rows, self.atoms, out=work.correlations)
        return Points(
            correlations=correlations,
            squared_norms=squared_norms(rows),
            own=own,
            active=np.arange(TILE) < stop - start,
            target_index=np.zeros((TILE, capacity), np.int32),
            target_value=np.zeros((TILE, capacity)),
            target_count=np.zeros(TILE, np.int32),
        )

    def _tile(self, start: int, stop: int, work: Workspace) -> Block:
        settings = self.settings
        rows = padded(self.source.rows(start, stop))
        points = self._points(rows, start, stop, work)
        counts = np.zeros(2, np.int64)
        sums = np.zeros((settings.max_iter, 2))
        memories = self._memories()
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
        sums[n_iter:, 1] = sums[n_iter - 1, 1]
        n = stop - start
        listed = np.arange(points.target_index.shape[1]) < points.target_count[:n, None]
        support = listed & (points.target_value[:n] != 0)
        indices = self.atom_rows[points.target_index[:n][support]].astype(np.int32)
        values = points.target_value[:n][support].astype(rows.dtype)
        return Block(support.sum(axis=1).astype(np.int32), indices, values, n_iter, sums, counts)

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
        dictionary = self.dictionaries[t]
        picks = Picks(work.picks.indices[t], work.picks.values[t], work.picks.counts[t])
        n = len(dictionary.columns) or len(self.atoms)
        scores = work.scores[:n]
        bits = scores.view(_bits_type(scores.dtype))
        given = (points, dictionary, self.atoms, self.atom_norms, self._rules, work.state)
        if self.gram_plan != "residual":
            pursue(*given, work.base[:n], scores, bits, work.tops, work.cross, memory, picks, counts)
            return
        residuals = rows.copy()
        begin(points, dictionary, self._rules, work.state, picks)
        n_running = 1
        while n_running:
            products = tile_product(residuals, self.dictionary_atoms[t])
            n_running = advance(
                products, rows, *given, scores, bits, work.tops, work.cross, picks, residuals, counts
            )


def represent(
    source: Source,
    dictionaries: Sequence[NDArray[np.int64]],
    settings: ConsensusSettings,
    *,
    budget: int,
    unit_norm: bool = True,
    gram_plan: GramPlan | None = None,
    threads: int = 1,
    block_rows: int = 4 * TILE,
) -> Representation:
    """Coefficients of every point of `source` over random sub-dictionaries.

    Parameters
    ----------
    source : Source
        The points, distinct and without zero rows.
    dictionaries : sequence of index arrays
        Points kept by each sub-problem, see `subspan.self_expression.dictionaries`.
    settings : ConsensusSettings
    budget : int
        Bytes that Gram matrices may take; decides the plan unless `gram_plan` names it.
    unit_norm : bool
        Whether rows have unit norm.
    gram_plan : {"shared", "gathered", "per_dictionary", "residual"}, optional
    threads, block_rows : int
        How the work is split. They change nothing in the result.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.self_expression.dictionaries import sample_dictionaries
    >>> from subspan.sources import ArraySource
    >>> X, y = make_union_of_subspaces(3, 2, 8, 40, random_state=0)
    >>> kept = sample_dictionaries(120, 5, n_nonzero=3, dropout=0.3)
    >>> settings = ConsensusSettings(n_nonzero=3, damping=0.5, max_iter=3)
    >>> represent(ArraySource(X), kept, settings, budget=10**9).coefficients.shape
    (120, 120)
    """
    n_points, n_features = source.shape
    plan = gram_plan or choose_gram_plan(
        n_points, len(used_atoms(dictionaries)), [len(kept) for kept in dictionaries],
        n_features, settings.n_nonzero, source.dtype.itemsize, budget,
    )  # fmt: skip
    task = ConsensusTask(
        source, dictionaries, settings,
        gram_plan=plan, unit_norm=unit_norm, threads=threads, block_rows=block_rows,
    )  # fmt: skip
    return assemble(list(run_in_threads(task, range(task.n_blocks), threads)), source.shape[0])


def join_blocks(parts: list[Block]) -> Block:
    """Blocks that follow one another, as one."""
    return Block(
        lengths=np.concatenate([part.lengths for part in parts]),
        indices=np.concatenate([part.indices for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        n_iter=max(part.n_iter for part in parts),
        sums=np.sum([part.sums for part in parts], axis=0),
        counts=np.sum([part.counts for part in parts], axis=0),
    )


def assemble(blocks: list[Block], n_points: int) -> Representation:
    """The coefficient matrix of all blocks, with their common account."""
    whole = join_blocks(blocks)
    indptr = np.concatenate([[0], np.cumsum(whole.lengths, dtype=np.int64)])
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    coefficients = csr_array((whole.values, whole.indices, indptr), shape=(n_points, n_points))
    changes = np.sqrt(whole.sums[: whole.n_iter, 0] / np.maximum(whole.sums[: whole.n_iter, 1], 1e-300))
    counts = {
        "empty_representations": int((whole.lengths == 0).sum()),
        "dependent_atoms": int(whole.counts[DEPENDENT]),
        "twins": int(whole.counts[TWINS]),
    }
    return Representation(coefficients, whole.n_iter, tuple(changes.tolist()), counts)


def used_atoms(dictionaries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Sorted rows that some sub-dictionary kept."""
    return np.unique(np.concatenate(dictionaries))


def _bits_type(dtype: np.dtype) -> type[np.signedinteger]:
    return np.int32 if dtype.itemsize == 4 else np.int64
