"""The members of the front door, as the command line shows them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from subspan.cli.main import program
from subspan.datasets import make_union_of_subspaces


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("choose") / "points.npy"
    np.save(path, make_union_of_subspaces(2, 2, 12, 15, random_state=0)[0])
    return path


def choose(file: Path, *options: str) -> Result:
    result = CliRunner().invoke(program, ["choose", str(file), "-k", "2", "--seed", "0", "--quiet", *options])
    assert result.exit_code == 0, result.exception
    return result


def test_confidence_is_not_taken_for_accuracy(file):
    said = CliRunner().invoke(
        program, ["cluster", str(file), "-k", "2", "--labels", str(file.with_suffix(".csv"))]
    )
    assert " on average (how far members agree); below 0.5 for " in said.stderr


def test_every_member_has_a_line_with_its_settings(file):
    lines = choose(file).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    members = json.loads(choose(file, "--json").stdout)["members"]
    assert len(lines) == 2 + len(members)
    assert {member["family"] for member in members} >= {"pursuit", "ridge"}
    heaviest = max(members, key=lambda member: member["weight"])
    assert lines[2].split()[0] == heaviest["family"]
    assert lines[2].split()[-1] == f"{heaviest['weight']:.3f}"
    assert any("n_nonzero=3 damping=0.01" in line for line in lines)
    assert any("regularization=0.1 n_neighbors=8" in line for line in lines)
