"""`subspan cluster` when it is interrupted, and when the cluster it works on is lost."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from subspan import S3COMPC
from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError

SUBSPAN = Path(sys.executable).with_name("subspan")
OPTIONS = ["-k", "4", "--n-nonzero", "3", "--tol", "0", "--max-iter", "25", "--work-dir", "work"]
COMMAND = [str(SUBSPAN), "cluster", "X.npy", *OPTIONS, "--labels", "labels.npy"]


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return make_union_of_subspaces(4, 3, 30, 640, noise=0.05, random_state=0)[0]


@pytest.fixture(scope="module")
def wanted(points) -> list[int]:
    labels: list[int] = (
        S3COMPC(4, n_nonzero=3, tol=0.0, max_iter=25, random_state=0).fit(points).labels_.tolist()
    )
    return labels


@pytest.fixture
def folder(points, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.save(tmp_path / "X.npy", points)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "work").glob("block-????????")}


@contextmanager
def begun(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """The program, once it has finished a block."""
    with subprocess.Popen([*COMMAND, *options], cwd=folder, stderr=subprocess.PIPE, text=True) as run:
        while not blocks(folder) and run.poll() is None:
            time.sleep(0.01)
        yield run


def last_line(run: subprocess.Popen[str]) -> str:
    assert run.stderr is not None
    return run.stderr.read().splitlines()[-1]


def goes_on(folder: Path, wanted: list[int]) -> None:
    """The same command ends as if nothing had happened, and does not repeat what was done."""
    assert not (folder / "labels.npy").exists()
    before = blocks(folder)
    assert CliRunner().invoke(program, COMMAND[1:]).exit_code == 0
    assert np.load(folder / "labels.npy").tolist() == wanted
    assert before.items() < blocks(folder).items()
    assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize(("sent", "n_jobs"), [(signal.SIGINT, "1"), (signal.SIGTERM, "2")])
def test_an_interrupted_run_goes_on(sent, n_jobs, folder, wanted):
    with begun(folder, "--n-jobs", n_jobs) as run:
        run.send_signal(sent)
        assert last_line(run) == "Interrupted; the same command goes on from work."
    assert run.returncode == 130
    assert not list(folder.rglob("*.part"))
    goes_on(folder, wanted)


@pytest.fixture
def cluster_processes(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and one worker, as users start them, elsewhere on the disk."""
    pytest.importorskip("distributed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    dask = str(SUBSPAN.with_name("dask"))
    commands = (
        [dask, "scheduler", "--host", address, "--no-dashboard"],
        [dask, "worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
    )
    with ExitStack() as started:
        processes = [
            started.enter_context(
                subprocess.Popen(command, cwd=elsewhere, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            for command in commands
        ]
        for process in processes:
            started.callback(process.kill)
        _wait_for(address)
        yield address, processes


def _wait_for(address: str) -> None:
    host, _, port = address.removeprefix("tcp://").partition(":")
    for _ in range(600):
        try:
            socket.create_connection((host, int(port))).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"no scheduler at {address}")


def test_a_scheduler_works_until_it_is_lost(cluster_processes, folder, wanted):
    address, (scheduler, worker) = cluster_processes
    command = [*COMMAND, "--quiet", "--scheduler", address]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load(folder / "labels.npy").tolist() == wanted
    shutil.rmtree(folder / "work")
    (folder / "labels.npy").unlink()
    with begun(folder, "--scheduler", address) as run:
        scheduler.kill()
        line = last_line(run)
    assert line.startswith("Error: The connection to the Dask scheduler was lost; what is finished is in ")
    assert line.endswith("work, and the same call goes on from there.")
    assert run.returncode == 1
    # It may still be writing a block: nobody can tell it to stop any more.
    worker.kill()
    worker.wait()
    goes_on(folder, wanted)


@pytest.mark.parametrize("address", ["nonsense", "foo://127.0.0.1:1"])
def test_a_wrong_address_is_one_sentence(address, folder):
    pytest.importorskip("distributed")
    result = CliRunner().invoke(program, [*COMMAND[1:], "--scheduler", address])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == (
        f"'{address}' is no address of a scheduler; write it like tcp://10.0.0.1:8786."
    )
    assert not (folder / "work").exists()
