"""The walk-through of a method outside the package, followed word by word in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import subspan

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-method.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\{code-block\} python\n:caption: (\S+)\n\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
SESSIONS = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    """Every command of the page, with the output that stands below it."""
    parts = [part for session in SESSIONS for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def run(command: str, folder: Path) -> str:
    """What a terminal would show, with this version of the package and the programs beside this Python."""
    surroundings = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(subspan.__file__).parents[1]),
        "NO_COLOR": "1",
        "COLUMNS": "80",
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=os.environ | surroundings, text=True, timeout=300, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def agrees(printed: str, shown: str) -> bool:
    """Whether it is what the page shows; three dots there stand for anything, blanks end no line."""
    pattern = ".*".join(map(re.escape, shown.strip().split("...")))
    lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, lines, re.DOTALL) is not None


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    assert [name for name, _ in FILES] == ["nearest.py", "test_nearest.py", "make_points.py"]
    for name, content in FILES:
        (tmp_path / name).write_text(content, encoding="utf-8")
    followed = [(command, shown, run(command, tmp_path)) for command, shown in commands()]
    assert len(followed) == 6
    wrong = [(command, printed) for command, shown, printed in followed if not agrees(printed, shown)]
    assert wrong == []


def test_other_output_is_noticed() -> None:
    assert agrees("a 1.5 s\nb\n", "a ... s\nb\n")
    assert not agrees("a 1.5 s\nc\n", "a ... s\nb\n")
