"""How long work reports its progress: its stage, and how many steps of a loop are done.

Work reports through `stage`, `steps` and `track`; `subspan.execution.progress` shows the reports. They are
connected by a context variable. So functions need no argument for it, and fits that run at the same time in
threads of the user are kept apart. Nothing is counted unless progress is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

Item = TypeVar("Item")
Advance = Callable[[int], None]

MINUTE = 60
HOUR = 60 * MINUTE


def duration(seconds: float) -> str:
    """A length of time for people to read.

    Examples
    --------
    >>> duration(0.42), duration(42), duration(1000), duration(9000)
    ('0.4 s', '42 s', '17 min', '2 h 30 min')
    """
    if seconds < 2 * MINUTE:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / MINUTE)
    return f"{minutes} min" if seconds < 2 * HOUR else f"{minutes // 60} h {minutes % 60} min"


@dataclass
class Loop:
    """Steps of one kind, and how many of them are done."""

    what: str
    total: int
    clock: Callable[[], float]
    # Steps that an earlier run has done; they are left out of the rate.
    found: int = 0
    # Whether the loop may end before the last step.
    at_most: bool = False
    done: int = field(init=False)
    _started: float = field(init=False)
    # When the last step was done.
    _latest: float = field(init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.done = self.found
        self._started = self._latest = self.clock()

    def advance(self, n_steps: int) -> None:
        """Count steps just done, in whichever thread."""
        with self._lock:
            self.done += n_steps
            self._latest = self.clock()

    @property
    def percentage(self) -> int:
        """Rounded down, so that 100 means all."""
        return 100 * self.done // max(self.total, 1)

    def described(self) -> str:
        """Percentage and count, then rate and time left; the time so far while no step is done.

        Examples
        --------
        >>> times = iter([0.0, 2.0, 3.0])
        >>> loop = Loop("blocks", 50, clock=lambda: next(times), found=10)
        >>> loop.advance(10)
        >>> loop.described()
        '40 %, 20 of 50 blocks, 5.0/s, 5.0 s left'
        """
        bound = "at most " if self.at_most else ""
        parts = [f"{self.percentage} %", f"{self.done} of {bound}{self.total} {self.what}".rstrip()]
        with self._lock:
            fresh, elapsed = self.done - self.found, self._latest - self._started
        since = self.clock() - self._latest
        if fresh == 0 or elapsed <= 0:
            return ", ".join([*parts, f"{duration(since)} so far"])
        each = elapsed / fresh
        # Part of the next step is done: its time so far is subtracted.
        left = max(each * (self.total - self.done) - since, 0.0)
        return ", ".join([*parts, _rate(each), f"{bound}{duration(left)} left"])


def _rate(seconds_each: float) -> str:
    if seconds_each > 1:
        return f"{duration(seconds_each)} each"
    return f"{1 / seconds_each:.{'1' if seconds_each > 0.1 else '0'}f}/s"


class Progress:
    """Progress of one fit: its threads write it, a display reads it."""

    def __init__(self, name: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.clock = clock
        # Called at the end of each stage.
        self.on_stage_end: Callable[[str], None] | None = None
        self.finished: list[tuple[str, float]] = []
        # Open stages and loops, the outermost first.
        self._stages: list[tuple[str, float]] = []
        self._loops: list[Loop] = []

    @property
    def stage(self) -> tuple[str, float] | None:
        """Name of the stage that runs, and seconds since its start."""
        return next(((name, self.clock() - started) for name, started in self._stages[:1]), None)

    @property
    def loop(self) -> Loop | None:
        """The outermost loop that runs: those inside it are part of its steps."""
        return next(iter(self._loops[:1]), None)

    def note(self) -> str:
        """How far the stage is: by its loop if there is one, by its time if not."""
        loop, stage = self.loop, self.stage
        if loop is not None:
            return loop.described()
        return "" if stage is None else duration(stage[1])

    def line(self, stage: str, note: str) -> str:
        """A line for a log."""
        return f"{self.name} {stage}: {note}".lstrip()

    @contextmanager
    def in_stage(self, name: str) -> Iterator[None]:
        """Work inside is a stage of that name."""
        entry = (name, self.clock())
        self._stages.append(entry)
        try:
            yield
        finally:
            self._stages.remove(entry)
        seconds = self.clock() - entry[1]
        self.finished.append((name, seconds))
        if self.on_stage_end is not None:
            self.on_stage_end(self.line(name, duration(seconds)))

    @contextmanager
    def in_loop(self, what: str, total: int, *, found: int = 0, at_most: bool = False) -> Iterator[Advance]:
        """Work inside is a loop; gives the function to call with the number of steps just done."""
        loop = Loop(what, total, self.clock, found, at_most)
        self._loops.append(loop)
        try:
            yield loop.advance
        finally:
            # Generators may end in another order than they began.
            self._loops = [other for other in self._loops if other is not loop]


_current: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting_to(progress: Progress) -> Iterator[None]:
    """Work inside reports to `progress`."""
    token = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Work inside is a stage of that name."""
    progress = _current.get()
    with nullcontext() if progress is None else progress.in_stage(name):
        yield


@contextmanager
def steps(what: str, total: int, *, found: int = 0, at_most: bool = False) -> Iterator[Advance]:
    """Work inside is a loop of `total` steps; gives the function to call with the number just done.

    Parameters
    ----------
    what : str
        What a step deals with, in the plural: "blocks".
    total : int
        Number of steps.
    found : int
        How many of them were done earlier.
    at_most : bool
        Whether the loop may end before the last one.

    Examples
    --------
    >>> with reporting_to(Progress()), steps("points", 10) as advance:
    ...     advance(3)
    ...     _current.get().loop.percentage
    30
    """
    progress = _current.get()
    if progress is None:
        yield _unheard
    else:
        with progress.in_loop(what, total, found=found, at_most=at_most) as advance:
            yield advance


def track(what: str, items: Collection[Item], *, at_most: bool = False) -> Iterator[Item]:
    """The items one after the other, each of them a step; see `steps`.

    Examples
    --------
    >>> sum(track("numbers", range(5)))
    10
    """
    with steps(what, len(items), at_most=at_most) as advance:
        for item in items:
            yield item
            advance(1)


def _unheard(n_steps: int) -> None:
    """Ignore the steps, because no progress is shown."""
