"""The real program, run as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from subspan.cli.main import program
from subspan.handover import InputError

SUBSPAN = Path(sys.executable).with_name("subspan")

# Two classes of three; a cluster of two, one of three, and one point in none: 4 of 6 are right.
LABELS = np.array([0, 0, -1, 1, 1, 1])
TRUTH = np.array([7, 7, 7, 9, 9, 7])
ACCURACY = 4 / 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text("row,label\n" + "".join(f"{i},{v}\n" for i, v in enumerate(LABELS)))
    return tmp_path


def invoke(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(program, ["evaluate", *arguments], input=text)


def scores(*arguments: str, text: str | None = None) -> dict[str, float]:
    result = invoke(*arguments, "--json", text=text)
    assert result.exit_code == 0, result.exception
    found: dict[str, float] = json.loads(result.stdout)
    return found


def write_truth(path: Path) -> None:
    if path.suffix == ".npy":
        np.save(path, TRUTH.astype(float)[:, None])
    elif path.suffix == ".npz":
        np.savez(path, X=np.eye(6), y=TRUTH)
    elif path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"y": TRUTH}), path)
    else:
        path.write_text("\n".join(map(str, TRUTH)))


@pytest.mark.parametrize("name", ["truth.npy", "truth.npz", "truth.parquet", "truth.csv", "truth.txt"])
def test_every_kind_of_file(name: str, folder: Path) -> None:
    write_truth(folder / name)
    facts = scores("labels.csv", name)
    assert facts["accuracy"] == pytest.approx(ACCURACY)
    assert facts["unlabelled"] == 1
    assert facts["cluster_sizes"] == {"0": 2, "1": 3}
    assert facts["class_sizes"] == {"7": 4, "9": 2}


@pytest.mark.parametrize("first", ["", "animal\n", "label\n"])
def test_classes_may_be_words_with_or_without_a_header(first: str, folder: Path) -> None:
    words = np.where(TRUTH == 7, "cat", "dog")
    (folder / "truth.csv").write_text(first + "\n".join(words) + "\n")
    facts = scores("labels.csv", "truth.csv")
    assert facts["accuracy"] == pytest.approx(ACCURACY)
    assert facts["class_sizes"] == {"cat": 4, "dog": 2}


def test_a_named_column_and_standard_input(folder: Path) -> None:
    lines = [f"{name};{value}" for name, value in zip("abcdef", TRUTH, strict=True)]
    (folder / "table.csv").write_text("\n".join(["name;species", *lines]))
    text = (folder / "labels.csv").read_text()
    assert scores("-", "table.csv", "--truth-column", "species", text=text)["n_points"] == 6


def test_perfect_labels_for_a_reader(folder: Path) -> None:
    (folder / "truth.csv").write_text("3\n3\n1\n2\n2\n2\n")
    (folder / "found.csv").write_text("0\n0\n1\n2\n2\n2\n")
    command = [str(SUBSPAN), "evaluate", "found.csv", "truth.csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[:3] == [["accuracy", "1.0000"], ["nmi", "1.0000"], ["ari", "1.0000"]]
    assert lines[3] == ["clusters", "3", "of", "1", "to", "3", "points"]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("0\n1\n", [], "labels.csv has 6 labels, but truth.csv has 2."),
        ("", [], "truth.csv: is empty."),
        ("a,b\n1,2\n3,4\n", [], "truth.csv: holds a, b; --truth-column NAME says which are the labels."),
        ("a,b\n1,2\n3,4\n", ["--truth-column", "c"], "has no column 'c'; it has a, b."),
        ("a,b\n1,2\n3\n", [], "record 3 has 1 cells, the first 2."),
    ],
)
def test_mistakes_are_answered_in_one_sentence(
    content: str, options: list[str], words: str, folder: Path
) -> None:
    (folder / "truth.csv").write_text(content)
    result = invoke("labels.csv", "truth.csv", *options)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)


def test_two_files_cannot_both_come_through_a_pipe() -> None:
    assert invoke("-", "-", text="0\n").exit_code == 2
