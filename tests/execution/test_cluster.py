"""Blocks from a cluster of processes are those of one thread, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from subspan.execution.blocks import run_blocks
from subspan.execution.cluster import local_cluster, run_on_cluster
from subspan.execution.work_directory import WorkDirectory


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
    with local_cluster(2) as client:
        yield client


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
    values(run_on_cluster(Squares(12), client, work))
    changed = [path.name for path in sorted(stamps) if path.stat().st_mtime_ns != stamps[path]]
    assert changed == ["block-00000004"]
    assert len(list(tmp_path.glob("block-*"))) == 12


def test_a_killed_worker_changes_nothing(tmp_path):
    job = Squares(60, seconds=0.05)
    with local_cluster(2) as client:
        victim = next(iter(client.run(os.getpid).values()))
        killer = Thread(target=_kill_when, args=(tmp_path, 15, victim))
        killer.start()
        found = values(run_on_cluster(job, client, WorkDirectory(tmp_path, {"seed": 1})))
        killer.join()
        assert victim not in client.run(os.getpid).values()
    assert found == values(run_blocks(job, 1))


def _kill_when(path: Path, n_blocks: int, process: int) -> None:
    while len(list(path.glob("block-????????"))) < n_blocks:
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)


def test_an_error_of_a_block_comes_through(client, tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(run_on_cluster(Failing(3), client, WorkDirectory(tmp_path, {})))


@dataclass(frozen=True)
class Failing:
    """No block of it can be solved."""

    n_blocks: int

    def task(self, threads: int) -> Callable[[int], dict[str, np.ndarray]]:
        return lambda number: {"values": np.array([number // 0])}
