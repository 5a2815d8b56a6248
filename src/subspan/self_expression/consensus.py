"""Consensus OMP (Algorithm 2 of the paper): all sub-problems and outer iterations, block by block.

Once the dictionaries are drawn, the coefficients of a point do not depend on those of other points. So all
sub-problems and iterations of one block of points are one task. It needs the source of rows and the number of
the block, and returns rows of C.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.execution.tiles import TILE, norms_of
from subspan.kernels.consensus import average_solutions
from subspan.kernels.pursuit.state import Queries, Rules
from subspan.self_expression.blocks import Block, join_blocks
from subspan.self_expression.engine import Engine, Workspace, padded_features
from subspan.self_expression.kept import TILE_ROWS, Kept
from subspan.sources import Source

Norms = NDArray[np.float64]

# Points of a block by default.
BLOCK_ROWS = 4 * TILE


@dataclass(frozen=True)
class ConsensusSettings:
    """What the caller wants of the coefficients; the names are those of the estimators."""

    n_nonzero: int
    damping: float = 0.0
    residual_tol: float = 1e-3
    max_iter: int = 1
    tol: float = 1e-3
    selection: str = "psi"
    candidates: Literal["preserved", "all"] = "preserved"
    average: Literal["all", "chosen"] = "all"


class Selection(NamedTuple):
    """A rule of selection.

    An atom with weight w, correlation r with the residual and target c has the score
    w^2 (r^2 + cross r c + square c^2); the largest is picked.
    """

    weights: NDArray[np.float64]
    cross: float
    square: float


def psi(norms: Norms, damping: float) -> Selection:
    """The paper's psi: r^2 + 2 damping r c - damping c^2."""
    return Selection(np.ones_like(norms), 2 * damping, -damping)


def greedy(norms: Norms, damping: float) -> Selection:
    """Largest decrease of the objective: (r + damping c)^2 / (||x||^2 + damping)."""
    return Selection(1 / np.sqrt(norms**2 + damping), 2 * damping, damping**2)


# By the names that estimators take.
SELECTIONS: dict[str, Callable[[Norms, float], Selection]] = {"psi": psi, "greedy": greedy}


