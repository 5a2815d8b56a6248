"""The real program: a model is kept, shown, and labels new rows."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from subspan import load
from subspan.datasets import make_union_of_subspaces
from subspan.sources import open_source


def subspan(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from subspan.cli.main import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("week")
    X, _ = make_union_of_subspaces(3, 2, 10, 40, noise=0.02, random_state=0)
    np.save(folder / "monday.npy", X[::2])
    np.save(folder / "tuesday.npy", X[1::2])
    done = subspan(
        "cluster", folder / "monday.npy", "-k", "3", "--center", "--pca", "6",
        "--labels", folder / "monday.csv", "--save", folder / "week.subspan",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"model: {folder / 'week.subspan'}" in done.stderr
    return folder


def test_a_kept_model_labels_new_rows(folder):
    done = subspan("predict", folder / "week.subspan", folder / "tuesday.npy", "--labels", folder / "t.csv")
    assert done.returncode == 0, done.stderr
    labels = np.loadtxt(folder / "t.csv", delimiter=",", skiprows=1, dtype=int)[:, 1]
    model = load(folder / "week.subspan")
    assert np.array_equal(labels, model.predict(np.load(folder / "tuesday.npy")))
    again = subspan("predict", folder / "week.subspan", folder / "monday.npy", "--quiet")
    assert again.stderr == ""
    assert again.stdout == (folder / "monday.csv").read_text()


def test_a_model_is_shown(folder):
    done = subspan("show", folder / "week.subspan")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("SubspaceClustering of subspan ")
    assert lines[1] == "fitted to 60 rows with 10 columns; 60 atoms"
    assert lines[2] == "preparation: centred, 6 principal directions, unit norm"
    assert len(lines) == 5 + 2 + 3


def test_other_files_are_refused_in_one_sentence(folder):
    done = subspan("predict", folder / "monday.npy", folder / "tuesday.npy")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "monday.npy: is no model that can be used: it is not a file of subspan."
    )
    done = subspan("cluster", folder / "monday.npy", "--save", folder / "no" / "m.subspan")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


@pytest.mark.parametrize(("name", "index"), [("plants", "plants"), (None, "index")])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_the_index_of_pandas_names_the_rows_and_is_no_data(folder, tmp_path, suffix, name, index):
    """As pandas stores it; an index with a name is a column like others in CSV, and --id says which."""
    rows = np.load(folder / "tuesday.npy")
    frame = pd.DataFrame(rows, columns=[f"band {number}" for number in range(10)])
    frame.index = pd.Index([*range(500, 500 + len(rows))], name=name)
    path = tmp_path / f"tuesday{suffix}"
    frame.to_parquet(path) if suffix == ".parquet" else frame.to_csv(path)
    as_column = name is not None and suffix != ".parquet"
    choice = ("--id", name) if as_column else ()
    done = subspan("predict", folder / "week.subspan", path, *choice, "--quiet")
    assert done.returncode == 0, done.stderr
    found = pd.read_csv(io.StringIO(done.stdout))
    assert list(found) == [index, "row", "label"]
    assert found[index].tolist() == list(frame.index)
    assert np.array_equal(found["label"], load(folder / "week.subspan").predict(rows))


def test_the_index_is_data_where_it_is_asked_for(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([5, 7], name="age"))
    frame.to_parquet(tmp_path / "X.parquet")
    assert open_source(tmp_path / "X.parquet").columns == ("a",)
    asked = open_source(tmp_path / "X.parquet", columns=["age", "a"])
    assert asked.rows(0, 2).tolist() == [[5.0, 1.0], [7.0, 2.0]]
