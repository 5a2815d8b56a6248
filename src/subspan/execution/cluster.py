"""Blocks solved by the workers of a Dask cluster.

A task is the description of the job and the number of a block; its result goes to the work directory, which
all workers must reach. Nothing large passes the scheduler, and a block that is solved twice is the same.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from subspan.execution.blocks import Arrays, Job, read_blocks
from subspan.execution.threads import single_threaded_libraries
from subspan.execution.work_directory import WorkDirectory
from subspan.sources.extras import optional_import

# Tasks that wait at each thread of the cluster, so that none runs dry while the scheduler hears of it.
WAITING = 3
# Times that a block may lose its worker before the job gives up.
RETRIES = 5


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """A client of `n_workers` processes on this machine, which nobody else can reach."""
    distributed = _distributed()
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # On a free port of the loopback device: 8787, the default, may be taken by another cluster.
            dashboard_address="127.0.0.1:0",
            # What goes wrong reaches the caller as an error; the rest is noise on the way out.
            silence_logs=logging.ERROR,
            # The memory plan is ours; a worker that Dask kills for its size would only start again.
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def run_on_cluster(job: Job, client: Any, work: WorkDirectory) -> Iterator[Arrays]:
    """The blocks of a job in order, after the cluster has solved those that the work directory lacks."""
    with work.held():
        missing = work.missing(job.n_blocks)
        if missing:
            _solve_remotely(job, client, work, missing)
        yield from read_blocks(work, job.n_blocks)


def _solve_remotely(job: Job, client: Any, work: WorkDirectory, numbers: Sequence[int]) -> None:
    """Keep every thread of the cluster supplied until all blocks are on disk."""
    distributed = _distributed()
    recipe = pickle.dumps(job)
    waiting = iter(numbers)

    def submit(number: int) -> Any:
        return client.submit(
            solve_block, recipe, str(work.path), work.job, number, pure=False, retries=RETRIES
        )

    width = WAITING * max(1, sum(client.nthreads().values()))
    running = distributed.as_completed([submit(number) for number in islice(waiting, width)])
    try:
        for future in running:
            future.result()
            for number in islice(waiting, 1):
                running.add(submit(number))
    except (OSError, distributed.CancelledError, distributed.KilledWorker) as error:
        raise OSError(
            f"executor: the cluster was lost ({error}); finished blocks are in {work.path}, "
            "and the same call goes on from there."
        ) from error
    finally:
        running.clear()


def solve_block(recipe: bytes, path: str, job: dict[str, Any], number: int) -> int:
    """Solve a block and write it; runs on a worker."""
    with single_threaded_libraries():
        arrays = _prepared(recipe)(number)
    WorkDirectory(Path(path), job).write(number, arrays)
    return number


_preparing = Lock()


def _prepared(recipe: bytes) -> Callable[[int], Arrays]:
    """What all blocks of a job share, made once in a worker, by the first of its threads."""
    with _preparing:
        return _make(recipe)


@lru_cache(maxsize=1)
def _make(recipe: bytes) -> Callable[[int], Arrays]:
    # The recipe comes from the client, whose word a worker runs anyway.
    job: Job = pickle.loads(recipe)  # noqa: S301
    return job.task(1)


def _distributed() -> Any:
    return optional_import("distributed", package="Dask", extra="dask")
