"""Jobs in blocks, in memory and with a work directory: in order, solved once, never half."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from subspan.execution.blocks import read_block, read_blocks, run_blocks
from subspan.execution.work_directory import WorkDirectory

N_BLOCKS = 7


@dataclass
class Squares:
    """Block k is a table of squares; fails at one block as often as it is told to."""

    fails_at: int = -1
    solved: Counter[int] = field(default_factory=Counter)
    n_blocks: int = N_BLOCKS

    def task(self, threads):
        def solve(number: int) -> dict[str, np.ndarray]:
            if number == self.fails_at:
                raise RuntimeError(f"block {number} cannot be solved")
            self.solved[number] += 1
            return expected(number)

        return solve


def expected(number: int) -> dict[str, np.ndarray]:
    return {"squares": np.arange(number + 1) ** 2, "number": np.asarray(number)}


def assert_complete(blocks) -> None:
    blocks = list(blocks)
    assert len(blocks) == N_BLOCKS
    for number, block in enumerate(blocks):
        assert block.keys() == expected(number).keys()
        assert all(np.array_equal(block[name], value) for name, value in expected(number).items())


@pytest.fixture
def work(tmp_path) -> WorkDirectory:
    return WorkDirectory(tmp_path / "work", {"what": "squares"})


@pytest.mark.parametrize("threads", [1, 3])
def test_in_memory(threads):
    job = Squares()
    assert_complete(run_blocks(job, threads))
    assert set(job.solved.values()) == {1}


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_there_is_not_solved_again(threads, work):
    assert_complete(run_blocks(Squares(), threads, work))
    again = Squares()
    assert_complete(run_blocks(again, threads, work))
    assert not again.solved


def test_after_a_failure_only_the_rest_is_solved(work):
    with pytest.raises(RuntimeError, match="block 4"):
        list(run_blocks(Squares(fails_at=4), 1, work))
    job = Squares()
    assert_complete(run_blocks(job, 1, work))
    assert sorted(job.solved) == [4, 5, 6]


def test_a_damaged_block_is_solved_again(work):
    assert_complete(run_blocks(Squares(), 1, work))
    files = {path: path.stat().st_size for path in work.path.rglob("*") if path.is_file()}
    largest = max(files, key=files.get)
    largest.write_bytes(largest.read_bytes()[:-40])
    job = Squares()
    assert_complete(run_blocks(job, 1, work))
    assert len(job.solved) == 1


def test_blocks_are_read_one_by_one(work):
    list(run_blocks(Squares(), 1, work))
    assert_complete(read_blocks(work, N_BLOCKS))
    assert read_block(work, 3)["number"] == 3
    with pytest.raises(OSError, match=r"^work_dir: block 7 in .* was damaged"):
        read_block(work, 7)
