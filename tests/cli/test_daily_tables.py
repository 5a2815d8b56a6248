"""Tables as people have them, and small mistakes: the real program, run as a user runs it."""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from subspan.cli.main import main, program
from subspan.datasets import make_union_of_subspaces

SUBSPAN = Path(sys.executable).with_name("subspan")
LSR = ("-k", "3", "--method", "lsr")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with ids, classes, a constant column and numbers, in several dresses; and images."""
    place = tmp_path_factory.mktemp("daily")
    X, y = make_union_of_subspaces(3, 2, 8, 20, random_state=0)
    names = [f"sensor_{j}" for j in range(8)]
    lines = [",".join(["id", "kind", "batch", *names])]
    lines += [
        ",".join([f"00{i}", "abc"[c], "7", *(f"{v:.6f}" for v in row)])
        for i, (row, c) in enumerate(zip(X, y, strict=True))
    ]
    (place / "table.csv").write_text("\n".join(lines) + "\n")
    (place / "packed.csv.gz").write_bytes(gzip.compress((place / "table.csv").read_bytes()))
    european = "\n".join(lines).replace(",", ";").replace(".", ",")
    (place / "european.csv").write_text(european)
    (place / "bare.csv").write_text("\n".join(line.split(";7;")[1] for line in european.split("\n")[1:]))
    lines[2] = lines[2].replace(f"{X[1, 0]:.6f}", "")
    (place / "gaps.csv").write_text("\n".join(lines) + "\n")
    np.save(place / "X.npy", X)
    np.save(place / "y.npy", y)
    np.save(place / "sideways.npy", X.T)
    np.savez(place / "two.npz", a=y, b=y)
    return place


def run(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(SUBSPAN), *arguments], capture_output=True, text=True, cwd=folder, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def invoke(folder: Path, *arguments: str) -> str:
    """The same inside this process, which is faster."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(program, arguments, catch_exceptions=False)
    return result.stdout


def labels_of(text: str) -> list[str]:
    return [line.rpartition(",")[2] for line in text.splitlines()[1:]]


def test_a_table_with_ids_words_and_patterns(folder: Path) -> None:
    done = run(
        *(folder, "cluster", "table.csv", *LSR, "--id", "id", "--columns", "sensor_*"),
        *("--truth", "table.csv:kind", "--join", "joined.csv"),
    )
    lines = done.stdout.splitlines()
    assert lines[:2] == ["id,row,label", f"000,0,{labels_of(done.stdout)[0]}"]
    assert "accuracy: 100.0% of the rows are in the right cluster" in done.stderr
    joined = (folder / "joined.csv").read_text().splitlines()
    assert joined[0] == (folder / "table.csv").read_text().splitlines()[0] + ",label"
    assert labels_of("\n".join(joined)) == labels_of(done.stdout)


def test_all_dresses_of_the_table_give_the_same_labels(folder: Path) -> None:
    left_out = ("--exclude", "id,kind,ba*")
    plain = labels_of(run(folder, "cluster", "table.csv", *LSR, *left_out).stdout)
    for dress, options in {"packed.csv.gz": left_out, "european.csv": left_out, "bare.csv": ()}.items():
        assert labels_of(invoke(folder, "cluster", dress, *LSR, *options)) == plain, dress
    assert len(labels_of(invoke(folder, "cluster", "sideways.npy", *LSR, "--transpose"))) == 60


def test_accuracy_is_in_json_without_a_page(folder: Path) -> None:
    done = run(folder, "cluster", "X.npy", *LSR, "--truth", "y.npy", "--json")
    facts = json.loads(done.stdout)
    assert facts["accuracy"] == 1
    assert facts["ari"] == 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            ["cluster", "table.csv", *LSR],
            "(line 2), not numbers; leave it out with --exclude kind",
        ),
        (
            ["cluster", "gaps.csv", "--columns", "sensor_*"],
            "the first at row 1, column 0 ('sensor_0'). --missing drop leaves such rows out.",
        ),
        (["cluster", "table.csv", *LSR, "--columns", "x_*"], "no column matches 'x_*'; it has id, kind,"),
        (["cluster", "sideways.npy", *LSR, "--truth", "y.npy"], "columns of the data? Then add --transpose"),
        (["cluster", "X.npy", *LSR, "--truth", "two.npz"], "--truth two.npz:NAME says which are the labels"),
        (["cluster", "X.npy", *LSR, "--truth", "."], "--truth .: is a folder, not a file with one label"),
        (
            ["cluster", "table.csv", *LSR, "--columns", "sensor_*", "--truth", "kind"],
            "--truth kind: there is no such file. A column of the data is written table.csv:kind.",
        ),
        (["cluster", "X.npy", *LSR, "--truth", "folder"], "--truth folder: is for folders of images"),
        (
            ["cluster", "X.npy", *LSR, "--join", "x.csv"],
            "not a table to which a column could be added",
        ),
        (["cluster", "X.npy", "--k", "3"], "The number of clusters is -k, as in -k 3."),
        (["cluster", "X.npy", "--seed", "abc", *LSR], "'--seed' / '--random-state': must be a whole number"),
        (["compare", "X.npy", "--seed", "abc"], "'--seed': must be a whole number of at least 0, not 'abc'"),
        (["cluster", *["X.npy"] * 400, *LSR], "there is more: X.npy X.npy and 397 more. A folder of images"),
        (["evaluate", "X.npy", "y.npy"], "X.npy: holds 60 x 8 numbers, not one label for each row"),
        (["evaluate", "two.npz", "y.npy"], "two.npz: holds a, b; --labels-column NAME says which"),
    ],
)
def test_mistakes_name_the_file_and_the_option(
    folder: Path,
    command: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["subspan", *command])
    # The answer to a signal is that of this process.
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (1, 2)
    shown = capsys.readouterr().err
    assert words in shown
    assert len(shown) < 600


def test_sub_folders_are_classes_and_names_are_paths(folder: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    X, y = make_union_of_subspaces(2, 2, 64, 12, random_state=1)
    shades = np.uint8(255 * (X - X.min()) / np.ptp(X))
    for number, (row, c) in enumerate(zip(shades, y, strict=True)):
        place = folder / "faces" / "ab"[c]
        place.mkdir(parents=True, exist_ok=True)
        image.fromarray(row.reshape(8, 8)).convert("RGB").save(place / f"{number:02d}.png")
    done = run(folder, "cluster", "faces", "-k", "2", "--method", "lsr", "--grey", "--truth", "folder")
    first = next((folder / "faces").rglob("a/*.png"))
    lines = done.stdout.splitlines()
    assert lines[0] == "file,row,label"
    assert any(line.startswith(f"a/{first.name},") for line in lines)
    assert "24 rows of 64 numbers" in done.stderr
    assert "accuracy:" in done.stderr
    image.fromarray(shades[0].reshape(4, 16)).save(first)
    done = run(folder, "cluster", "faces", "-k", "2", "--method", "lsr", "--grey", code=1)
    assert f"a/{first.name} has 4 x 16 pixels, but 23 of 24 images have 8 x 8" in done.stderr
