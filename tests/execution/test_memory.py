"""Memory budgets: what users write, and what control groups and the machine say."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from subspan.execution import memory
from subspan.execution.memory import (
    free_memory,
    memory_budget,
    parse_bytes,
    peak_memory,
    return_free_memory,
    used_memory,
)
from subspan.handover import InputError


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        (1000, 1000),
        ("1000", 1000),
        ("2GB", 2 * 10**9),
        ("2 gb", 2 * 10**9),
        ("2G", 2 * 10**9),
        ("512MiB", 512 * 2**20),
        ("1.5kB", 1500),
        (" .5 TiB ", 2**39),
        ("1e9", 10**9),
        (1e9, 10**9),
    ],
)
def test_sizes(text, n_bytes):
    assert parse_bytes(text) == memory_budget(text) == n_bytes


@pytest.mark.parametrize(
    "text", ["abc", "", "GB", "-1GB", "0", "2 XB", "1,5GB", "2GB/s", "nan", "inf", "1e400"]
)
def test_what_is_no_size(text):
    with pytest.raises(InputError, match=r"memory_budget=.* write it like '2GB'"):
        parse_bytes(text)


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_what_is_free_is_the_tightest_limit(tmp_path):
    write(tmp_path, "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1000000 kB\n")
    assert free_memory(tmp_path) == 1_024_000_000
    write(tmp_path, "sys/fs/cgroup/memory.max", "max\n")
    write(tmp_path, "sys/fs/cgroup/memory.current", "5\n")
    assert free_memory(tmp_path) == 1_024_000_000
    write(tmp_path, "sys/fs/cgroup/memory.max", "600000000\n")
    write(tmp_path, "sys/fs/cgroup/memory.current", "100000000\n")
    assert free_memory(tmp_path) == 500_000_000
    write(tmp_path, "sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000")
    write(tmp_path, "sys/fs/cgroup/memory/memory.usage_in_bytes", "100000000")
    assert free_memory(tmp_path) == 200_000_000


def test_free_where_nothing_is_known(tmp_path):
    assert free_memory(tmp_path) == 4 * 10**9


def test_default_is_a_share_of_what_is_free(monkeypatch):
    assert memory_budget(None) > 0
    monkeypatch.setattr(memory, "free_memory", lambda: 10**9)
    assert memory_budget(None) == 7 * 10**8


def test_peak_is_never_below_what_is_used():
    before = peak_memory()
    array = np.ones(10**7)
    assert peak_memory() >= max(before, array.nbytes, used_memory() * 0.99)


def test_peak_where_there_is_no_proc(tmp_path):
    assert peak_memory(tmp_path) == pytest.approx(peak_memory(), rel=0.5)


def test_peak_where_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(memory.sys, "platform", "win32")
    assert peak_memory(tmp_path) is None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="known of one C library only")
def test_freed_memory_goes_back_to_the_system():
    arrays = [np.ones(8000) for _ in range(1500)]
    # Behind all the others: what lies below it stays with the process when it is freed.
    last = arrays.pop()
    n_bytes = sum(array.nbytes for array in arrays)
    del arrays
    before = used_memory()
    return_free_memory()
    assert before - used_memory() > n_bytes / 2
    assert last.sum() == 8000


def test_other_systems_have_nothing_to_give_back(monkeypatch):
    def nowhere(name):
        raise TypeError(name)

    monkeypatch.setattr(ctypes, "CDLL", nowhere)
    return_free_memory()


@pytest.mark.parametrize(
    ("listing", "folder", "limit", "usage"),
    [
        ("0::/user.slice/job.scope\n", "sys/fs/cgroup", "memory.max", "memory.current"),
        (
            "11:cpu,cpuacct:/\n9:memory:/user.slice/job.scope\n",
            "sys/fs/cgroup/memory",
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
        ),
    ],
)
@pytest.mark.parametrize("tight", ["user.slice", "user.slice/job.scope"])
def test_limits_of_all_groups_around_the_process_hold(tmp_path, listing, folder, limit, usage, tight):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(listing)
    for group in ("user.slice", "user.slice/job.scope"):
        place = tmp_path / folder / group
        place.mkdir(parents=True)
        (place / limit).write_text("300" if group == tight else "100000")
        (place / usage).write_text("100")
    assert free_memory(tmp_path) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is read from Linux")
def test_a_limit_of_the_address_space_holds():
    code = """
import resource
from subspan.execution.memory import free_memory
resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, resource.getrlimit(resource.RLIMIT_AS)[1]))
print(free_memory())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 3 * 10**9 - memory.THREADS_ROOM
