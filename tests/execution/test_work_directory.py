"""Blocks come back as they were written, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from subspan import S3COMPC
from subspan.execution import work_directory
from subspan.execution.work_directory import WorkDirectory
from subspan.handover import InputError

JOB = {"data": {"sha": "ab", "shape": [10, 3]}, "parameters": {"dropout": 0.5, "damping": 0.1}, "seed": 7}


def filled(path: Path, n_blocks: int = 3) -> WorkDirectory:
    work = WorkDirectory(path, JOB)
    with work.held():
        for number in range(n_blocks):
            work.write(number, block(number))
    return work


def block(number: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(number)
    return {"indices": rng.integers(0, 9, 20, dtype=np.int32), "values": rng.normal(size=20)}


def same(found: dict[str, np.ndarray] | None, number: int) -> bool:
    if found is None:
        return False
    wanted = block(number)
    types = {name: array.dtype for name, array in found.items()}
    equal = all(np.array_equal(found[name], wanted[name]) for name in wanted)
    return equal and types == {name: array.dtype for name, array in wanted.items()}


def test_blocks_come_back(tmp_path):
    work = filled(tmp_path / "new" / "folder")
    assert all(same(work.read(number), number) for number in range(3))
    assert work.read(3) is None
    again = WorkDirectory(work.path, JOB)
    with again.held():
        assert same(again.read(1), 1)


def test_a_large_block_is_written_in_pieces_and_read_once(tmp_path):
    """Budgets count no copy of what is written, and one of what is read."""
    large = {"values": np.ones(12_000_000)}
    work = WorkDirectory(tmp_path, JOB)
    tracemalloc.start()
    try:
        with work.held():
            work.write(0, large)
        _, writing = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        assert work.read(0) is not None
        _, reading = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert writing < 0.4 * large["values"].nbytes
    assert reading < 2.2 * large["values"].nbytes


def damages() -> dict[str, object]:
    def cut(path: Path, keep: int) -> None:
        path.write_bytes(path.read_bytes()[:keep])

    def flip(path: Path, seed: int) -> None:
        content = bytearray(path.read_bytes())
        rng = np.random.default_rng(seed)
        content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(content))

    flips = {f"bit {seed}": lambda path, seed=seed: flip(path, seed) for seed in range(100)}
    cuts = {
        "empty": lambda path: cut(path, 0),
        "half": lambda path: cut(path, path.stat().st_size // 2),
        "one byte short": lambda path: cut(path, path.stat().st_size - 1),
        "missing": lambda path: path.unlink(),
    }
    return flips | cuts


@pytest.mark.parametrize("damage", damages().values(), ids=damages().keys())
def test_damage_is_found(tmp_path, damage):
    work = filled(tmp_path)
    damage(tmp_path / "block-00000001")
    assert work.read(1) is None
    assert same(work.read(0), 0)


def test_swapped_and_foreign_blocks_are_found(tmp_path):
    work = filled(tmp_path / "a")
    first, second = (tmp_path / "a" / f"block-{number:08d}" for number in (0, 1))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    assert work.read(0) is None
    assert work.read(1) is None
    other = WorkDirectory(tmp_path / "b", {**JOB, "seed": 8})
    with other.held():
        other.write(2, block(2))
    (tmp_path / "b" / "block-00000002").replace(tmp_path / "a" / "block-00000002")
    assert work.read(2) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 8}, "seed is 7 there and 8 here"),
        ({"parameters": {"dropout": 0.6, "damping": 0.1}}, "parameters.dropout is 0.5 there and 0.6 here"),
        ({"data": {"sha": "ac", "shape": [10, 3]}}, "data.sha is 'ab' there and 'ac' here"),
        ({"parameters": {"dropout": 0.5}}, "parameters.damping is 0.1 there and None here"),
    ],
)
def test_another_job_is_refused_by_the_field(tmp_path, change, sentence):
    filled(tmp_path)
    with pytest.raises(InputError, match=sentence), WorkDirectory(tmp_path, {**JOB, **change}).held():
        pass


def test_a_damaged_manifest_is_refused(tmp_path):
    filled(tmp_path)
    (tmp_path / "job.json").write_text("{")
    with pytest.raises(InputError, match="is not readable"), WorkDirectory(tmp_path, JOB).held():
        pass


def test_two_writers_are_kept_apart(tmp_path):
    code = (
        "import sys; from pathlib import Path; from subspan.execution.work_directory import WorkDirectory\n"
        f"work = WorkDirectory(Path({str(tmp_path)!r}), {JOB!r})\n"
        "with work.held():\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == "held"
        refused = pytest.raises(InputError, match=f"in use by process {other.pid} on ")
        with refused, WorkDirectory(tmp_path, JOB).held():
            pass
        other.send_signal(signal.SIGKILL)
    # The lock died with its holder.
    with WorkDirectory(tmp_path, JOB).held():
        pass


def test_a_full_disk_is_named_and_loses_nothing(tmp_path, monkeypatch):
    work = filled(tmp_path, n_blocks=1)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(work_directory.os, "fsync", full)
    with work.held(), pytest.raises(OSError, match=r"no room for \d+ bytes; finished blocks are safe"):
        work.write(1, block(1))
    monkeypatch.undo()
    assert same(work.read(0), 0)
    assert work.read(1) is None
    assert not list(tmp_path.glob("*.part"))


def test_nobody_else_can_read_it_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        work = filled(tmp_path / "private")
    finally:
        os.umask(before)
    assert work.path.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in work.path.iterdir()} == {0o600}


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path):
    precious = tmp_path / "thesis.txt"
    precious.write_text("years of work")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "lock").symlink_to(precious)
    with pytest.raises(InputError, match="lock is a link"):
        filled(tmp_path / "work")
    assert precious.read_text() == "years of work"


def test_a_link_in_place_of_a_block_is_replaced(tmp_path):
    precious = tmp_path / "thesis.txt"
    precious.write_text("years of work")
    work = filled(tmp_path / "work", 1)
    (work.path / "block-00000001").symlink_to(precious)
    with work.held():
        work.write(1, block(1))
    assert precious.read_text() == "years of work"
    assert same(work.read(1), 1)


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "holiday.part").write_text("half a film")
    with pytest.raises(InputError, match="is not empty and no work directory: it holds 'holiday"):
        filled(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.part"]


def test_only_our_own_partial_files_are_removed(tmp_path):
    work = filled(tmp_path / "work")
    (work.path / "holiday.part").write_text("half a film")
    (work.path / "block-00000007.0123abcd.part").write_bytes(b"half a block")
    with work.held():
        pass
    assert sorted(path.name for path in work.path.glob("*.part")) == ["holiday.part"]


def test_a_fit_that_has_no_room_on_the_disk_does_not_begin(tmp_path, monkeypatch):
    usage = shutil._ntuple_diskusage(10**9, 10**9 - 20_000, 20_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    X = np.random.default_rng(0).standard_normal((200, 5))
    model = S3COMPC(2, random_state=0, work_dir=tmp_path / "new" / "work")
    message = r"^work_dir: .*work may take \d+ bytes for coefficients, but only 20000 bytes are free there"
    with pytest.raises(InputError, match=message):
        model.fit(X)
    assert not (tmp_path / "new").exists()


def test_blocks_that_are_there_need_no_room(tmp_path, monkeypatch):
    filled(tmp_path)
    kept = sum(path.stat().st_size for path in tmp_path.glob("block-*"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 8, 1))
    work_directory.check_space(tmp_path, kept + 1)
    with pytest.raises(InputError, match="may take 2 bytes for coefficients, but only 1 bytes are free"):
        work_directory.check_space(tmp_path, kept + 2)
