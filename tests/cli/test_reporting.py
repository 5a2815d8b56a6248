"""The page that `subspan cluster --report` writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from pages import parse

from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces

SUBSPAN = Path(sys.executable).with_name("subspan")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    X, y = make_union_of_subspaces(3, 2, 12, 20, random_state=0)
    np.savez(tmp_path / "both.npz", X=X, y=y)
    np.save(tmp_path / "X.npy", X)
    lines = [
        f"{a},{b},flower {row},kind {k}" for row, (a, b, k) in enumerate(zip(*X[:, :2].T, y, strict=True))
    ]
    (tmp_path / "plants.csv").write_text("\n".join(["width,height,name,species", *lines]))
    (tmp_path / "short.csv").write_text("label\n1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_page_for_a_colleague(folder):
    command = ["cluster", "both.npz", "-k", "3", "--key", "X", "--n-nonzero", "2", "--report", "my page.html"]
    command += ["--truth", "both.npz:y", "--image-shape", "3x4", "--labels", "labels.csv"]
    done = subprocess.run([str(SUBSPAN), *command], capture_output=True, text=True, cwd=folder, check=True)
    assert "report: my page.html" in done.stderr.splitlines()
    assert done.stdout == ""
    root = parse((folder / "my page.html").read_text(encoding="utf-8"))
    assert root.find("h1")[0].words() == "3 clusters in both.npz"
    code = root.find("code")
    assert (
        code[0]
        .words()
        .startswith("subspan cluster both.npz -k 3 --key X --n-nonzero 2 --report 'my page.html'")
    )
    assert "S3COMPC(n_clusters=3, random_state=0, n_nonzero=2)" in code[1].words()
    assert ".fit(open_source('both.npz', key='X'))" in code[1].words()
    assert root.find("section", id="truth")
    assert len(root.find("img")) == 18


def test_rows_and_classes_have_names(folder):
    arguments = ["plants.csv", "-k", "3", "--columns", "width,height", "--method", "lsr", "--quiet"]
    arguments += ["--row-names", "plants.csv:name", "--truth", "plants.csv:species", "--report", "page.html"]
    done = CliRunner().invoke(program, ["cluster", *arguments])
    assert done.exit_code == 0, done.output
    words = parse((folder / "page.html").read_text(encoding="utf-8")).words()
    for expected in ("flower 1", "kind 2", "width", "columns=['width', 'height']"):
        assert expected in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--report", "page.pdf"], "page.pdf: the name must end in .html"),
        (["--report", "nowhere/page.html"], "there is no folder nowhere"),
        (
            ["--report", "page.html", "--truth", "short.csv"],
            "--truth short.csv: has 1 entries, but X.npy has 60 rows",
        ),
        (["--report", "page.html", "--row-names", "none.csv"], "none.csv: there is no such file"),
        (["--report", "page.html", "--image-shape", "3 by 4"], "'3 by 4' is not a size; write it like 48x42"),
        (["--report", "page.html", "--image-shape", "3x5"], "3x5: has 15 values, but X.npy has 12 columns"),
        (["--row-names", "short.csv"], "--row-names changes nothing but the page of --report"),
        (["--image-shape", "3x4"], "--image-shape changes nothing but the page"),
    ],
)
def test_mistakes_are_answered_before_the_work(folder, arguments, message, monkeypatch):
    def works(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    monkeypatch.setattr("subspan.cli.clustering.fit", works)
    before = sorted(folder.iterdir())
    done = CliRunner().invoke(program, ["cluster", "X.npy", "-k", "3", *arguments])
    said = done.output + str(done.exception)
    assert message in " ".join(said.split())
    assert done.exit_code in (1, 2)
    assert sorted(folder.iterdir()) == before


def test_the_page_does_not_replace_the_data(folder):
    (folder / "data.html").write_text("data")
    done = CliRunner().invoke(program, ["cluster", "data.html", "-k", "3", "--report", "data.html"])
    assert done.exit_code == 2
    assert "data.html is the data; take another name" in done.output
    assert (folder / "data.html").read_text() == "data"
