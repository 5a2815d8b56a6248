"""The real program: what `subspan plan` prints and refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

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


def test_methods_without_a_plan(path):
    done = subspan("plan", path, "-k", "10", "--method", "lsr")
    assert done.returncode == 2
    assert "lsr has no plan; these methods have one: s3comp, s3comp-c, ssc-omp." in done.stderr


def test_the_front_door_is_told_what_the_plan_is_of(path):
    done = subspan("plan", path, "-k", "10")
    assert done.returncode == 0
    assert done.stderr.startswith("This is the plan of one graph, by s3comp-c. auto makes 18 graphs or more")
    assert subspan("plan", path, "-k", "10", "--n-nonzero", "5").stderr == ""
