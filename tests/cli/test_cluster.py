"""The real program, run as a user runs it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods import registry

SUBSPAN = Path(sys.executable).with_name("subspan")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the same points in several files."""
    X, y = make_union_of_subspaces(4, 3, 30, 40, random_state=0)
    np.save(tmp_path / "X.npy", X)
    np.savez(tmp_path / "both.npz", X=X, Z=X[:50], y=y)
    header = ",".join(f"c{j}" for j in range(30))
    np.savetxt(tmp_path / "X.csv", X, delimiter=",", header=header, comments="")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, folder: Path, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SUBSPAN), "cluster", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        check=False,
        **options,
    )


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["cluster", *arguments])


def expected(method: str, folder: Path, **parameters: object) -> list[int]:
    labels: list[int] = (
        registry.get(method)(4, random_state=0, **parameters).fit(folder / "X.npy").labels_.tolist()
    )
    return labels


def of_csv(text: str) -> list[int]:
    first, *lines = text.splitlines()
    assert first == "row,label"
    rows, labels = zip(*(map(int, line.split(",")) for line in lines), strict=True)
    assert list(rows) == list(range(len(rows)))
    return list(labels)


def test_labels_go_to_stdout_and_messages_to_stderr(folder: Path) -> None:
    done = run("X.npy", "-k", "4", "--n-nonzero", "3", folder=folder)
    assert done.returncode == 0, done.stderr
    assert of_csv(done.stdout) == expected("s3comp-c", folder, n_nonzero=3)
    for words in ("160 rows of 30 numbers", "sizes: 40 40 40 40", "representation"):
        assert words in done.stderr
    assert re.search(r"^peak memory: [\d.]+ [MG]B$", done.stderr, re.MULTILINE)


def test_csv_through_a_pipe_is_the_same_data(folder: Path) -> None:
    text = (folder / "X.csv").read_text()
    done = run("-", "-k", "4", "--method", "lsr", "--quiet", folder=folder, input=text)
    assert of_csv(done.stdout) == expected("lsr", folder)
    assert done.stderr == ""


@pytest.mark.parametrize("suffix", ["csv", "npy", "parquet"])
def test_labels_in_a_file(suffix: str, folder: Path) -> None:
    result = invoke("X.npy", "-k", "4", "--n-nonzero", "3", "--labels", f"labels.{suffix}")
    assert result.exit_code == 0
    assert result.stdout == ""
    path = folder / f"labels.{suffix}"
    if suffix == "csv":
        found = of_csv(path.read_text())
    elif suffix == "npy":
        found = np.load(path).tolist()
    else:
        found = pytest.importorskip("pyarrow.parquet").read_table(path).column("label").to_pylist()
    assert found == expected("s3comp-c", folder, n_nonzero=3)
    assert not list(folder.glob("*.part"))


def test_numbers_of_clusters_that_are_tried(folder: Path) -> None:
    result = invoke("X.npy", "-k", "3:5", "--json", "--labels", "labels.npy")
    assert "The data show 4 clusters." in result.stderr
    facts = json.loads(result.stdout)
    assert facts["parameters"]["n_clusters"] == [3, 5]
    assert facts["cluster_sizes"] == [40, 40, 40, 40]
    assert np.load(folder / "labels.npy").tolist() == expected("auto", folder)


@pytest.mark.usefixtures("folder")
def test_json_tells_the_whole_run() -> None:
    options = [
        "--json",
        "--regularization",
        "1",
        "--no-zero-diagonal",
        "--n-components",
        "auto",
        "--scale",
        "none",
    ]
    result = invoke("both.npz", "--key", "X", "-k", "4", "--method", "LSR", *options)
    facts = json.loads(result.stdout)
    assert facts["method"] == "lsr"
    given = {
        "regularization": 1.0,
        "zero_diagonal": False,
        "n_components": "auto",
        "scale": None,
        "random_state": 0,
    }
    assert given.items() <= facts["parameters"].items()
    assert (facts["n_samples"], facts["n_features"], facts["data"]) == (160, 30, "both.npz")
    assert facts["cluster_sizes"] == [40, 40, 40, 40]
    assert set(facts["stage_seconds"]) == {"representation", "affinity", "embedding", "labeling"}
    assert facts["peak_memory_bytes"] > 10**7
    assert facts["eigenvalues"][0] == pytest.approx(1)
    assert facts["counts"]["zero_rows"] == 0


@pytest.mark.usefixtures("folder")
def test_columns_are_chosen_by_name() -> None:
    result = invoke("X.csv", "-k", "2", "--columns", "c3, c1,c2", "--json")
    assert json.loads(result.stdout)["n_features"] == 3


def test_warnings_are_lines_on_stderr(folder: Path) -> None:
    X = np.load(folder / "X.npy")
    np.save(folder / "twice.npy", np.concatenate([X, X[:5]]))
    result = invoke("twice.npy", "-k", "4", "--n-nonzero", "3")
    assert "Warning: S3COMPC: duplicate rows: 5" in result.stderr
    assert len(of_csv(result.stdout)) == 165


def test_a_graph_that_is_handed_in(folder: Path) -> None:
    np.save(folder / "graph.npy", np.kron(np.eye(3), np.ones((5, 5))))
    result = invoke("graph.npy", "-k", "3", "--affinity", "precomputed")
    assert of_csv(result.stdout) == np.repeat([0, 1, 2], 5).tolist()


