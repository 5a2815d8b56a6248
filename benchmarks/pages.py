"""Pages of docs/results whose tables a benchmark writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "docs" / "results"


def put_tables(page: Path, tables: Sequence[str]) -> None:
    """Put tables where a page has its tables."""
    text = page.read_text(encoding="utf-8")
    new = iter(tables)
    page.write_text(
        re.sub(r"(?:^\|.*\|\n)+", lambda _: next(new), text, flags=re.MULTILINE), encoding="utf-8"
    )
