"""The real program, run as a user runs it."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods import registry

SUBSPAN = Path(sys.executable).with_name("subspan")


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """A data folder with ten small "people", each a subspace of images."""
    X, y = make_union_of_subspaces(10, 4, 2016, 16, shuffle=False, random_state=0)
    pixels = np.clip(128 + 1500 * X, 0, 255).astype(np.uint8)
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "extended_yale_b.npz", X=pixels, y=y, image_shape=[48, 42], pixel_order="F")
    return folder


def test_list_names_every_experiment_without_scientific_libraries() -> None:
    code = (
        "import sys; from subspan.cli.main import program\n"
        "program(['reproduce', '--list'], standalone_mode=False)\n"
        "print(sorted({'numpy', 'sklearn', 'numba', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, modules = done.stdout.splitlines()
    assert len(lines) == 16
    assert [line.split()[0] for line in lines][:2] == ["table-eyaleb", "table-coil100"]
    assert modules == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table-yaleb"], "did you mean 'table-eyaleb'?"),
        ([], "Name an experiment, or 'all'"),
        (["all", "--trials", "0"], "--trials"),
        (["all", "--methods", "s3kompc"], "did you mean 's3comp"),
        (["all", "--n-jobs", "0"], "--n-jobs must not be 0"),
        (["table-gtsrb"], "set SUBSPAN_DATA to its path"),
        (
            ["table-gtsrb", "--data-dir", "nowhere"],
            "There is no gtsrb.npz in nowhere: get the training images",
        ),
    ],
)
def test_mistakes_are_answered_in_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUBSPAN_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(program, ["reproduce", *arguments])
    assert result.exit_code != 0
    assert isinstance(result.exception, (InputError, SystemExit))
    assert words in f"{result.exception} {result.stderr}"
    assert not list(tmp_path.iterdir()), "a command that did nothing left something behind"


def test_a_table_on_a_few_small_faces(faces: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", "table-eyaleb", "--quick", "--data-dir", str(faces), "--out", str(out)]
    done = CliRunner().invoke(program, arguments, catch_exceptions=False)
    assert done.stdout.split() == [str(out / f"table-eyaleb.{kind}") for kind in ("csv", "md")]
    assert "20 runs to do." in done.stderr
    assert "20 of 20" in done.stderr
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    # The quick version takes the first eight people.
    assert {(row["n_points"], row["n_classes"]) for row in rows} == {(128, 8)}
    published = [name for name in registry.METHODS if name != "auto"]
    assert sorted(row["method"] for row in rows) == sorted(2 * published)
    with (out / "table-eyaleb.csv").open() as file:
        lines = {(line["method"], line["metric"]): line for line in csv.DictReader(file)}
    mean = np.mean([100 * row["accuracy"] for row in rows if row["method"] == "s3comp-c"])
    assert float(lines["S3COMP-C", "accuracy"]["mean"]) == pytest.approx(mean, abs=1e-3)
    assert lines["S3COMP-C", "accuracy"]["published"] == "87.41"


def test_a_figure_after_the_first_attempt_was_killed(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = tmp_path / "out" / "results.jsonl"
    options = ["fig-synthetic", "--quick", "--trials", "1", "--methods", "ssc-omp,s3comp", "--out", "out"]
    command = [str(SUBSPAN), "reproduce", *options]
    first = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not (results.exists() and results.read_bytes().count(b"\n") >= 2) and first.poll() is None:
        time.sleep(0.02)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = [json.loads(line) for line in results.read_bytes().split(b"\n")[:-1]]
    assert 2 <= len(before) < 8
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{8 - len(before)} runs to do." in done.stderr
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert rows[: len(before)] == before
    assert len({row["key"] for row in rows}) == len(rows) == 8
    kinds = sorted(path.name for path in (tmp_path / "out").glob("fig-synthetic.*"))
    assert kinds == [f"fig-synthetic.{kind}" for kind in ("csv", "md", "png", "svg")]
