"""Blocks solved by the workers of a Dask cluster.

A task is the description of the job and the number of a block; its result goes to the work directory, which
all workers must reach. No large data pass through the scheduler. A block that is solved twice is the same.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from socket import gethostname
from threading import Lock
from typing import Any

from subspan.execution.blocks import Arrays, Job, read_blocks
from subspan.execution.dispatch import PATIENCE, Patience, dispatch, distributed
from subspan.execution.local_worker import leaving
from subspan.execution.recipes import packed, unpacked
from subspan.execution.steps import steps
from subspan.execution.threads import cancel_with, single_threaded_libraries
from subspan.execution.work_directory import WorkDirectory
from subspan.extras import optional_import
from subspan.handover import InputError

# Seconds to wait for a scheduler to answer.
TIMEOUT = 5
# What Dask can connect to; of anything else it would try to close a connection that never was.
ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^\s/]+:\d{1,5}|inproc://\S+")
# Dask's web server does not ask for keys, so all of its pages are switched off.
NO_PAGES: dict[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """A client of `n_workers` processes on this machine.

    Other users of the machine can reach its ports, so every connection needs the keys that are made here
    for this cluster and are gone with it. There is no dashboard.
    """
    # `distributed` is imported first: otherwise the end of `config.set` also removes its own settings.
    package, dask = distributed(), optional_import("dask", package="Dask", extra="dask")
    optional_import("cryptography", package="cryptography", extra="dask")
    security = package.Security.temporary()
    with (
        # A worker that was killed is started again; on a busy machine that may take longer than Dask waits.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "5 minutes", **NO_PAGES}),
        package.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tls://",
            security=security,
            # On a free port: 8787, the default, may be taken by another cluster.
            dashboard_address="127.0.0.1:0",
            # Failures reach the caller as errors, so the log is not needed.
            silence_logs=logging.ERROR,
            # The memory is planned by us. A worker that Dask kills for its size would only start again.
            memory_limit=0,
            preload="subspan.execution.local_worker",
        ) as cluster,
        # Not the default client, so that the user's Dask arrays do not use it.
        package.Client(cluster, security=security, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def connected(address: str, *, timeout: float = TIMEOUT) -> Iterator[Any]:
    """A client of the scheduler at an address such as tcp://10.0.0.1:8786."""
    if not ADDRESS.fullmatch(address):
        raise InputError(f"{address!r} is no address of a scheduler; write it like tcp://10.0.0.1:8786.")
    # Failures reach the caller as errors; Dask would also write long logs about them.
    with distributed().utils.silence_logging_cmgr(logging.CRITICAL):
        try:
            client = distributed().Client(address, timeout=timeout, set_as_default=False)
        # On a busy machine Dask may stop at an assertion of its own where it cannot connect.
        except (OSError, ValueError, AssertionError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise InputError(f"No Dask scheduler answers at {address} ({reason}).") from error
        with client:
            yield client


def run_on_cluster(
    job: Job, client: Any, work: WorkDirectory, *, patience: Patience = PATIENCE
) -> Iterator[Arrays]:
    """The blocks of a job in order, after the cluster has solved those that the work directory lacks."""
    with work.held():
        missing = work.missing(job.n_blocks)
        if missing:
            _solve_remotely(job, client, work, missing, patience)
        yield from read_blocks(work, job.n_blocks)


def _solve_remotely(
    job: Job, client: Any, work: WorkDirectory, numbers: Sequence[int], patience: Patience
) -> None:
    """Keep every thread of the cluster supplied until all blocks are on disk."""
    # Workers may have another current folder.
    folder = work.path.absolute()
    solve = partial(solve_block, packed(job, folder), str(folder), work.job)
    with steps("blocks", job.n_blocks, found=job.n_blocks - len(numbers)) as advance:
        for _ in dispatch(client, solve, numbers, work.path, patience):
            advance(1)


def solve_block(recipe: bytes, path: str, job: dict[str, Any], number: int) -> None:
    """Solve a block and write it; runs on a worker."""
    folder = Path(path)
    if not folder.is_dir():
        raise InputError(
            "{work_dir:name}: there is no {} on {}; all workers have to reach it.",
            *(folder, gethostname()),
            work_dir=str(folder),
        )
    cancel_with(leaving)
    with single_threaded_libraries():
        arrays = _prepared(recipe, folder)(number)
    WorkDirectory(folder, job).write(number, arrays)


_preparing = Lock()


def _prepared(recipe: bytes, folder: Path) -> Callable[[int], Arrays]:
    """What all blocks of a job share, made once in a worker, by the first of its threads."""
    with _preparing:
        return _make(recipe, folder)


@lru_cache(maxsize=1)
def _make(recipe: bytes, folder: Path) -> Callable[[int], Arrays]:
    job: Job = unpacked(recipe, folder)
    return job.task(1)
