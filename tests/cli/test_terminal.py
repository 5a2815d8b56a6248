"""A session in a real terminal, read as a person reads it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import terminal

from subspan.datasets import make_union_of_subspaces

DOCS = Path(__file__).parents[2] / "docs"


def test_a_mistake_an_interruption_and_a_happy_end(tmp_path: Path) -> None:
    if not terminal.is_available():
        pytest.skip("there is no tmux on this system")
    X, _ = make_union_of_subspaces(4, 3, 30, 640, noise=0.05, random_state=0)
    np.save(tmp_path / "large.npy", X)
    options = "-k 4 --n-nonzero 3 --tol 0 --max-iter 12 --n-jobs 1 --work-dir work"
    with terminal.Terminal(tmp_path) as screen:
        shown = screen.run("subspan clutser large.npy -k 4")
        assert shown.splitlines()[-1] == "Error: No such command 'clutser'. Did you mean 'cluster'?"

        screen.type(f"subspan cluster large.npy {options}")
        screen.wait(lambda: any((tmp_path / "work").glob("block-????????")))
        screen.press("C-c")
        assert screen.shown().splitlines() == [
            f"$ subspan cluster large.npy {options}",
            "s3comp-c: 2560 rows of 30 numbers from large.npy",
            "Interrupted; the same command goes on from work.",
        ]
        assert screen.run("echo $?").splitlines()[-1] == "130"

        screen.type(f"subspan cluster large.npy {options.replace('--work-dir work', '--max-iter 500')}")
        screen.wait(lambda: "━" in screen.screen())
        screen.press("C-c")
        assert " ".join(screen.shown().splitlines()[-2:]).endswith(
            "Interrupted. Nothing was kept; with --work-dir FOLDER the same command goes on where it ended."
        )

        lines = screen.run(f"subspan cluster large.npy {options}").splitlines()
        assert lines[1:3] == ["s3comp-c: 2560 rows of 30 numbers from large.npy", "sizes: 640 640 640 640"]
        assert lines[-1] == "labels: large-labels.csv"
        # The bar has left nothing behind.
        assert "━" not in "\n".join(lines)


def test_the_page_has_a_place_for_each_session() -> None:
    specification = importlib.util.spec_from_file_location("transcripts", DOCS / "transcripts.py")
    assert specification is not None
    assert specification.loader is not None
    transcripts = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(transcripts)
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- session: (\S+) -->\n```text\n\$ subspan ", page)
    assert sorted(found) == sorted(transcripts.SESSIONS)
    assert "Traceback" not in page
