"""What is seen of progress, in a terminal and in a log, and that nothing of it stays behind."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from subspan.execution.progress import progress_bar, progress_shown
from subspan.execution.steps import stage, steps


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A terminal of known size and skill; afterwards nothing may be left of any progress."""
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    stderr = sys.stderr
    yield
    assert sys.stderr is stderr
    assert not [thread for thread in threading.enumerate() if thread.name == "subspan-progress"]


def screen_of(terminal: Terminal) -> str:
    """Everything ever drawn, without colours and movements."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())


def eventually(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def count(stream: io.StringIO, *, show: bool = True) -> str:
    with progress_bar("Counting", 10, show=show, stream=stream) as advance:
        for _ in range(10):
            advance(1)
    return stream.getvalue()


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_silent_unless_asked(stream):
    assert count(stream(), show=False) == ""


def test_a_log_gets_a_last_line():
    assert re.fullmatch(r"Counting: \d\.\d s\n", count(io.StringIO()))


def test_a_log_gets_a_line_now_and_then():
    log = io.StringIO()
    with progress_shown("LSR", stream=log, interval=0.01), stage("affinity"):
        with steps("blocks", 8) as advance:
            time.sleep(0.002)
            advance(2)
            eventually(lambda: "\n" in log.getvalue())
        eventually(lambda: re.search(r"LSR affinity: \d\.\d s\n", log.getvalue()))
    assert re.search(
        r"^LSR affinity: 25 %, 2 of 8 blocks, \d+(\.\d)?/s, \d\.\d s left$", log.getvalue(), re.MULTILINE
    )
    assert "\x1b" not in log.getvalue()


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_short_work_leaves_nothing_unless_it_is_to_last(stream):
    out = stream()
    with progress_shown(lasting=False, stream=out), stage("affinity"):
        eventually(lambda: stream is io.StringIO or "affinity" in out.getvalue())
    if stream is Terminal:
        # The line was erased after it had been drawn for the last time.
        assert "\x1b[2K" in out.getvalue().rpartition("affinity")[2]
    else:
        assert out.getvalue() == ""


def test_a_terminal_shows_stages_and_a_bar():
    terminal = Terminal()
    with progress_shown("LSR", stream=terminal):
        with stage("representation"):
            pass
        with stage("affinity"), steps("blocks", 4) as advance:
            time.sleep(0.002)
            advance(1)
            eventually(lambda: re.search("━+ 25 %, 1 of 4 blocks, .*/s, .* s left", screen_of(terminal)))
    *_, first, last = screen_of(terminal).rstrip().splitlines()
    assert re.fullmatch(r"representation ━{20} 0\.0 s *", first.strip())
    assert re.fullmatch(r"affinity +━{20} \d\.\d s *", last.strip())


def test_a_narrow_terminal_keeps_the_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    terminal = Terminal()
    with progress_shown(stream=terminal), stage("representation"), steps("blocks", 4) as advance:
        time.sleep(0.002)
        advance(1)
        eventually(lambda: "1 of 4 blocks" in screen_of(terminal))
    assert max(map(len, screen_of(terminal).splitlines())) <= 60


def test_colours_can_be_refused(monkeypatch):
    colours = re.compile(r"\x1b\[[0-9;]*m")
    assert colours.search(count(Terminal()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", count(Terminal()))


def test_a_terminal_that_cannot_be_drawn_over_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert re.fullmatch(r"Counting: \d\.\d s\n", count(Terminal()))


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_errors_pass_through_and_leave_nothing(stream, error):
    out = stream()
    with pytest.raises(error), progress_shown(stream=out), stage("affinity"), steps("blocks", 2):
        raise error
    if stream is Terminal:
        assert out.getvalue().rindex("\x1b[?25h") > out.getvalue().rindex("\x1b[?25l")
    before = out.getvalue()
    with stage("embedding"), steps("products", 2) as advance:
        advance(1)
    assert out.getvalue() == before
    # The terminal is free for the next bar.
    assert ("━" in count(stream())) == (stream is Terminal)


def test_two_bars_do_not_meet_in_one_terminal():
    first, second = Terminal(), Terminal()
    with progress_bar("One", 2, show=True, stream=first), progress_bar("Two", 2, show=True, stream=second):
        pass
    assert "━" in first.getvalue()
    assert re.fullmatch(r"Two: \d\.\d s\n", second.getvalue())


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_work_goes_on_when_nobody_reads():
    count(Closed())


def test_the_default_is_stderr(capsys):
    with progress_bar("Counting", 1, show=True) as advance:
        advance(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Counting: ")
