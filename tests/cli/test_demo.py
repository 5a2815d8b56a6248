"""The real program, run as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from subspan.metrics import clustering_accuracy

SUBSPAN = Path(sys.executable).with_name("subspan")


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SUBSPAN), *arguments], capture_output=True, text=True, cwd=folder, timeout=120, check=False
    )


def test_demo_prints_the_comparison_and_writes_the_labels(tmp_path: Path) -> None:
    done = run("demo", "--seeds", "1", "--labels", "labels.csv", "--report", "page.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for words in ("k-means", "spectral clustering", "SSC-OMP", "S3COMP-C"):
        assert words in done.stdout
    for words in ("representation", "labeling", "Labels written to labels.csv"):
        assert words in done.stderr
    rows, labels = np.loadtxt(tmp_path / "labels.csv", delimiter=",", skiprows=1, dtype=int).T
    assert rows.tolist() == list(range(1797))
    # Well above what k-means reaches on these images.
    assert clustering_accuracy(load_digits().target, labels) > 0.8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.csv", "page.html"]
    assert "10 clusters in <bdi>scikit-learn's digits</bdi>" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["dem"], 2, "Did you mean 'demo'?"),
        (["demo", "--labels", "nowhere/labels.csv"], 2, "there is no folder nowhere"),
        (["demo", "--report", "nowhere/page.html"], 2, "there is no folder nowhere"),
        (["demo", "--seeds", "0"], 2, "--seeds"),
    ],
)
def test_mistakes_are_answered_in_one_sentence(
    arguments: list[str], code: int, words: str, tmp_path: Path
) -> None:
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_numbers_as_json_and_no_messages(tmp_path: Path) -> None:
    done = run("demo", "--seeds", "1", "--json", "--quiet", folder=tmp_path)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert len(found["S3COMP-C"]["accuracies"]) == 1
    assert found["S3COMP-C"]["accuracies"][0] > found["k-means"]["accuracies"][0]
