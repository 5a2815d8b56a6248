"""What work reports: counts from any thread, percentage, rate and time left by a clock of ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier, Thread

import numpy as np
import pytest
from watching import Recorder, Seen

from subspan.execution.blocks import run_blocks
from subspan.execution.steps import Loop, Progress, duration, reporting_to, stage, steps, track
from subspan.execution.threads import run_in_threads
from subspan.execution.work_directory import WorkDirectory


class Clock:
    """Time stands still unless it is told to go on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (9.94, "9.9 s"),
        (10, "10 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7140, "119 min"),
        (7200, "2 h 0 min"),
        (90061, "25 h 1 min"),
    ],
)
def test_lengths_of_time(seconds, words):
    assert duration(seconds) == words


def test_numbers_of_a_loop():
    clock = Clock()
    loop = Loop("blocks", 512, clock)
    assert loop.described() == "0 %, 0 of 512 blocks, 0.0 s so far"
    clock.now += 20
    assert loop.described() == "0 %, 0 of 512 blocks, 20 s so far"
    loop.advance(128)
    # 128 blocks in 20 s are 6.4 each second, so that 384 take 60 s.
    assert loop.described() == "25 %, 128 of 512 blocks, 6.4/s, 60 s left"
    clock.now += 15
    assert loop.described() == "25 %, 128 of 512 blocks, 6.4/s, 45 s left"
    clock.now += 1000
    assert loop.described().endswith("6.4/s, 0.0 s left")


def test_hundred_percent_means_all():
    loop = Loop("points", 1000, Clock())
    loop.advance(999)
    assert loop.percentage == 99
    loop.advance(1)
    assert loop.percentage == 100


def test_a_loop_without_steps_is_described_too():
    assert Loop("blocks", 0, Clock()).described() == "0 %, 0 of 0 blocks, 0.0 s so far"


def test_steps_of_an_earlier_run_count_but_not_for_the_rate():
    clock = Clock()
    loop = Loop("blocks", 100, clock, found=80)
    assert loop.described() == "80 %, 80 of 100 blocks, 0.0 s so far"
    clock.now += 30
    loop.advance(10)
    assert loop.described() == "90 %, 90 of 100 blocks, 3.0 s each, 30 s left"


def test_a_loop_that_may_end_early_says_so():
    clock = Clock()
    loop = Loop("rounds", 50, clock, at_most=True)
    clock.now += 2
    loop.advance(400)
    loop.total = 4000
    assert loop.described() == "10 %, 400 of at most 4000 rounds, 200/s, at most 18 s left"


def test_stages_take_their_time():
    clock = Clock()
    progress = Progress("S3COMPC", clock)
    lines: list[str] = []
    progress.on_stage_end = lines.append
    assert (progress.stage, progress.note()) == (None, "")
    with progress.in_stage("representation"):
        clock.now += 12
        assert progress.stage == ("representation", 12)
        assert progress.note() == "12 s"
        with progress.in_loop("blocks", 2) as advance:
            clock.now += 1
            advance(1)
            assert progress.note() == "50 %, 1 of 2 blocks, 1.0/s, 1.0 s left"
    assert progress.finished == [("representation", 13)]
    assert lines == ["S3COMPC representation: 13 s"]


def test_a_stage_that_fails_is_not_finished():
    progress = Progress()
    with pytest.raises(ZeroDivisionError), progress.in_stage("embedding"), progress.in_loop("products", 3):
        raise ZeroDivisionError
    assert (progress.stage, progress.loop, progress.finished) == (None, None, [])


def test_loops_inside_a_step_are_part_of_it():
    progress = Progress()
    with reporting_to(progress), steps("rounds", 5) as outer:
        outer(2)
        for _ in track("tiles", range(3)):
            assert progress.loop is not None
            assert (progress.loop.what, progress.loop.done) == ("rounds", 2)


def test_generators_may_end_in_any_order():
    progress = Progress()
    with reporting_to(progress):
        first, second = track("first", range(2)), track("second", range(2))
        next(first)
        next(second)
        first.close()
        assert progress.loop is not None
        assert progress.loop.what == "second"
        second.close()
        assert progress.loop is None


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_count_every_step(threads):
    recorder = Recorder()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with reporting_to(recorder):
            assert sum(run_in_threads(abs, range(2000), threads, "numbers")) == sum(range(2000))
    finally:
        sys.setswitchinterval(before)
    assert recorder.seen == [Seen("", "numbers", 2000, 0, 2000, at_most=False)]


def test_overlapping_work_does_not_mix():
    barrier = Barrier(2, timeout=10)

    def work(name: str, n_steps: int) -> list[Seen]:
        recorder = Recorder()
        with reporting_to(recorder), stage(name):
            for _ in track(name, range(n_steps)):
                barrier.wait()
                assert recorder.loop is not None
                assert recorder.loop.what == name
        return recorder.seen

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(work, ["one", "other"], [20, 20])
    assert one == [Seen("one", "one", 20, 0, 20, at_most=False)]
    assert other == [Seen("other", "other", 20, 0, 20, at_most=False)]


def test_threads_of_others_are_not_watched():
    recorder = Recorder()
    with reporting_to(recorder):
        stranger = Thread(target=lambda: list(track("theirs", range(3))))
        stranger.start()
        stranger.join()
    assert recorder.seen == []


@dataclass(frozen=True)
class Numbers:
    n_blocks: int

    def task(self, threads: int) -> Callable[[int], dict[str, np.ndarray]]:
        return lambda number: {"value": np.array(number)}


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_that_are_there_count_as_done(threads, tmp_path):
    work = WorkDirectory(tmp_path, {})
    with work.held():
        for number in (1, 4, 5):
            work.write(number, {"value": np.array(number)})
    recorder = Recorder()
    with reporting_to(recorder):
        blocks = list(run_blocks(Numbers(7), threads, work))
    assert [int(block["value"]) for block in blocks] == list(range(7))
    assert recorder.seen == [Seen("", "blocks", 7, 3, 7, at_most=False)]
