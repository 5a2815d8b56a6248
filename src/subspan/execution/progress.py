"""Progress of long work on stderr: a bar in a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TextIO

from subspan.execution.steps import Advance, Progress, duration, reporting_to

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Seconds between two lines in a log, and updates of a bar per second.
LOG_INTERVAL = 30.0
PICTURES_PER_SECOND = 5
BAR_WIDTH = 20

# Two bars cannot share a terminal: the second fit writes lines, which appear above the bar.
_bar_in_use = Lock()


@contextmanager
def progress_shown(
    name: str = "", *, lasting: bool = True, stream: TextIO | None = None, interval: float = LOG_INTERVAL
) -> Iterator[None]:
    """Show the stages and loops of the work inside, see `subspan.execution.steps`.

    Parameters
    ----------
    name : str
        Whose work it is; begins every line of a log.
    lasting : bool
        Whether finished stages are kept in sight with their times. If not, the bar vanishes at the end, and a
        log hears only of work that is long.
    stream : text file, optional
        Where to show it; stderr unless given.
    interval : float
        Seconds between two lines in a log.
    """
    progress = Progress(name)
    with _display(progress, lasting, stream, interval), reporting_to(progress):
        yield


@contextmanager
def progress_bar(what: str, total: int, *, show: bool, stream: TextIO | None = None) -> Iterator[Advance]:
    """One loop on its own: a function to call with the number of steps just done; silent unless `show`.

    Examples
    --------
    >>> with progress_bar("Counting", 10, show=False) as advance:
    ...     for _ in range(10):
    ...         advance(1)
    """
    progress = Progress()
    with progress.in_loop("", total) as advance:
        if not show:
            yield advance
            return
        # Only around the loop: work outside it must not report to this bar.
        with _display(progress, True, stream), progress.in_stage(what):
            yield advance


@contextmanager
def _display(
    progress: Progress, lasting: bool, stream: TextIO | None, interval: float = LOG_INTERVAL
) -> Iterator[None]:
    terminal = _terminal(stream)
    if terminal is not None and _bar_in_use.acquire(blocking=False):
        try:
            with _bar(progress, lasting, terminal):
                yield
        finally:
            _bar_in_use.release()
    else:
        with _log(progress, lasting, stream, interval):
            yield


def _terminal(stream: TextIO | None) -> Console | None:
    """The stream as a terminal, or None if it is none."""
    if not (stream or sys.stderr).isatty():
        return None
    # Imported here: most fits show nothing.
    from rich.console import Console

    console = Console(file=stream, stderr=stream is None)
    return console if console.is_interactive else None


@contextmanager
def _bar(progress: Progress, lasting: bool, console: Console) -> Iterator[None]:
    from rich.live import Live

    live = Live(
        console=console,
        get_renderable=lambda: _picture(progress, lasting),
        # Our own thread draws the bar, and ends before we return.
        auto_refresh=False,
        transient=not lasting,
        # Results that others print belong on stdout; their messages come above the bar.
        redirect_stdout=False,
    )
    with live, _regularly(live.refresh, 1 / PICTURES_PER_SECOND):
        yield


def _picture(progress: Progress, lasting: bool) -> Table:
    """Finished stages with their times, then the one that runs."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(max_width=BAR_WIDTH)
    table.add_column(no_wrap=True)
    for name, seconds in progress.finished if lasting else ():
        table.add_row(name, ProgressBar(total=1, completed=1), duration(seconds))
    stage, loop = progress.stage, progress.loop
    if stage is not None:
        share = 0.0 if loop is None else loop.percentage / 100
        table.add_row(stage[0], ProgressBar(total=1, completed=share), progress.note())
    return table


@contextmanager
def _log(progress: Progress, lasting: bool, stream: TextIO | None, interval: float) -> Iterator[None]:
    """A line every so often, and one for each stage if they are to last."""

    def write(line: str) -> None:
        # A closed stream must not stop the work.
        with suppress(OSError, ValueError):
            (stream or sys.stderr).write(f"{line}\n")
            (stream or sys.stderr).flush()

    def speak() -> None:
        stage = progress.stage
        if stage is not None:
            write(progress.line(stage[0], progress.note()))

    if lasting:
        progress.on_stage_end = write
    with _regularly(speak, interval):
        yield


@contextmanager
def _regularly(act: Callable[[], None], seconds: float) -> Iterator[None]:
    """Act every so many seconds, in a thread of its own, while the work inside runs."""
    ended = Event()

    def run() -> None:
        while not ended.wait(seconds):
            act()

    thread = Thread(target=run, name="subspan-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