class ConsensusTask:
    """Everything a block needs besides its own rows. Calling it with a block number solves the block.

    Parameters
    ----------
    source : Source
    dictionaries : sequence of arrays
        Rows kept by each sub-problem.
    settings : ConsensusSettings
    kept : {"none", "shared", "dictionaries", "all"}
        Which 8-bit numbers are kept, see `subspan.self_expression.kept`.
    threads : int
        For what blocks share.
    block_rows : int
    order : array of shape (n_points,), optional
        In which the points are visited, if not as they come.
    """

    def __init__(
        self,
        source: Source,
        dictionaries: Sequence[NDArray[np.int64]],
        settings: ConsensusSettings,
        *,
        kept: Kept,
        threads: int = 1,
        block_rows: int = BLOCK_ROWS,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        self.source = source
        self.settings = settings
        self.block_rows = block_rows
        self.order = order
        # Row of each atom. If numbers between all points are kept, points in no dictionary are atoms too, so
        # that every query has its numbers.
        atom_rows = used_atoms(dictionaries)
        if kept in ("shared", "all"):
            atom_rows = np.arange(source.shape[0])
        # Atoms that the same queries are likely to pick are stored together, for the cache.
        if order is not None:
            atom_rows = order[np.isin(order, atom_rows)]
        self.atom_of_row = np.full(source.shape[0], -1, np.int32)
        self.atom_of_row[atom_rows] = np.arange(len(atom_rows))
        rows = source.take(atom_rows)
        selection = SELECTIONS[settings.selection](norms_of(rows), settings.damping)
        members = [np.sort(self.atom_of_row[kept_rows]) for kept_rows in dictionaries]
        rules = rules_of(settings, selection, rows.dtype)
        self.engine = Engine(rows, atom_rows, members, rules, selection.weights, kept, threads)
        # Most atoms that a point can have.
        self._n_targets = min(settings.n_nonzero * len(dictionaries), len(rows))

    def __call__(self, block: int) -> Block:
        """Solve block number `block`."""
        return join_blocks([deque(course, maxlen=1).pop() for course in self._courses(block)])

    def course(self, block: int) -> list[Block]:
        """Block number `block` after each of the outer iterations, as if it were the last."""
        return [join_blocks(parts) for parts in zip(*self._courses(block), strict=True)]

    def _courses(self, block: int) -> Iterator[Iterator[Block]]:
        """The tiles of a block, each after each of the outer iterations."""
        first = block * self.block_rows
        last = min(first + self.block_rows, self.source.shape[0])
        size = TILE_ROWS[self.engine.kept]
        work = self.engine.workspace(size, self._n_targets)
        n_atoms = len(self.engine.atoms.rows)
        averaging = np.zeros(n_atoms), np.zeros(n_atoms, np.int32), np.zeros(n_atoms, np.int32)
        for start in range(first, last, size):
            yield self._course(self._queries(start, min(start + size, last)), work, averaging)

    def _queries(self, start: int, stop: int) -> Queries:
        """The points of a tile; the target c of every one is still zero."""
        if self.order is None:
            numbers = np.arange(start, stop)
            rows = padded_features(self.source.rows(start, stop))
        else:
            numbers = self.order[start:stop]
            rows = padded_features(self.source.take(numbers))
        n = len(rows)
        return Queries(
            rows=rows,
            norms=norms_of(rows),
            own=self.atom_of_row[numbers].astype(np.int64),
            active=np.ones(n, np.bool_),
            target_atoms=np.zeros((n, self._n_targets), np.int32),
            target_values=np.zeros((n, self._n_targets)),
            target_counts=np.zeros(n, np.int32),
        )

    def _course(
        self,
        queries: Queries,
        work: Workspace,
        averaging: tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]],
    ) -> Iterator[Block]:
        """The coefficients of a tile after each of the outer iterations."""
        settings, engine = self.settings, self.engine
        query_bytes = engine.bytes_of(queries)
        events = np.zeros(2, np.int64)
        # Changes are summed over TILE points at a time, so that no bit depends on the size of a tile.
        n = len(queries.rows)
        squares, pieces = np.zeros((n, 2)), range(0, n, TILE)
        sums = np.zeros((len(pieces), settings.max_iter, 2))
        n_iter = 0
        while n_iter < settings.max_iter and queries.active.any():
            for number in range(len(engine.dictionaries)):
                engine.solve(number, queries, query_bytes, work, events)
            average_solutions(
                work.picks, queries, engine.atoms.numbers, settings.average == "chosen", settings.tol**2,
                *averaging, squares,
            )  # fmt: skip
            sums[:, n_iter] = [squares[first : first + TILE].sum(axis=0) for first in pieces]
            n_iter += 1
            block = self._block(queries, n_iter, sums[:, :n_iter], events)
            yield block
        # A tile whose points have all converged does not change any more.
        sums[:, n_iter:, 1] = sums[:, n_iter - 1 : n_iter, 1]
        for i in range(n_iter, settings.max_iter):
            yield replace(block, sums=sums[:, : i + 1])

    def _block(
        self, queries: Queries, n_iter: int, sums: NDArray[np.float64], events: NDArray[np.int64]
    ) -> Block:
        """The coefficients of a tile as they are now."""
        listed = np.arange(queries.target_atoms.shape[1]) < queries.target_counts[:, None]
        support = listed & (queries.target_values != 0)
        atoms = self.engine.atoms
        indices = atoms.numbers[queries.target_atoms[support]].astype(np.int32)
        values = queries.target_values[support].astype(atoms.rows.dtype)
        lengths = support.sum(axis=1).astype(np.int32)
        return Block(lengths, indices, values, n_iter, sums.copy(), events.copy())


def rules_of(settings: ConsensusSettings, selection: Selection, dtype: np.dtype) -> Rules:
    """The settings as pursuits read them."""
    return Rules(
        n_nonzero=settings.n_nonzero,
        damping=float(settings.damping),
        squared_tol=float(settings.residual_tol) ** 2,
        precision=float(np.finfo(dtype).eps),
        cross=float(selection.cross),
        square=float(selection.square),
        from_dropped=settings.candidates == "all",
    )


def used_atoms(dictionaries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Sorted rows that some sub-dictionary kept."""
    return np.unique(np.concatenate(dictionaries))
