"""Where the work of a fit is done: on threads of this process, with a folder for results, or on a cluster."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from subspan.execution.blocks import Arrays, Job, run_blocks
from subspan.execution.cluster import run_on_cluster
from subspan.execution.files import lock_file, private, whole_file
from subspan.execution.memory import free_memory
from subspan.execution.work_directory import LOCK, WorkDirectory
from subspan.sources import ArraySource, Source
from subspan.sources.npy import NpySource


@dataclass(frozen=True)
class KeptState:
    """The state of a search, in a file that is replaced when there is a newer one."""

    work: WorkDirectory

    def load(self) -> dict[str, NDArray[Any]] | None:
        """The state kept last, if it can be trusted."""
        return self.work.read(0)

    def save(self, state: dict[str, NDArray[Any]]) -> None:
        """Keep a state instead of the one before."""
        self.work.write(0, state)


@dataclass(frozen=True)
class Workplace:
    """Threads, a folder and a cluster with one interface: `solve` blocks, `run_pass`, `keep` a state.

    Chosen once, at the beginning of a fit. No bit of a result depends on it.
    """

    # Threads of this process.
    threads: int
    # For finished blocks and states, so that an interrupted fit can be continued by the same call.
    folder: Path | None = None
    # A dask.distributed.Client, whose workers reach the folder.
    client: Any = None

    @property
    def on_cluster(self) -> bool:
        """Whether workers of a cluster do the work."""
        return self.client is not None

    def solve(self, job: Job, work: WorkDirectory | None) -> Iterator[Arrays]:
        """The blocks of a job in order; those that the work directory has are not solved again."""
        if self.client is None:
            return run_blocks(job, self.threads, work)
        assert work is not None
        return run_on_cluster(job, self.client, work)

    def run_pass(self, job: Job) -> Iterator[Arrays]:
        """The blocks of a job whose results nobody needs again."""
        if self.client is None:
            yield from run_blocks(job, self.threads)
            return
        # Vectors go to the workers and come back through files.
        with TemporaryDirectory(prefix="pass-", dir=self.folder) as folder:
            yield from self.solve(job, WorkDirectory(Path(folder), {"pass": folder}))

    @contextmanager
    def keep(self, identity: Mapping[str, Any]) -> Iterator[KeptState | None]:
        """A file for the state of the search that `identity` names; removed when the search has ended."""
        if self.folder is None:
            yield None
            return
        folder = self.folder / f"search-{WorkDirectory(self.folder, identity).key}"
        work = WorkDirectory(folder, identity)
        _remove_other_searches(folder)
        with work.held():
            yield KeptState(work)
        shutil.rmtree(folder, ignore_errors=True)

    def within_reach(self, source: Source, work: WorkDirectory | None) -> Source:
        """The source as workers can read it: arrays are written to a file beside the results."""
        if self.client is None or not isinstance(source, ArraySource):
            return source
        assert work is not None
        # Named after the job: another job may use this folder, and is only refused later.
        path = work.path / f"points-{work.key}.npy"
        work.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(path) as file:
            np.save(file, source.array)
        return NpySource(path)

    def sharers(self) -> int:
        """Most processes of the cluster on one machine; 1 without a cluster."""
        return max(self._workers_by_machine().values(), default=1)

    def free_memory(self) -> int:
        """Bytes that are free for each process at work, on the machine with least of them."""
        if self.client is None:
            return free_memory()
        n_workers = self._workers_by_machine()
        free = self.client.run(free_memory)
        shares = [room // n_workers[_machine(address)] for address, room in free.items()]
        return min(shares, default=free_memory())

    def _workers_by_machine(self) -> Counter[str]:
        addresses = () if self.client is None else self.client.nthreads()
        return Counter(_machine(address) for address in addresses)


def _remove_other_searches(folder: Path) -> None:
    """Remove the states of searches that were given up, such as one for another number of clusters."""
    for other in folder.parent.glob("search-*"):
        if other == folder or other.is_symlink():
            continue
        # A search whose lock is taken is in use.
        with suppress(OSError), open(other / LOCK, "a+", opener=private) as lock:
            lock_file(lock)
            shutil.rmtree(other, ignore_errors=True)


def _machine(address: str) -> str:
    """The machine of a worker, from an address such as tcp://10.0.0.1:40331.

    Examples
    --------
    >>> _machine("tcp://10.0.0.1:40331"), _machine("inproc://10.0.0.1/4242/1")
    ('10.0.0.1', '10.0.0.1')
    """
    return urlsplit(address).hostname or address
