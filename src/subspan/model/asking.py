"""What is asked about rows, and answered block by block: on threads of this process or by a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from subspan.execution.blocks import Arrays
from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.handover import InputError
from subspan.model.coding import Coder
from subspan.model.rules import Scorer
from subspan.sources import Source

if TYPE_CHECKING:
    from subspan.model.remains import Model

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

# Rows that are answered at once: bounds the memory, and changes no bit of the answers.
BLOCK_ROWS = 512
# Such blocks that a worker of a cluster answers before it writes a file.
BLOCKS_PER_FILE = 32

# Takes the model, rows, the point of the fit that each of them is (or -1), and what scores or codes them.
Answer = Callable[["Model", Floats, Labels, Any], NDArray[Any]]


def labels(model: Model, rows: Floats, points: Labels, score: Scorer) -> Labels:
    """The label of the point that a row is, otherwise the cluster that claims most of the row."""
    out = np.where(points >= 0, model.point_labels[points], -1)
    new = np.flatnonzero(points < 0)
    if len(new):
        out[new] = score(rows[new], np.full(len(new), -1)).weights().argmax(axis=1)
    return out


def memberships(model: Model, rows: Floats, points: Labels, score: Scorer) -> NDArray[np.float64]:
    """How much each cluster claims; at least one half goes to the label that the fit has given."""
    out = score(rows, model.atoms_of(points)).weights()
    known = np.flatnonzero(points >= 0)
    found = model.point_labels[points[known]]
    out[known] *= 0.5
    out[known, found] += 0.5
    out[known[found < 0]] = 1 / model.n_clusters_
    return out


def outlier_scores(model: Model, rows: Floats, points: Labels, score: Scorer) -> NDArray[np.float64]:
    """What cannot be explained of each row, not even by other atoms if it is one itself."""
    return score(rows, model.atoms_of(points)).outliers()


def places(model: Model, rows: Floats, points: Labels, code: Coder) -> NDArray[np.float64]:
    """Rows of the embedding: of an atom its own, of any other row that of its code."""
    assert model.extension is not None
    atoms = model.atoms_of(points)
    out = model.extension.at_atoms(atoms)
    new = np.flatnonzero(atoms < 0)
    if len(new):
        codes = code(rows[new], np.full(len(new), -1))
        out[new] = model.extension.at_codes(codes, model.habits.keep)
    return out


@dataclass(frozen=True)
class Question:
    """A question about each row of a source: a job of independent blocks."""

    model: Model
    source: Source
    # "code" or "subspace", by which rows are scored; None if they only get their codes.
    rule: str | None
    answer: Answer
    # The answer for rows that cannot be used.
    otherwise: NDArray[Any]
    # Blocks of `BLOCK_ROWS` rows that are one block of the job.
    together: int = 1

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.source.shape[0] // (BLOCK_ROWS * self.together))

    def task(self, threads: int) -> Callable[[int], Arrays]:
        """Answers the rows of a block."""
        n_rows = self.source.shape[0]
        if self.rule is None:
            judge: Coder | Scorer = self.model.coder(n_rows, threads)
        else:
            judge = self.model.scorer(self.rule, n_rows, threads)

        def solve(number: int) -> Arrays:
            first = number * self.together * BLOCK_ROWS
            last = min(first + self.together * BLOCK_ROWS, n_rows)
            parts = [self._part(start, judge) for start in range(first, last, BLOCK_ROWS)]
            return {"answers": np.concatenate(parts)}

        return solve

    def _part(self, start: int, judge: Coder | Scorer) -> NDArray[Any]:
        rows, usable = self.model.prepared(self.source, start, start + BLOCK_ROWS)
        out = np.broadcast_to(self.otherwise, (len(usable), *self.otherwise.shape)).copy()
        if len(rows):
            points = self.model.points_of(rows)
            out[usable] = self.answer(self.model, self.model.lifted(rows), points, judge)
        return out

    def answered(self, workplace: Workplace) -> NDArray[Any]:
        """The answers for all rows."""
        out = np.empty((self.source.shape[0], *self.otherwise.shape), self.otherwise.dtype)
        start = 0
        for block in workplace.run_pass(self):
            out[start : start + len(block["answers"])] = block["answers"]
            start += len(block["answers"])
        return out


def workplace_of(n_jobs: int | None, executor: Any, work_dir: Any) -> Workplace:
    """Threads, or a cluster and a folder that its workers reach."""
    if executor is None:
        return Workplace(n_threads(n_jobs))
    if work_dir is None:
        raise InputError("executor: needs {work_dir:name}, a folder that all workers reach.", work_dir=None)
    folder = Path(work_dir).expanduser().absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Workplace(n_threads(n_jobs), folder, executor)
