"""Nothing that a command reads is overwritten, and names can do no harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from subspan import LSR
from subspan.cli import options
from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError

X, y = make_union_of_subspaces(2, 2, 6, 12, random_state=0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.save(tmp_path / "X.npy", X)
    (tmp_path / "y.csv").write_text("label\n" + "\n".join(map(str, y)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(program, list(arguments))
    assert done.exit_code == 2, done.output
    return done.output


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--labels", "y.csv", "--truth", "y.csv"], "'--labels': y.csv is the truth"),
        (["--labels", "./y.csv", "--truth", "y.csv:label"], "'--labels': ./y.csv is the truth"),
        (["--labels", "X.npy"], "'--labels': X.npy is the data"),
        (["--save", "X.npy"], "'--save': X.npy is the data"),
        (["--labels", "l.npy", "--save", "l.npy"], "'--save': l.npy is the file of --labels"),
        (["--report", "r.html", "--save", "r.html"], "'--report': r.html is the file of --save"),
        (["--report", "r.html", "--row-names", "r.html"], "'--report': r.html is the file of row names"),
    ],
)
def test_what_is_read_is_not_overwritten(given, sentence, folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    output = refused("cluster", "X.npy", "-k", "2", *given)
    assert sentence in output
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_closed_standard_output_costs_no_run(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(Exception, match="Standard output is closed; --labels FILE"):
        program(["cluster", "X.npy", "-k", "2"], standalone_mode=False)


@pytest.mark.parametrize("extra", ["--report", "--save", "--map", "--join"])
def test_what_fails_after_the_fit_costs_no_labels(extra, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for place in ("cluster.write_page", "images.write_map", "joining.write_joined"):
        monkeypatch.setattr(f"subspan.cli.{place}", full)
    monkeypatch.setattr(LSR, "save", full)
    np.save("cube.npy", X.reshape(4, 6, 6))
    other = {"--report": "r.html", "--save": "m.subspan", "--map": "m.png", "--join": "t.csv"}[extra]
    data = "cube.npy" if extra == "--map" else "X.csv"
    np.savetxt("X.csv", X, delimiter=",")
    done = CliRunner().invoke(
        program, ["cluster", data, "-k", "2", "--method", "lsr", "--labels", "l.csv", extra, other]
    )
    assert done.exit_code != 0
    assert "No space left" in done.output + str(done.exception)
    assert len(Path("l.csv").read_text().splitlines()) == 25


def test_labels_of_no_cluster_are_evaluated():
    np.save("none.npy", np.full(24, -1))
    done = CliRunner().invoke(program, ["evaluate", "none.npy", "y.csv"])
    assert done.exit_code == 0, done.output
    assert "clusters  0\n" in done.output
    assert "in none   24 points" in done.output


@pytest.mark.parametrize("name", ["a\x1b[31m.npy", "a\x1b]0;title\x07.npy", "a\r.npy", "a\x9b1m.npy"])
def test_names_do_not_steer_the_terminal(name):
    np.save(name, np.zeros((3, 2)))
    done = subprocess.run(
        [str(Path(sys.executable).with_name("subspan")), "cluster", name, "-k", "2", "--method", "lsr"],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    said = done.stderr.decode()
    assert done.returncode == 1
    assert all(char.isprintable() or char == "\n" for char in said)
    assert "zero row" in said


def test_what_is_inert_stays():
    text = "Größe\tμ\nX.npy: 3 rows"
    assert options.inert(text) == text


@pytest.mark.parametrize("name", ["truth.npy", "truth.parquet"])
def test_a_truth_with_a_hole_costs_no_run(name, monkeypatch):
    monkeypatch.setattr("subspan.cli.clustering.fit", lambda *_, **__: pytest.fail("it began to work"))
    truth = y.astype(float)
    truth[5] = np.nan
    np.save("truth.npy", truth)
    pd.DataFrame({"label": truth}).to_parquet("truth.parquet")
    with pytest.raises(InputError, match=rf"--truth {name}: 1 labels are missing, the first at row 5"):
        program(["cluster", "X.npy", "-k", "2", "--truth", name], standalone_mode=False)


@pytest.mark.parametrize("cell", ["NA", "", "n/a", "NaN", "null", "None"])
@pytest.mark.parametrize("classes", [["1", "2"], ["rose", "lily"]])
def test_a_class_that_is_not_known_is_no_class(cell, classes, monkeypatch):
    monkeypatch.setattr("subspan.cli.clustering.fit", lambda *_, **__: pytest.fail("it began to work"))
    cells = [classes[label] for label in y]
    cells[5] = cell
    Path("classes.csv").write_text(
        "\n".join(["row,label", *(f"{row},{name}" for row, name in enumerate(cells))])
    )
    sentence = r"classes\.csv: 1 labels are missing, the first at row 5\.$"
    with pytest.raises(InputError, match=f"^--truth {sentence}"):
        program(["cluster", "X.npy", "-k", "2", "--truth", "classes.csv"], standalone_mode=False)
    for pair in (["y.csv", "classes.csv"], ["classes.csv", "y.csv"]):
        with pytest.raises(InputError, match=f"^{sentence}"):
            program(["evaluate", *pair], standalone_mode=False)


@pytest.mark.parametrize("names", [("+", "-"), ("none", "some")])
def test_signs_and_words_are_classes(names):
    Path("classes.csv").write_text("\n".join(["label", *(names[label] for label in y)]))
    done = CliRunner().invoke(program, ["evaluate", "classes.csv", "y.csv"])
    assert "accuracy  1.0000" in done.output
