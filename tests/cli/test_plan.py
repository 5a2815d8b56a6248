"""The real program: what `subspan plan` prints and refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from subspan.cli.main import program

LARGE = ["-k", "10", "--dictionary-size", "500", "--method", "s3comp"]


def subspan(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from subspan.cli.main import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of the right size that has never been written to: a plan does not read it."""
    path = tmp_path_factory.mktemp("data") / "X.npy"
    np.lib.format.open_memmap(path, "w+", np.float32, (100_000, 200))
    return path


def test_printed(path):
    done = subspan("plan", path, *LARGE)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("100000 points, 200 features, about 7")
    assert done.stdout.splitlines()[-1].startswith("peak ")
    low, high = map(
        int, re.search(r"^representation .* (\d+) to (\d+) s$", done.stdout, re.MULTILINE).groups()
    )
    assert high >= 3 * low


def test_as_json(path, tmp_path):
    done = subspan("plan", path, *LARGE, "--memory", "2GB", "--work-dir", tmp_path / "work", "--json")
    facts = json.loads(done.stdout)
    assert facts["n_points"] == 100_000
    assert not facts["forms_the_affinity"]
    assert facts["peak_bytes"] <= 2 * 10**9
    stages = [sum(terms.values()) for terms in facts["stage_bytes"].values()]
    assert facts["peak_bytes"] == facts["process_bytes"] + max(stages)
    assert not (tmp_path / "work").exists()


def test_refused(path):
    done = subspan("plan", path, *LARGE, "--memory", "50MB")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert "50 MB is too little" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    cluster = subspan("cluster", path, *LARGE, "--memory", "50MB", "--quiet")
    assert (cluster.returncode, cluster.stdout) == (1, "")
    assert "50 MB is too little" in cluster.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A file that has never been written to, of a size that any method takes."""
    path = tmp_path_factory.mktemp("data") / "small.npy"
    np.lib.format.open_memmap(path, "w+", np.float32, (400, 12))
    return path


@pytest.mark.parametrize("method", ["lsr", "lrsc", "ensc", "olrsc", "sr-ssc", "esc", "scc"])
def test_methods_that_do_not_work_in_blocks(small, method):
    arguments = ["plan", str(small), "-k", "3", "--method", method]
    # One of them as a program of its own, which takes longer to start.
    run = subspan(*arguments) if method == "lsr" else CliRunner().invoke(program, arguments)
    assert run.stderr == ""
    size, memory, seconds = run.stdout.splitlines()
    assert size == "400 points, 12 features"
    assert re.fullmatch(r"memory  up to [\d.]+ [MG]B, of which libraries take [\d.]+ [MG]B", memory)
    assert re.fullmatch(r"time    (less than 2|\d+ to \d+) s, by small fits to random rows", seconds)


def test_the_front_door_has_a_plan(small):
    # The number of clusters may be left open, as in cluster.
    facts = json.loads(subspan("plan", small, "-k", "2:3", "--json").stdout)
    assert facts["n_points"] == 400
    assert facts["process_bytes"] < facts["peak_bytes"] < 10**9
    least, most = facts["seconds"]
    assert 0 < least < most


def test_a_budget_that_cannot_be_kept_is_refused_as_by_cluster(small, tmp_path):
    X = np.random.default_rng(0).standard_normal((400, 12), np.float32)
    np.save(tmp_path / "X.npy", X)
    arguments = ["-k", "3", "--method", "lsr", "--memory", "1MB"]
    planned = subspan("plan", small, *arguments)
    done = subspan("cluster", tmp_path / "X.npy", *arguments, "--quiet")
    assert (planned.returncode, planned.stdout) == (1, "")
    assert "1 MB is too little" in planned.stderr
    assert planned.stderr == done.stderr


def test_options_of_the_paper_mean_its_method(path):
    done = subspan("plan", path, "-k", "10", "--n-nonzero", "5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Spectral stage" in done.stdout
