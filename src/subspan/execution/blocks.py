"""Jobs that consist of independent blocks, and how they are run in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from numpy.typing import NDArray

from subspan.execution.steps import steps
from subspan.execution.threads import run_in_threads
from subspan.execution.work_directory import WorkDirectory

Arrays = dict[str, NDArray[Any]]


class Job(Protocol):
    """What a worker needs to know to solve any of the blocks."""

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""

    def task(self, threads: int) -> Callable[[int], Arrays]:
        """Prepare what the blocks share; the function returned solves the block of a number."""


def run_blocks(job: Job, threads: int, work: WorkDirectory | None = None) -> Iterator[Arrays]:
    """The blocks of a job in order; those that the work directory has are not solved again."""
    if work is None:
        yield from run_in_threads(job.task(threads), range(job.n_blocks), threads, "blocks")
        return
    with work.held():
        missing = work.missing(job.n_blocks)
        if missing:
            _solve(job, missing, threads, work)
        yield from read_blocks(work, job.n_blocks)


def _solve(job: Job, missing: list[int], threads: int, work: WorkDirectory) -> None:
    """Solve blocks and write them; what they share is freed before the blocks are read."""
    solve = job.task(threads)
    with steps("blocks", job.n_blocks, found=job.n_blocks - len(missing)) as advance:

        def finish(number: int) -> None:
            work.write(number, solve(number))
            advance(1)

        for _ in run_in_threads(finish, missing, threads):
            pass


def read_blocks(work: WorkDirectory, n_blocks: int) -> Iterator[Arrays]:
    """All blocks of a job that is finished, in order."""
    for number in range(n_blocks):
        yield read_block(work, number)


def read_block(work: WorkDirectory, number: int) -> Arrays:
    """A block that is known to be finished."""
    block = work.read(number)
    if block is None:
        raise OSError(f"work_dir: block {number} in {work.path} was damaged while the job was running.")
    return block
