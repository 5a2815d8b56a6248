"""What it costs to keep finished blocks on disk, and to have processes of a Dask cluster solve them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.speed.data import features
from benchmarks.speed.machine import THREADS, touch_memory

from subspan.execution.blocks import run_blocks
from subspan.execution.cluster import local_cluster, run_on_cluster
from subspan.execution.work_directory import WorkDirectory
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob
from subspan.sources import open_source, scan

N, D, M, S, T, ITERATIONS = 40_000, 100, 1000, 10, 15, 3
REPEATS = 3


def job_of(n_points: int, folder: Path) -> ConsensusJob:
    """The representation of points in a file, which are looked at again as they are read."""
    path = folder / f"{n_points}.npy"
    np.save(path, features(n_points, D))
    source = open_source(path)
    draw = partial(sample_dictionaries, n_points, T, n_nonzero=S, dropout=0.0, size=M)
    settings = ConsensusSettings(n_nonzero=S, damping=1.0, max_iter=ITERATIONS)
    return ConsensusJob(scan(source, normalize=True).watched(source), draw, settings, "dictionaries")


@contextmanager
def weighed(client: Any) -> Iterator[list[int]]:
    """Bytes of every message that the client sends to the scheduler meanwhile."""
    from distributed.protocol import dumps

    sizes: list[int] = []
    send = client._send_to_scheduler

    def weigh(message: dict[str, Any]) -> None:
        sizes.append(sum(map(len, dumps(message))))
        send(message)

    client._send_to_scheduler = weigh
    try:
        yield sizes
    finally:
        client._send_to_scheduler = send


def seconds(blocks: Iterator[Any]) -> float:
    """Time until all blocks have come."""
    start = time.perf_counter()
    for _ in blocks:
        pass
    return time.perf_counter() - start


def measure(job: ConsensusJob, client: Any, folder: Path) -> tuple[dict[str, float], list[int]]:
    """Medians of runs that take turns, and the bytes sent to the scheduler in one of them."""
    times: dict[str, list[float]] = {"threads": [], "work_dir": [], "dask": []}
    for number in range(REPEATS):
        kept, shared = (WorkDirectory(folder / f"{name}-{number}", {}) for name in ("kept", "shared"))
        times["threads"].append(seconds(run_blocks(job, THREADS)))
        times["work_dir"].append(seconds(run_blocks(job, THREADS, kept)))
        with weighed(client) as sizes:
            times["dask"].append(seconds(run_on_cluster(job, client, shared)))
    return {way: median(found) for way, found in times.items()}, sizes


def run() -> dict[str, float]:
    """Ratios, all in one run on the same data."""
    touch_memory(10**9)
    with tempfile.TemporaryDirectory() as name, local_cluster(THREADS) as client:
        folder = Path(name)
        small = job_of(4 * M, folder)
        # Compiled code is loaded by all who take part before the clock starts.
        seconds(run_blocks(small, THREADS))
        seconds(run_on_cluster(small, client, WorkDirectory(folder / "small", {})))
        job = job_of(N, folder)
        times, sizes = measure(job, client, folder)
    return {
        "two threads, seconds": times["threads"],
        "with a work directory / without (asked: <= 1.02)": times["work_dir"] / times["threads"],
        "two Dask workers / two threads, both with a work directory (asked: <= 1.25)": times["dask"]
        / times["work_dir"],
        "tasks": float(job.n_blocks),
        "bytes sent to the scheduler, in all (asked: < 1 000 000)": float(sum(sizes)),
        "bytes of the largest message": float(max(sizes)),
    }
