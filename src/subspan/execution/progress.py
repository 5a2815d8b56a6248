"""Progress of long work on stderr: a bar in a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance = Callable[[int], None]

# Seconds between two lines in a log.
INTERVAL = 30.0


@contextmanager
def progress_bar(what: str, total: int, *, show: bool, console: Console | None = None) -> Iterator[Advance]:
    """A function to call with the number of steps just done; silent unless `show`.

    Examples
    --------
    >>> with progress_bar("Counting", 10, show=False) as advance:
    ...     for _ in range(10):
    ...         advance(1)
    """
    if not show:
        yield _be_silent
        return
    console = console or Console(stderr=True)
    if console.is_terminal:
        yield from _bar(what, total, console)
    else:
        yield _Lines(what, total, console)


def _be_silent(_: int) -> None:
    """Nothing to show."""


def _bar(what: str, total: int, console: Console) -> Iterator[Advance]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.advance(task, steps)


@dataclass
class _Lines:
    """Progress where nothing can be drawn over: at most one line in `INTERVAL` seconds, and a last one."""

    what: str
    total: int
    console: Console
    done: int = 0
    started: float = field(default_factory=time.monotonic)
    spoken: float = field(default_factory=time.monotonic)

    def __call__(self, steps: int) -> None:
        self.done += steps
        now = time.monotonic()
        if self.done < self.total and now - self.spoken < INTERVAL:
            return
        self.spoken = now
        left = (now - self.started) / max(self.done, 1) * (self.total - self.done)
        note = f"about {left:.0f} s left" if self.done < self.total else f"{now - self.started:.1f} s"
        self.console.print(
            f"{self.what}: {self.done} of {self.total}, {note}", highlight=False, soft_wrap=True
        )
