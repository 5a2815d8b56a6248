import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from subspan.cli.main import program
from subspan.handover import InputError


def run(*arguments):
    return CliRunner().invoke(program, ["datasets", *map(str, arguments)])


def write_coil(folder, n_rows=2):
    X = np.zeros((n_rows, 1024), np.uint8)
    np.savez(folder / "coil100.npz", X=X, y=np.arange(n_rows), image_shape=[32, 32], pixel_order="C")


@pytest.fixture
def release(tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "release"
    folder.mkdir()
    for angle in (0, 5, 10):
        image.fromarray(np.full((128, 128, 3), angle, np.uint8)).save(folder / f"obj7__{angle}.png")
    return folder


def test_list_shows_what_is_there_and_what_is_not(tmp_path):
    write_coil(tmp_path)
    result = run("list", "--data-dir", tmp_path)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["name", "rows", "columns", "classes", "file"]
    assert lines[2] == ["coil100", "2", "1024", "2", str(tmp_path / "coil100.npz")]
    assert [line[-1] for line in lines[1:]] == [
        "missing",
        str(tmp_path / "coil100.npz"),
        "missing",
        "missing",
    ]
    assert "subspan datasets build NAME --from PATH" in result.stderr


def test_list_names_a_damaged_file_and_goes_on(tmp_path):
    write_coil(tmp_path)
    (tmp_path / "mnist.npz").write_bytes(b"rubbish")
    np.savez(tmp_path / "gtsrb.npz", y=np.arange(3))
    result = run("list", "--data-dir", tmp_path)
    assert result.exit_code == 0
    assert result.stdout.count("damaged: ") == 2
    assert "not a sound file of MNIST" in result.stdout


def test_list_as_json(tmp_path):
    write_coil(tmp_path)
    (tmp_path / "mnist.npz").write_bytes(b"rubbish")
    found = {
        facts["name"]: facts for facts in json.loads(run("list", "--data-dir", tmp_path, "--json").stdout)
    }
    path = str(tmp_path / "coil100.npz")
    assert found["coil100"] == {
        "name": "coil100", "rows": 2, "columns": 1024, "classes": 2, "file": path, "state": "present"
    }  # fmt: skip
    assert found["gtsrb"]["file"] is None
    assert found["gtsrb"]["state"] == "missing"
    assert found["mnist"]["state"].startswith("damaged: ")


def test_quiet_leaves_messages_out(tmp_path, release):
    assert run("list", "--data-dir", tmp_path, "--quiet").stderr == ""
    result = run("build", "coil100", "--from", release, "--data-dir", tmp_path, "--quiet")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "3 images of 1 classes" in result.stdout


def test_list_without_a_folder_says_how_to_name_one(monkeypatch):
    monkeypatch.delenv("SUBSPAN_DATA", raising=False)
    result = run("list")
    assert isinstance(result.exception, InputError)
    assert "set SUBSPAN_DATA" in str(result.exception)


def test_build_writes_where_list_looks(tmp_path, release, monkeypatch):
    monkeypatch.setenv("SUBSPAN_DATA", str(tmp_path / "data"))
    result = run("build", "coil100", "--from", release)
    assert result.exit_code == 0
    assert result.stdout == f"{tmp_path / 'data' / 'coil100.npz'}: 3 images of 1 classes\n"
    assert "Views: " in result.stderr
    assert "the complete set has 7200 images of 100 classes" in result.stderr
    assert str(tmp_path / "data" / "coil100.npz") in run("list").stdout


def test_build_again_replaces_the_file(tmp_path, release):
    for count in (3, 2):
        assert run("build", "coil100", "--from", release, "--data-dir", tmp_path).exit_code == 0
        assert len(np.load(tmp_path / "coil100.npz")["y"]) == count
        (release / "obj7__10.png").unlink(missing_ok=True)


def test_build_refuses_unknown_names_and_missing_folders(tmp_path):
    assert run("build", "cifar", "--from", tmp_path).exit_code == 2
    assert run("build", "mnist").exit_code == 2
    result = run("build", "mnist", "--from", tmp_path / "nowhere", "--data-dir", tmp_path)
    assert "nowhere is not a folder" in str(result.exception)


def test_help_does_not_wait_for_scientific_libraries():
    code = (
        "import sys; from subspan.cli.main import program; "
        "program(['datasets', 'build', '--help'], standalone_mode=False); "
        "sys.exit(bool({'numpy', 'sklearn', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--from PATH" in done.stdout
