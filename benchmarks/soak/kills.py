"""A fit that is killed at a chosen moment and then goes on: what was lost, and is the result the same.

The tests kill a few fits so, `make soak` kills hundreds.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass, replace
from hashlib import sha256
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np

from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.consensus import ConsensusTask

# Where the writer of a block can be killed, in the order of its work.
POINTS = (
    "before open",
    "in the middle of write",
    "before fsync",
    "after fsync",
    "before rename",
    "after rename",
)
ANYTIME = "at any moment"
WORKERS = 2
N_POINTS = 5120
PARAMETERS: dict[str, Any] = {
    "n_clusters": 4, "n_nonzero": 3, "n_subproblems": 8, "dictionary_size": 256, "max_iter": 15, "tol": 0.0,
    "random_state": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Kill:
    """Where, and when: at which block that is written, or after which share of the time of a whole run."""

    where: str
    when: float


@dataclass(frozen=True)
class Outcome:
    """Of a run that was killed and of the one that went on."""

    # Blocks that were begun and have to be solved again.
    lost: int
    # Blocks that were finished and were solved again nevertheless.
    needless: int
    same: bool
    partial_files: int


def kills(count: int, seed: int = 0) -> list[Kill]:
    """Half of them at the named points in turn, half at random moments."""
    rng = np.random.default_rng(seed)
    points = itertools.islice(itertools.cycle(POINTS), count // 2)
    named = [Kill(point, int(rng.integers(1, 9))) for point in points]
    return named + [Kill(ANYTIME, float(rng.uniform(0, 1))) for _ in range(count - len(named))]


class Soak:
    """The data, and the answer of a run that nobody disturbs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "X.npy"
        X, _ = make_union_of_subspaces(4, 3, 30, N_POINTS // 4, noise=0.1, random_state=0, dtype=np.float32)
        np.save(self.data, X)
        # Processes that come from one which has everything loaded: hundreds have to start.
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["benchmarks.soak.kills", "benchmarks.soak.warm"])
        self._numbers = itertools.count()
        self._run(self._new_place(), None)
        whole = self._new_place()
        start = time.monotonic()
        assert self._run(whole, None).exitcode == 0
        self.seconds = time.monotonic() - start
        self.wanted = _answer(whole)

    def try_out(self, kill: Kill) -> Outcome:
        """Kill a run, let another one go on."""
        place = self._new_place()
        while (killed := self._run(place, kill)).exitcode == 0:
            # It was faster than we were.
            place, kill = self._new_place(), replace(kill, when=0.8 * kill.when)
        assert killed.exitcode == -signal.SIGKILL
        kept, begun = _blocks(place), _begun(place)
        assert self._run(place, None).exitcode == 0
        again = _begun(place)[len(begun) :]
        return Outcome(
            lost=len(set(begun) - kept),
            needless=len(set(again) & kept),
            same=_answer(place) == self.wanted,
            partial_files=len(list(place.rglob("*.part"))),
        )

    def _new_place(self) -> Path:
        place = self.folder / f"{next(self._numbers):04d}"
        place.mkdir()
        return place

    def _run(self, place: Path, kill: Kill | None) -> BaseProcess:
        run = self._processes.Process(target=_fit, args=(self.data, place, kill))
        run.start()
        if kill is not None and kill.where == ANYTIME:
            run.join(kill.when * self.seconds)
            run.kill()
        run.join()
        return run


def _fit(data: Path, place: Path, kill: Kill | None) -> None:
    """What the process does."""
    with (place / "begun").open("a", buffering=1) as notes:
        solve = ConsensusTask.__call__

        def noted(self: ConsensusTask, number: int) -> Any:
            notes.write(f"{number}\n")
            return solve(self, number)

        ConsensusTask.__call__ = noted  # type: ignore[method-assign]
        if kill is not None and kill.where in POINTS:
            _arm(kill)
        model = S3COMPC(**PARAMETERS, n_jobs=WORKERS, work_dir=place / "work").fit(data)
    np.save(place / "labels.npy", model.labels_)


def _arm(kill: Kill) -> None:
    """Make the functions that the writer calls deadly for one of the blocks."""
    numbers = itertools.count(1)
    opening, syncing, renaming = Path.open, os.fsync, Path.replace
    target: dict[str, Any] = {}

    def die_if(point: str, is_target: bool) -> None:
        if is_target and point == kill.where:
            os.kill(os.getpid(), signal.SIGKILL)

    def open_file(path: Path, mode: str = "r", *given: Any, **named: Any) -> Any:
        is_block = mode == "xb" and path.name.startswith("block-")
        is_target = is_block and next(numbers) == kill.when
        die_if("before open", is_target)
        file = opening(path, mode, *given, **named)
        if is_target:
            target.update(path=path, descriptor=file.fileno())
            if kill.where == "in the middle of write":
                file.write(b"half a block")
                file.flush()
            die_if("in the middle of write", is_target)
        return file

    def fsync(descriptor: int) -> None:
        die_if("before fsync", descriptor == target.get("descriptor"))
        syncing(descriptor)
        die_if("after fsync", descriptor == target.get("descriptor"))

    def replace(path: Path, other: Path) -> Path:
        die_if("before rename", path == target.get("path"))
        renamed = renaming(path, other)
        die_if("after rename", path == target.get("path"))
        return renamed

    Path.open, os.fsync, Path.replace = open_file, fsync, replace  # type: ignore[method-assign, assignment]


def _begun(place: Path) -> list[int]:
    notes = place / "begun"
    return [int(line) for line in notes.read_text().split()] if notes.exists() else []


def _blocks(place: Path) -> set[int]:
    return {int(path.name.removeprefix("block-")) for path in (place / "work").glob("block-????????")}


def _answer(place: Path) -> str:
    """A hash of all coefficients and labels."""
    digest = sha256((place / "labels.npy").read_bytes())
    for path in sorted((place / "work").glob("block-????????")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
