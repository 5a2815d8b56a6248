"""The statement of the verdict is what one half of the runs says, and it holds for the half held out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.verdict import is_held_out

from subspan.report.calibration import GROUPS, RIGHT, group_of

RUNS = Path(__file__).parents[2] / "docs" / "results" / "verdict.jsonl"


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.level)
def test_statements_are_measured_and_hold_within_ten_points(group):
    rows = [json.loads(line) for line in RUNS.read_text().splitlines()]
    own = [row for row in rows if group_of({"nearest": 0.0, **row}) is group]
    held_out = [row["accuracy"] >= RIGHT for row in own if is_held_out(row["run"])]
    others = [row["accuracy"] >= RIGHT for row in own if not is_held_out(row["run"])]
    assert (group.n_runs, group.n_right) == (len(others), sum(others))
    assert abs(np.mean(held_out) - group.in_ten / 10) < 0.1