def test_processes_give_the_same_labels(folder: Path) -> None:
    pytest.importorskip("distributed")
    done = run("X.npy", "-k", "4", "--n-nonzero", "3", "--workers", "1", "--work-dir", "work", folder=folder)
    assert done.returncode == 0, done.stderr
    assert of_csv(done.stdout) == expected("s3comp-c", folder, n_nonzero=3)
    assert list((folder / "work").glob("block-*"))


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_shows_progress(quiet: bool, folder: Path) -> None:
    pty = pytest.importorskip("pty")
    X, _ = make_union_of_subspaces(4, 3, 30, 640, noise=0.05, random_state=0)
    np.save(folder / "large.npy", X)
    options = ["-k", "4", "--n-nonzero", "3", "--tol", "0", *["--quiet"] * quiet]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(SUBSPAN), "cluster", "large.npy", *options],
        cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:  # fmt: skip
        os.close(theirs)
        screen = "".join(drawn(ours))
        assert process.stdout is not None
        labels = of_csv(process.stdout.read())
    assert process.returncode == 0
    assert len(labels) == len(X)
    if quiet:
        assert screen == ""
    else:
        assert re.search(r"representation .*\d+ %, \d+ of 5 .*blocks", screen)
        # Once it is done the bar has gone, and the messages follow.
        assert "\x1b[2K" in screen.partition("sizes: ")[0].rpartition("representation")[2]


def drawn(terminal: int) -> Iterator[str]:
    """What a program writes to its terminal until it ends."""
    # On Linux the end is an error.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            yield part.decode(errors="replace")
    os.close(terminal)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["X.npy", "--method", "s3comp-c"], "Missing option '-k'"),
        (["X.npy", "-k", "0"], "at least 1, a range such as 2:20 or auto, not '0'"),
        (["X.npy", "-k", "20:2"], "a range such as 2:20 or auto, not '20:2'"),
        (["X.npy", "-k", "2:5", "--method", "lsr"], "must be a whole number of at least 1, not '2:5'"),
        (["X.npy", "-k", "4", "--seed", "abc"], "from 0 to 4294967295 or none, not 'abc'"),
        (
            ["X.npy", "--method=s3comp", "-k", "4", "--n-nonzer", "3"],
            "No such option --n-nonzer. Did you mean --n-nonzero?",
        ),
        (["X.npy", "-k", "4", "--method", "s3kompc"], "did you mean 's3comp"),
        (["X.npy", "-k", "4", "--method=lsr", "--n-nonzero", "3"], "lsr has no option --n-nonzero; these"),
        (["X.npy", "-k", "4", "--selection", "psy"], "must be psi or greedy, not 'psy'"),
        (["X.npy", "-k", "4", "--memory", "lots"], "must be a size such as 2GB or none, not 'lots'"),
        (["X.npy", "-k", "4", "--labels", "labels.xlsx"], "must end in one of .csv, .npy, .parquet"),
        (["X.npy", "-k", "4", "--labels", "nowhere/labels.csv"], "there is no folder nowhere"),
        (["X.csv", "-k", "4", "--labels", "./X.csv"], "is the data"),
        (["X.npy", "-k", "4", "--labels", "-", "--json"], "both want standard output"),
        (["X.npy", "-k", "4", "--workers", "2"], "--workers needs --work-dir"),
        (["X.npy", "-k", "4", "--method", "lsr", "--scheduler", "tcp://a:1"], "lsr works in one process"),
    ],
)
def test_bad_usage_is_answered_before_any_work(arguments: list[str], words: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Y.npy", "-k", "4"], "Y.npy: there is no such file."),
        (["X.npy", "-k", "161"], "-k 161, but X.npy"),
        (["X.npy", "-k", "2:70"], "-k 2:70: 160 points are enough to try up to 53 clusters"),
        (["both.npz", "-k", "4"], "choose one with --key."),
        (["zero.npy", "-k", "2"], "or pass --zero-rows label to give"),
        (["words.csv", "-k", "2"], "leave it out with --exclude"),
    ],
)
def test_bad_data_are_described_in_terms_of_options(arguments: list[str], words: str, folder: Path) -> None:
    np.save(folder / "zero.npy", np.eye(4)[[0, 1, 2]] * [[1], [1], [0]])
    (folder / "words.csv").write_text("name,x,y\nrose,1,2\nlily,2,1\n")
    result = invoke(*arguments)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)


def test_bad_data_end_in_one_line(folder: Path) -> None:
    done = run("-", "-k", "2", folder=folder, input="1,2\n3,four\n")
    assert done.returncode == 1
    assert done.stderr == "Error: standard input: line 2, column '1' holds 'four', which is not a number.\n"


@pytest.mark.parametrize("method", registry.METHODS)
def test_help_shows_every_parameter_of_the_method(method: str) -> None:
    texts = [
        invoke(*order).stdout for order in (["--method", method, "--help"], ["-h", f"--method={method}"])
    ]
    assert texts[0] == texts[1]
    assert f"Parameters of {method}:" in texts[0]
    for name in registry.get(method)().get_params():
        # Progress is shown unless the command is to be quiet.
        assert (f"--{name.replace('_', '-')} " in texts[0]) == (name != "verbose")
