"""What all commands have in common: help, versions, exit codes, pipes and colours."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import subspan
from subspan.cli.main import VERBS, program
from subspan.datasets import make_union_of_subspaces

SUBSPAN = Path(sys.executable).with_name("subspan")


def run(*arguments: str, folder: Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SUBSPAN), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        check=False,
        **options,
    )


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """A folder with points."""
    np.save(tmp_path / "X.npy", make_union_of_subspaces(3, 2, 10, 40, random_state=0)[0])
    return tmp_path


def test_version_and_help_go_to_stdout(tmp_path: Path) -> None:
    done = run("--version", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"subspan, version {subspan.__version__}\n", "")
    done = run("-h", folder=tmp_path)
    assert done.returncode == 0
    assert "Examples:" in done.stdout
    commands = done.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in commands] == sorted(VERBS)
    assert not [line for line in commands if line.endswith("...")]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_examples(verb: str) -> None:
    result = CliRunner().invoke(program, [verb, "--help"])
    assert result.exit_code == 0
    examples = [
        line for line in result.stdout.splitlines() if line.startswith("    ") and f"subspan {verb}" in line
    ]
    assert examples
    assert result.stdout == CliRunner().invoke(program, [verb, "-h"]).stdout


def test_help_of_all_verbs_waits_for_no_scientific_library(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from subspan.cli.main import VERBS, program\n"
        "for verb in ([], *([verb] for verb in VERBS), ['cluster', '--method', 'esc']):\n"
        "    program([*verb, '--help'], standalone_mode=False)\n"
        "program(['methods', 'lsr'], standalone_mode=False)\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'numba', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert "--truth FILE[:COLUMN]" in done.stdout
    assert "Parameters of esc:" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["clutser"], 2, "No such command 'clutser'. Did you mean 'cluster'?"),
        (["fit"], 2, f"No such command 'fit'. There are {', '.join(VERBS)}."),
        (["--jason"], 2, "No such option"),
        (["evaluate", "--jason", "a", "b"], 2, "--json"),
        (["compare", "X.npy", "--trails", "2"], 2, "--trials"),
        (["cluster", "X.npy", "-k", "three"], 2, "at least 1, a range such as 2:20 or auto, not"),
        (["cluster", "Y.npy", "-k", "3"], 1, "Error: Y.npy: there is no such file."),
        (["compare", "Y.npy", "-k", "3"], 1, "Error: Y.npy: there is no such file."),
        (["evaluate", "Y.csv", "X.npy"], 1, "Error: Y.csv: there is no such file."),
    ],
)
def test_mistakes_end_in_a_sentence_and_a_code(
    arguments: list[str], code: int, words: str, points: Path
) -> None:
    done = run(*arguments, folder=points)
    assert done.returncode == code
    assert words in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_whoever_reads_may_stop_reading(points: Path) -> None:
    """As in `subspan cluster ... | head -1`."""
    np.save(points / "many.npy", np.random.default_rng(0).standard_normal((20_000, 2)))
    command = [
        str(SUBSPAN),
        "cluster",
        "many.npy",
        "-k",
        "2",
        "--method",
        "ssc-omp",
        "--n-nonzero",
        "1",
        "--quiet",
    ]
    with subprocess.Popen(command, cwd=points, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"row,label\n"
        process.stdout.close()
        assert process.stderr.read() == b""


def test_an_interrupted_comparison_ends_at_once(points: Path) -> None:
    command = [str(SUBSPAN), "compare", "X.npy", "-k", "3", "--methods", "ssc-omp", "--trials", "100000"]
    with subprocess.Popen(command, cwd=points, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith(b"ssc-omp, seed 2"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, messages = process.communicate(timeout=60)
    assert process.returncode == 130
    assert messages.endswith(b"Interrupted.\n")
    assert out == b""


def test_no_color_in_a_terminal(points: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [str(SUBSPAN), "cluster", "X.npy", "-k", "3", "--method", "lsr", "--labels", "labels.csv"]
    environment = os.environ | {"TERM": "xterm-256color", "NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=points, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b"".join(read_all(ours))
    assert process.returncode == 0
    assert b"sizes: 40 40 40" in shown
    # Colours are 30 to 49 and 90 to 107 in the sequences that set attributes.
    assert not [number for number in attributes(shown) if 30 <= number <= 49 or 90 <= number <= 107]


def read_all(descriptor: int) -> list[bytes]:
    parts = []
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return parts


def attributes(shown: bytes) -> list[int]:
    return [
        int(number)
        for found in re.findall(rb"\x1b\[([\d;]*)m", shown)
        for number in found.split(b";")
        if number
    ]
