"""The real program, run as a user runs it; its numbers against the estimators and scikit-learn."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from subspan import LSR, SSCOMP
from subspan.cli.main import program
from subspan.cli.method_settings import contestants_of, named_methods, sweeps_of
from subspan.comparison import running
from subspan.comparison.contestants import Contestant, comparable, methods_for
from subspan.comparison.figure import Matrix, picture_of
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods.registry import METHODS
from subspan.metrics import clustering_accuracy, connectivity, subspace_preserving_error
from subspan.sources import open_source

SUBSPAN = Path(sys.executable).with_name("subspan")
NAMES = np.array(["cat", "dog", "owl", "yak"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with points and their classes."""
    X, y = make_union_of_subspaces(4, 3, 12, 30, noise=0.2, random_state=0)
    np.savez(tmp_path / "both.npz", X=X, Z=X, y=y)
    lines = [",".join([*map(repr, row.tolist()), name]) for row, name in zip(X, NAMES[y], strict=True)]
    header = ",".join([*(f"c{j}" for j in range(12)), "animal"])
    (tmp_path / "table.csv").write_text("\n".join([header, *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(program, ["compare", *arguments], input=text)


def facts(*arguments: str) -> dict:
    result = invoke(*arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


BOTH = ("both.npz", "--key", "X")
TRUTH = ("--truth", "both.npz:y")


def test_scores_are_those_of_the_estimators(folder: Path) -> None:
    methods = ["--methods", "lsr,SSC-OMP,lsr", "--set", "ssc-omp.n_nonzero=3"]
    found = facts(*BOTH, *TRUTH, *methods, "--trials", "2", "--seed", "3")
    X, y = (np.load(folder / "both.npz")[name] for name in "Xy")
    assert (found["seeds"], sorted(found["methods"])) == ([3, 4], ["lsr", "ssc-omp"])
    assert all(method["n_clusters"] == 4 for method in found["methods"].values())
    models = {
        "lsr": [LSR(4, random_state=seed).fit(X) for seed in (3, 4)],
        "ssc-omp": [SSCOMP(4, n_nonzero=3, random_state=seed).fit(X) for seed in (3, 4)],
    }
    for name, method in found["methods"].items():
        one, other = (model.labels_ for model in models[name])
        accuracies = [clustering_accuracy(y, labels) for labels in (one, other)]
        assert [trial["accuracy"] for trial in method["trials"]] == accuracies
        assert method["mean"]["accuracy"] == pytest.approx(np.mean(accuracies))
        assert method["sd"]["accuracy"] == pytest.approx(np.std(accuracies, ddof=1))
        assert method["trials"][0]["nmi"] == pytest.approx(normalized_mutual_info_score(y, one))
        assert method["trials"][1]["ari"] == pytest.approx(adjusted_rand_score(y, other))
        assert method["stability"] == pytest.approx(adjusted_rand_score(one, other))
        for trial, model in zip(method["trials"], models[name], strict=True):
            assert trial["sre"] == pytest.approx(subspace_preserving_error(model.representation_, y))
            assert trial["connectivity"] == pytest.approx(connectivity(model.affinity_, y).mean)
            assert trial["gap"] == pytest.approx(model.eigenvalues_[3] - model.eigenvalues_[4])
    pairs = zip(models["lsr"], models["ssc-omp"], strict=True)
    alike = np.mean([adjusted_rand_score(one.labels_, other.labels_) for one, other in pairs])
    assert found["agreement"]["lsr"]["ssc-omp"] == pytest.approx(alike)


def test_a_table_on_stdout_and_messages_on_stderr(folder: Path) -> None:
    command = ["table.csv", "--columns", "c0,c1,c2,c3,c4", "--truth", "table.csv:animal", "--trials", "1"]
    done = subprocess.run(
        [str(SUBSPAN), "compare", *command, "--methods", "lsr,ssc-omp"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *lines = [line.split("  ") for line in done.stdout.splitlines()]
    headings = ["method", "accuracy %", "NMI %", "ARI %", "sre %", "conn", "seconds", "memory"]
    assert [cell.strip() for cell in first if cell] == headings
    assert sorted(line[0].strip() for line in lines) == ["lsr", "ssc-omp"]
    assert len({len(line) for line in done.stdout.splitlines()}) == 1
    assert "120 rows of 5 numbers from table.csv, 4 clusters, 1 trial of lsr, ssc-omp" in done.stderr
    assert "lsr, seed 0: accuracy" in done.stderr
    assert "conn: connectivity" in done.stderr


@pytest.mark.usefixtures("folder")
def test_without_a_truth_what_can_be_said_without_it() -> None:
    result = invoke(*BOTH, "-k", "4", "--methods", "lsr,lrsc", "--trials", "2", "--quiet")
    assert result.stderr == ""
    table, _, matrix = result.stdout.partition("\n\n")
    assert table.splitlines()[0].split() == [
        "method", "gap", "pieces", "agreement", "stability", "seconds", "memory"
    ]  # fmt: skip
    assert [line.split()[0] for line in table.splitlines()[1:]] == ["lsr", "lrsc"]
    rows = [line.split() for line in matrix.splitlines()]
    assert rows[0] == ["ARI", "lsr", "lrsc"]
    assert rows[1][1] == rows[2][2] == "1.000"
    assert rows[1][2] == rows[2][1]
    # With two methods, the agreement of each with the others is that with the other.
    assert table.splitlines()[1].split()[3] == rows[1][2]


@pytest.mark.usefixtures("folder")
def test_a_method_that_refuses_does_not_keep_back_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subspan.base.bytes_of_budget", lambda _: 1000)
    options = ["--methods", "lsr,scc,ssc-omp", "--set", "scc.dim=40", "--trials", "1"]
    result = invoke(*BOTH, "-k", "4", *options)
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in result.stdout.partition("\n\n")[0].splitlines())
    assert lines["lsr"].startswith("memory_budget: 0 MB is too little; ")
    assert lines["scc"].startswith("dim=40 must be below the number of features")
    assert lines["ssc-omp"].endswith("GB")
    assert "lsr: failed" in result.stderr


def test_all_methods_refuse(folder: Path) -> None:
    np.save(folder / "zero.npy", np.eye(6)[[0, 1, 2, 3]] * [[1], [1], [1], [0]])
    result = invoke("zero.npy", "-k", "2", "--methods", "ssc-omp,lsr,esc", "--out", "out")
    assert result.exit_code == 1
    assert result.stdout.count("1 zero row, the first at row 3") == 3
    files = sorted(path.name for path in (folder / "out").iterdir())
    assert files == ["comparison.csv", "comparison.md", "comparison.tex"]


def test_an_error_of_any_kind_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("Unable to allocate\n36 GiB")

    monkeypatch.setattr(LSR, "_represent", fail)
    task = running.Task(open_source(folder / "both.npz", key="X"), [0])
    (outcome,) = running.carry_out(task, [Contestant("lsr", "lsr", 4)], lambda _: None, show=False)
    assert outcome.refusal == "not enough memory: Unable to allocate 36 GiB"
    assert outcome.trials == []


def test_files_hold_what_was_measured(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    options = ["--methods", "lsr,ssc-omp,scc", "--set", "dim=40", "--trials", "2", "--out", "new/out"]
    result = invoke(*BOTH, *TRUTH, *options)
    assert result.exit_code == 0, result.stderr
    out = folder / "new" / "out"
    with (out / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    first = {row["method"]: row for row in rows if row["seed"] != "1"}
    assert sorted((row["method"], row["seed"]) for row in rows) == [
        ("lsr", "0"), ("lsr", "1"), ("scc", ""), ("ssc-omp", "0"), ("ssc-omp", "1")
    ]  # fmt: skip
    assert first["scc"]["error"].startswith("dim=40 must be below")
    labels = np.genfromtxt(out / "labels.csv", delimiter=",", names=True, dtype=int)
    y = np.load(folder / "both.npz")["y"]
    assert clustering_accuracy(y, labels["lsr"]) == float(first["lsr"]["accuracy"])
    assert clustering_accuracy(y, labels["sscomp"]) == float(first["ssc-omp"]["accuracy"])
    page = (out / "comparison.md").read_text()
    lines = [line for line in page.partition("## Agreement")[0].splitlines() if line.startswith("|")]
    assert [line.count("|") for line in lines] == [9] * 5
    assert "- scc: dim = 40" in page
    assert ET.parse(out / "comparison.svg").getroot().tag.endswith("svg")
    assert (out / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_of_the_figure_without_a_picture() -> None:
    halves = [np.repeat([0, 1], 10), np.tile([0, 1], 10)]
    outcomes = [
        running.Outcome(Contestant(name, name, 2), [running.ComparedFit(0, labels, {"seconds": 2.0}, ())])
        for name, labels in zip(("lsr", "esc"), halves, strict=True)
    ]
    alike, seconds = picture_of(outcomes)
    assert isinstance(alike, Matrix)
    between = adjusted_rand_score(*halves)
    assert np.allclose(alike.values, [[1, between], [between, 1]])
    assert (seconds.values, seconds.deviations) == ([2.0, 2.0], [0.0, 0.0])
    for outcome, share in zip(outcomes, (0.5, 1.0), strict=True):
        outcome.trials[0].numbers["accuracy"] = share
    accuracy, _ = picture_of(outcomes)
    assert accuracy.values == [50.0, 100.0]


def test_methods_by_the_number_of_rows_are_methods() -> None:
    for n_rows in (100, 10_000, 10**8):
        assert set(methods_for(n_rows)) < set(comparable())
    assert sorted(named_methods("lsr,ALL")) == sorted(comparable())


@pytest.mark.usefixtures("folder")
def test_a_parameter_without_a_method_goes_to_all_that_have_it() -> None:
    assert sweeps_of(["lsr", "ssc-omp", "scc"], ["n-nonzero=2", "normalize=false", "lsr.scale=none"]) == {
        "lsr": {"normalize": [False], "scale": [None]},
        "ssc-omp": {"n_nonzero": [2], "normalize": [False]},
        "scc": {"normalize": [False]},
    }


OWN = """
import numpy as np

class Halves:
    def __init__(self, n_clusters, share=0.5):
        self.n_clusters, self.share = n_clusters, share

    def fit_predict(self, X):
        return (np.arange(len(X)) < self.share * len(X)).astype(int)

class Deaf:
    pass
"""


def test_baselines_and_a_class_of_ones_own_are_rows_the_best_first_and_bold(folder: Path) -> None:
    (folder / "own.py").write_text(OWN)
    methods = ["--methods", "own.py:Halves,k-means,lsr", "--set", "own.py:Halves.share=0.25"]
    result = invoke(*BOTH, *TRUTH, *methods, "--trials", "1", "--quiet", "--out", "table.tex")
    assert result.exit_code == 0, result.stderr
    X, y = (np.load(folder / "both.npz")[name] for name in "Xy")
    expected = {
        "k-means": KMeans(4, n_init=10, random_state=0).fit_predict(X),
        "lsr": LSR(4, random_state=0).fit(X).labels_,
        "own.py:Halves": np.arange(120) < 30,
    }
    accuracies = {name: clustering_accuracy(y, labels) for name, labels in expected.items()}
    lines = [line.split() for line in result.stdout.splitlines()[1:]]
    assert [line[0] for line in lines] == sorted(accuracies, key=lambda name: -accuracies[name])
    assert [line[1] for line in lines] == [f"{100 * accuracies[line[0]]:.1f}" for line in lines]
    table = (folder / "table.tex").read_text()
    assert f"{lines[0][0]} & \\textbf{{{lines[0][1]}}}" in table
    assert table.count(r"\begin{tabular}{lrrrrrrr}") == table.count(r"\end{tabular}") == 1
    deaf = invoke(*BOTH, *TRUTH, "--methods", "own.py:Deaf")
    assert deaf.exit_code == 2
    assert "Deaf has no method fit_predict" in deaf.stderr


def test_all_methods_and_ones_own(folder: Path) -> None:
    (folder / "own.py").write_text(OWN)
    found = facts(*BOTH, *TRUTH, "--methods", "all,own.py:Halves", "--trials", "1")["methods"]
    assert set(found) == {*METHODS, "k-means", "spectral", "own.py:Halves"}


@pytest.mark.usefixtures("folder")
def test_a_sweep_has_a_row_for_each_setting() -> None:
    found = facts(*BOTH, "-k", "2:3", "--methods", "ssc-omp,lsr", "--set", "n_nonzero=2,3", "--trials", "1")[
        "methods"
    ]
    names = [f"ssc-omp k={k} n_nonzero={number}" for k in (2, 3) for number in (2, 3)]
    assert list(found) == [*names, "lsr k=2", "lsr k=3"]
    assert [(each["n_clusters"], each["parameters"]) for each in found.values()][:2] == [
        (2, {"n_nonzero": 2}), (2, {"n_nonzero": 3})
    ]  # fmt: skip
    assert [each.name for each in contestants_of(sweeps_of(["k-means"], ["n_init=1,auto"]), [2])] == [
        "k-means n_init=1", "k-means n_init=auto"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*BOTH], "Give the number of clusters with -k, or the true classes with --truth."),
        ([*BOTH, "-k", "4", "--methods", "s3comp-d"], "There is no method 's3comp-d'; did you mean"),
        ([*BOTH, "-k", "4", "--methods", ","], "names no method"),
        ([*BOTH, "-k", "4", "--set", "n_nonzeros=3"], "has a parameter n_nonzeros. Did you mean n_nonzero?"),
        ([*BOTH, "-k", "4", "--set", "lsr.n_nonzero=3"], "lsr has no parameter n_nonzero."),
        ([*BOTH, "-k", "4", "--methods", "lsr", "--set", "esc.scale=max"], "esc is not among the methods"),
        ([*BOTH, "-k", "4", "--set", "scale=min"], "scale must be max, l2 or none, not 'min'"),
        ([*BOTH, "-k", "4", "--set", "scale"], "'scale' should read NAME=VALUE"),
        ([*BOTH, "-k", "4", "--set", "random_state=3"], "it has an option of its own, --seed."),
        ([*BOTH, "-k", "4", "--memory", "lots"], "must be a size such as 2GB, not 'lots'"),
        ([*BOTH, "-k", "4", "--n-jobs", "0"], "must not be 0"),
        ([*BOTH, "-k", "4:2"], "must be a number such as 5, several such as 2,5,8, or 2:20; not '4:2'."),
        ([*BOTH, "--k", "4"], "No such option --k. The number of clusters is -k, as in -k 3."),
        (
            [*BOTH, "-k", "4", "--out", "table.xlsx"],
            "table.xlsx: the name must end in one of .csv, .md, .tex",
        ),
        ([*BOTH, "-k", "4", "--out", "no/table.tex"], "there is no folder no."),
        (
            [*BOTH, "-k", "4", "--set", "k-means.n_inits=3"],
            "k-means has no parameter n_inits. Did you mean n_init?",
        ),
        (["-", "-k", "4", "--truth", "-"], "Only one of DATA and --truth"),
        ([*BOTH, "-k", "4", "--truths", "y.csv"], "--truth"),
    ],
)
def test_bad_usage_is_answered_before_any_work(arguments: list[str], words: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["both.npz", "-k", "4"], "choose one with --key."),
        ([*BOTH, "--truth", "table.csv:animals"], "has no column 'animals'"),
        ([*BOTH, "--truth", "short.csv"], "--truth short.csv: has 2 entries, but both.npz has 120 rows."),
        ([*BOTH, "--truth", "none.csv"], "none.csv: there is no such file."),
    ],
)
def test_bad_data_end_in_a_sentence(arguments: list[str], words: str, folder: Path) -> None:
    (folder / "short.csv").write_text("0\n1\n")
    result = invoke(*arguments)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)
