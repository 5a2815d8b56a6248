"""Results on disk: one line of JSON for each run, written when the run ends."""

from __future__ import annotations

import json
import os
from pathlib import Path

from subspan.handover import InputError
from subspan.reproduction.runs import Row, Run


class ResultStore:
    """The results of a folder, by run. A run that is there need not be done again.

    Examples
    --------
    >>> import tempfile
    >>> from subspan.reproduction.runs import Data, make_run
    >>> run = make_run(Data("coil100"), "ssc-omp", {"n_nonzero": 3}, seed=0)
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> ResultStore(path).add(run, {"accuracy": 0.5})
    >>> ResultStore(path).get(run)["accuracy"]
    0.5
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows = _read(path)

    def __contains__(self, run: Run) -> bool:
        return run.key in self._rows

    def get(self, run: Run) -> Row:
        """The result of a run."""
        return self._rows[run.key]

    def add(self, run: Run, row: Row) -> None:
        """Append the result of a run; it is on disk when this returns."""
        row = {"key": run.key, **row}
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._rows[run.key] = row


def _read(path: Path) -> dict[str, Row]:
    """Rows by key. A last line without its end is what a killed process left: it is cut off."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    rows: dict[str, Row] = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            row = json.loads(line)
            rows[row["key"]] = row
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number} is not a result: remove the line, or choose another folder."
            ) from error
    return rows
