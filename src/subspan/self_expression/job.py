"""The representation of all points as a job that consists of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.execution.blocks import run_blocks
from subspan.execution.threads import run_in_threads, single_threaded_blas
from subspan.handover import Representation
from subspan.self_expression.anchored import AnchoredTask
from subspan.self_expression.blocks import Block, assemble
from subspan.self_expression.consensus import BLOCK_ROWS, ConsensusSettings, ConsensusTask, used_atoms
from subspan.self_expression.kept import Kept, choose_kept
from subspan.sources import ArraySource, Source

# In place of a rule of selection: one dictionary of all points, one pass, no damping.
ANCHORED = "anchored"
# Enough that most clusters have a pivot near them; few enough that most groups fill a tile.
N_PIVOTS = 64
ROWS_PER_TASK = 1024


@dataclass(frozen=True)
class ConsensusJob:
    """Everything that determines the coefficients; small enough to be sent to workers, but for its source."""

    source: Source
    # Draws the sub-dictionaries, always the same ones.
    dictionaries: Callable[[], Sequence[NDArray[np.int64]]]
    settings: ConsensusSettings
    # Which 8-bit numbers are kept; no bit of the coefficients depends on it.
    kept: Kept
    block_rows: int = BLOCK_ROWS
    # The order in which points are visited, if not that of the rows. A block is a part of this order.
    order: NDArray[np.int64] | None = None

    @property
    def n_blocks(self) -> int:
        """Number of blocks that make up all rows."""
        return -(-self.source.shape[0] // self.block_rows)

    @property
    def is_anchored(self) -> bool:
        """Whether pursuits start at the nearest point, as flats off the origin need it."""
        return self.settings.selection == ANCHORED

    def prepared(self, threads: int) -> ConsensusTask:
        """What the blocks share."""
        return ConsensusTask(
            self.source, self.dictionaries(), self.settings,
            kept=self.kept, threads=threads, block_rows=self.block_rows, order=self.order,
        )  # fmt: skip

    def task(self, threads: int) -> Callable[[int], dict[str, NDArray[Any]]]:
        """A function from the number of a block to the arrays of its result."""
        solve: Callable[[int], Block]
        if self.is_anchored:
            settings = self.settings
            solve = AnchoredTask(
                self.source, settings.n_nonzero, settings.residual_tol, self.block_rows, self.order
            )
        else:
            solve = self.prepared(threads)
        return lambda number: solve(number).arrays()


def kept_for(source: Source, dictionaries: Sequence[NDArray[np.int64]], n_nonzero: int, budget: int) -> Kept:
    """The fastest choice for these points and dictionaries that fits into `budget` bytes."""
    n_points, n_features = source.shape
    sizes = [len(kept) for kept in dictionaries]
    return choose_kept(n_points, len(used_atoms(dictionaries)), sizes, n_features, n_nonzero, budget)


def represent(
    source: Source,
    dictionaries: Sequence[NDArray[np.int64]],
    settings: ConsensusSettings,
    *,
    budget: int,
    kept: Kept | None = None,
    threads: int = 1,
    block_rows: int = BLOCK_ROWS,
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
        Bytes that 8-bit numbers may take; decides which are kept unless `kept` says so.
    kept : {"none", "shared", "dictionaries", "all"}, optional
        See `subspan.self_expression.kept`.
    threads, block_rows : int
        How the work is split.

    Notes
    -----
    None of `budget`, `kept`, `threads` and `block_rows` changes a bit of the result.

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
    kept = kept or kept_for(source, dictionaries, settings.n_nonzero, budget)
    job = ConsensusJob(source, partial(list, dictionaries), settings, kept, block_rows)
    return solve_in_memory(job, threads)


def solve_in_memory(job: ConsensusJob, threads: int) -> Representation:
    """All blocks of a job as one representation."""
    with single_threaded_blas:
        job = _in_visiting_order(job, threads)
        blocks = run_blocks(job, threads)
        return assemble(map(Block.from_arrays, blocks), job.source.shape[0], job.order)


def follow_in_memory(job: ConsensusJob, threads: int) -> list[Representation]:
    """The representation after each of the outer iterations, as if it were the last."""
    with single_threaded_blas:
        job = _in_visiting_order(job, threads)
        courses = list(run_in_threads(job.prepared(threads).course, range(job.n_blocks), threads, "blocks"))
    return [assemble(blocks, job.source.shape[0], job.order) for blocks in zip(*courses, strict=True)]


def _in_visiting_order(job: ConsensusJob, threads: int) -> ConsensusJob:
    """The job with its points in an order that makes good use of the cache."""
    if not isinstance(job.source, ArraySource):
        return job
    return replace(job, order=visiting_order(job.source.array, threads))


def visiting_order(points: NDArray[np.floating], threads: int = 1) -> NDArray[np.int64]:
    """An order in which points that are likely to pick the same atoms follow one another.

    A point picks atoms of its own subspace. If the next point is of the same subspace, these atoms are still
    in the cache. Points are grouped by the pivot, one of N_PIVOTS points, that they are most correlated with.
    The next group is the one whose pivot the points of the last group are most correlated with.

    Examples
    --------
    >>> visiting_order(np.array([[1.0, 0.1], [0.1, 1.0], [-1.0, 0.2], [0.2, 1.0]])).tolist()
    [0, 2, 1, 3]
    """
    n = len(points)
    pivots = points[np.unique(np.linspace(0, n - 1, N_PIVOTS).astype(np.int64))]

    def compare(start: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest pivot of some points, and the sums of their correlations with all pivots by group."""
        squares = (points[start : start + ROWS_PER_TASK] @ pivots.T).astype(np.float64) ** 2
        nearest = squares.argmax(axis=1)
        members = nearest == np.arange(len(pivots))[:, None]
        return nearest, members.astype(np.float64) @ squares

    compared = list(run_in_threads(compare, range(0, n, ROWS_PER_TASK), threads, "blocks of rows"))
    place = np.empty(len(pivots), np.int64)
    place[_chain(np.sum([likeness for _, likeness in compared], axis=0))] = np.arange(len(pivots))
    return np.argsort(place[np.concatenate([nearest for nearest, _ in compared])], kind="stable")


def _chain(likeness: NDArray[np.float64]) -> list[int]:
    """Order of the groups: each is followed by the most correlated one that is left."""
    chain = [0]
    left = np.ones(len(likeness), bool)
    left[0] = False
    while left.any():
        chain.append(int(np.where(left, likeness[chain[-1]], -1.0).argmax()))
        left[chain[-1]] = False
    return chain
