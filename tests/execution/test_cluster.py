"""Blocks from a cluster of processes are those of one thread, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import dask.distributed
import numpy as np
import psutil
import pytest
from benchmarks.speed.overhead import weighed
from watching import Recorder, Seen

from subspan.datasets import make_union_of_subspaces
from subspan.execution.blocks import run_blocks
from subspan.execution.cluster import connected, local_cluster, run_on_cluster
from subspan.execution.dispatch import PATIENCE, ClusterLostError, Patience
from subspan.execution.steps import reporting_to
from subspan.execution.tiles import TILE
from subspan.execution.work_directory import WorkDirectory
from subspan.handover import InputError
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob
from subspan.sources import Subset, UnitRows, open_source, scan


@dataclass(frozen=True)
class Squares:
    """Every block takes a moment, so that there is time to disturb it."""

    n_blocks: int
    seconds: float = 0.02

    def task(self, threads: int) -> Callable[[int], dict[str, np.ndarray]]:
        def solve(number: int) -> dict[str, np.ndarray]:
            time.sleep(self.seconds)
            return {"values": np.arange(number, number + 5.0) ** 2}

        return solve


def values(blocks: Any) -> list[list[float]]:
    return [block["values"].tolist() for block in blocks]


@pytest.fixture(scope="module")
def client():
    with local_cluster(4) as client:
        # Dask would forgive three losses; we have to cope without that.
        client.cluster.scheduler.allowed_failures = 0
        yield client
    children = [" ".join(process.cmdline()) for process in psutil.Process().children(recursive=True)]
    assert not [command for command in children if "spawn_main" in command]
    assert dask.config.get("distributed.deploy.lost-worker-timeout") == "15s"


def worker_processes(client: Any) -> list[int]:
    return list(client.run(os.getpid).values())


def test_a_cluster_gives_what_a_thread_gives(client, tmp_path):
    job = Squares(40)
    work = WorkDirectory(tmp_path, {"seed": 1})
    assert values(run_on_cluster(job, client, work)) == values(run_blocks(job, 1))


def test_blocks_on_disk_are_not_solved_again(client, tmp_path):
    work = WorkDirectory(tmp_path, {"seed": 1})
    values(run_blocks(Squares(10), 1, work))
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.glob("block-*")}
    assert len(stamps) == 10
    (tmp_path / "block-00000004").write_bytes(b"damaged")
    recorder = Recorder()
    with reporting_to(recorder):
        values(run_on_cluster(Squares(12), client, work))
    assert recorder.seen == [Seen("", "blocks", 12, 9, 12, at_most=False)]
    changed = [path.name for path in sorted(stamps) if path.stat().st_mtime_ns != stamps[path]]
    assert changed == ["block-00000004"]
    assert len(list(tmp_path.glob("block-*"))) == 12


@dataclass(frozen=True)
class Case:
    """A small representation, and what its blocks on disk have to be."""

    job: ConsensusJob
    identity: dict[str, str]
    wanted: dict[str, bytes]


def on_disk(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.glob("block-????????")}


@pytest.fixture(scope="module")
def case(tmp_path_factory) -> Case:
    folder = tmp_path_factory.mktemp("points")
    X, _ = make_union_of_subspaces(4, 3, 30, 1280, noise=0.1, random_state=0, dtype=np.float32)
    np.save(folder / "X.npy", X)
    source = open_source(folder / "X.npy")
    # As after the first look at a file with copies in it.
    points = UnitRows(Subset(scan(source, True).watched(source), np.delete(np.arange(5120), [7, 900])))
    draw = partial(sample_dictionaries, 5118, 8, n_nonzero=3, dropout=0.5, size=300, seed=1)
    settings = ConsensusSettings(n_nonzero=3, damping=0.5, max_iter=12, tol=0.0)
    job = ConsensusJob(points, draw, settings, "dictionaries", block_rows=TILE)
    identity = {"data": points.fingerprint()}
    for threads in (2, 1):
        work = WorkDirectory(folder / f"{threads} threads", identity)
        assert len(list(run_blocks(job, threads, work))) == 40
    wanted = on_disk(folder / "1 threads")
    assert on_disk(folder / "2 threads") == wanted
    return Case(job, identity, wanted)


def solve(case: Case, client: Any, path: Path, patience: Patience = PATIENCE) -> dict[str, bytes]:
    work = WorkDirectory(path, case.identity)
    assert len(list(run_on_cluster(case.job, client, work, patience=patience))) == 40
    return on_disk(path)


@pytest.mark.parametrize(("share", "n_victims"), [(0.2, 1), (0.5, 1), (0.8, 1), (0.3, 4)])
def test_killed_workers_change_nothing(share, n_victims, case, client, tmp_path):
    client.wait_for_workers(4)
    victims = worker_processes(client)[:n_victims]
    killer = Thread(target=_kill_when, args=(tmp_path, int(share * 40), victims))
    killer.start()
    found = solve(case, client, tmp_path)
    killer.join()
    assert found == case.wanted
    assert not list(tmp_path.glob("*.part"))
    assert not set(victims) & set(worker_processes(client))


def _kill_when(path: Path, n_blocks: int, processes: list[int]) -> None:
    while len(on_disk(path)) < n_blocks:
        time.sleep(0.01)
    for process in processes:
        os.kill(process, signal.SIGKILL)


def test_a_block_that_ends_every_worker_is_named(client, tmp_path):
    message = r"^Every worker that took on part 0 was lost; what is finished is in .*goes on from there"
    with pytest.raises(ClusterLostError, match=message):
        list(run_on_cluster(Deadly(1), client, WorkDirectory(tmp_path, {}), patience=Patience(retries=0)))
    client.wait_for_workers(4)


@dataclass(frozen=True)
class Deadly:
    n_blocks: int

    def task(self, threads: int) -> Callable[[int], dict[str, np.ndarray]]:
        return lambda _: os.kill(os.getpid(), signal.SIGKILL)


def test_little_goes_through_the_scheduler(case, client, tmp_path):
    with weighed(client) as sizes:
        assert solve(case, client, tmp_path) == case.wanted
    assert len(sizes) >= 40
    assert max(sizes) < 2**13
    assert sum(sizes) < 10**6


def test_nobody_at_the_address():
    message = r"^No Dask scheduler answers at tcp://127\.0\.0\.1:1 \(.*\)\.$"
    with pytest.raises(InputError, match=message), connected("tcp://127.0.0.1:1", timeout=0.5):
        pass


def test_an_error_of_a_block_comes_through(client, tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(run_on_cluster(Failing(3), client, WorkDirectory(tmp_path, {})))


@dataclass(frozen=True)
class Failing:
    """No block of it can be solved."""

    n_blocks: int

    def task(self, threads: int) -> Callable[[int], dict[str, np.ndarray]]:
        return lambda number: {"values": np.array([number // 0])}


def test_a_cluster_of_any_size_and_of_none(case, client, tmp_path):
    """Last in this file: nobody is left afterwards."""
    for n_workers in (2, 1):
        client.cluster.scale(n_workers)
        _wait_for(client, n_workers)
        assert solve(case, client, tmp_path / f"{n_workers}") == case.wanted
    client.cluster.scale(0)
    _wait_for(client, 0)
    with pytest.raises(
        ClusterLostError, match="The cluster has had no workers for 1 seconds; what is finished"
    ):
        solve(case, client, tmp_path / "0", Patience(seconds=1.0, look=0.2))
    # The lock is free, and another kind of worker goes on.
    list(run_blocks(case.job, 2, WorkDirectory(tmp_path / "0", case.identity)))
    assert on_disk(tmp_path / "0") == case.wanted


def _wait_for(client: Any, n_workers: int) -> None:
    while len(client.nthreads()) != n_workers:
        time.sleep(0.05)


def test_nobody_without_the_keys_is_let_in():
    with local_cluster(1) as client:
        address = client.scheduler_info()["address"]
        assert address.startswith("tls://127.0.0.1:")
        plain = address.replace("tls://", "tcp://")
        with pytest.raises(InputError, match="No Dask scheduler answers"), connected(plain, timeout=1):
            pass
        # A certificate of one's own does not help.
        forged = dask.distributed.Security.temporary()
        with pytest.raises(OSError, match="TLS certificate does not match"):
            dask.distributed.Client(address, security=forged, timeout=1, set_as_default=False)


@pytest.mark.parametrize("address", ["garbage", "", "tcp://", "tcp://somewhere", "a b:1", "http://a:1/x"])
def test_what_is_no_address_is_told_so_at_once(address):
    with pytest.raises(InputError, match="is no address of a scheduler"), connected(address):
        pytest.fail("there is no such address")
