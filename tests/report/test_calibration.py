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


def test_the_page_says_what_a_confidence_was_worth():
    rows = [json.loads(line) for line in RUNS.read_text().splitlines()]
    own = [(row["confidence"], row["accuracy"] >= RIGHT) for row in rows if "confidence" in row]

    def hits(least: float, most: float) -> str:
        found = [is_right for sure, is_right in own if least <= sure < most]
        return f"{sum(found)} of {len(found)}"

    page = " ".join((RUNS.parents[1] / "choosing.md").read_text().split())
    assert f"of [{len(own)} runs](results/verdict.md), {hits(0.95, 2)} with a mean confidence" in page
    assert f"right cluster, {hits(0.8, 0.95)} between 0.8 and 0.95, and {hits(0, 0.8)} below." in page
