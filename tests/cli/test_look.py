"""`subspan look`, the real program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from subspan.datasets import make_union_of_subspaces

SUBSPAN = Path(sys.executable).with_name("subspan")


def look(folder: Path, *arguments: str) -> str:
    command = [str(SUBSPAN), "look", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120, check=True)
    return done.stdout


def test_a_look_names_what_is_wrong_and_what_helps(tmp_path: Path) -> None:
    X, _ = make_union_of_subspaces(3, 2, 8, 40, random_state=0)
    table = np.column_stack([X, np.full(120, 3.0)])
    header = ",".join([*(f"c{j}" for j in range(8)), "batch"])
    np.savetxt(tmp_path / "X.csv", table, delimiter=",", header=header, comments="")
    shown = look(tmp_path, "X.csv")
    assert "X.csv: 120 rows of 9 numbers" in shown
    assert "1 of 9 columns is constant. They are the same in all rows: batch." in shown
    assert "leave them out (--exclude)" in shown
    facts = json.loads(look(tmp_path, "X.csv", "--exclude", "batch", "--json"))
    assert facts["structure"] == "subspaces"
    assert facts["constant_columns"] == []
