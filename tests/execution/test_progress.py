import io

import pytest
from rich.console import Console

from subspan.execution.progress import progress_bar


def run(console, *, show=True, steps=10):
    with progress_bar("Counting", steps, show=show, console=console) as advance:
        for _ in range(steps):
            advance(1)
    return console.file.getvalue()


def test_silent_unless_asked():
    assert run(Console(file=io.StringIO()), show=False) == ""


def test_a_log_gets_a_last_line():
    (line,) = run(Console(file=io.StringIO())).splitlines()
    assert line.startswith("Counting: 10 of 10, ")


def test_a_log_gets_lines_with_the_time_left(monkeypatch):
    monkeypatch.setattr("subspan.execution.progress.INTERVAL", 0.0)
    lines = run(Console(file=io.StringIO())).splitlines()
    assert len(lines) == 10
    assert lines[4].startswith("Counting: 5 of 10, about ")
    assert lines[4].endswith(" s left")


def test_a_terminal_gets_a_bar():
    screen = run(Console(file=io.StringIO(), force_terminal=True, width=80))
    assert "Counting" in screen
    assert "10/10" in screen


@pytest.mark.parametrize("terminal", [True, False])
def test_errors_pass_through(terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal)
    with pytest.raises(ZeroDivisionError), progress_bar("Counting", 2, show=True, console=console):
        raise ZeroDivisionError


def test_the_default_is_stderr(capsys):
    with progress_bar("Counting", 1, show=True) as advance:
        advance(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Counting: 1 of 1" in captured.err
