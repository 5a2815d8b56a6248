"""Pages of docs/results whose tables a benchmark writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from subspan.execution.machine import cpu_model, versions

RESULTS = Path(__file__).parents[1] / "docs" / "results"
Row = dict[str, Any]
# By what was done, data set and seed.
Runs = Mapping[tuple[str, str, int], Row]


def stored_runs(path: Path) -> Runs:
    """The runs of a file of lines."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(row["run"], row["data"], row["seed"]): row for row in map(json.loads, lines)}


def keep_run(path: Path, row: Row) -> None:
    """Append a run, with where and when it was made."""
    origin = {"time": datetime.now(UTC).isoformat("T", "seconds"), "cpu": cpu_model(), **versions()}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**row, "origin": origin}, allow_nan=False) + "\n")


def put_tables(page: Path, tables: Sequence[str]) -> None:
    """Put tables where a page has its tables."""
    text = page.read_text(encoding="utf-8")
    new = iter(tables)
    page.write_text(
        re.sub(r"(?:^\|.*\|\n)+", lambda _: next(new), text, flags=re.MULTILINE), encoding="utf-8"
    )
