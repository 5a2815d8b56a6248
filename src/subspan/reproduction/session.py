"""Carry out experiments: the runs that are missing, then the tables and figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from subspan.plotting.style import require_matplotlib
from subspan.reproduction.documents import write_document
from subspan.reproduction.pace import Pace
from subspan.reproduction.perform import Laboratory
from subspan.reproduction.plan import Cells, Experiment, Scope, filled
from subspan.reproduction.runs import Data, Run, courses
from subspan.reproduction.store import ResultStore


@dataclass(frozen=True)
class ResultFolders:
    """Where things are and go, without any effect on results."""

    out: Path
    data_dir: Path | None = None
    n_jobs: int | None = None
    # Whether long steps are seen while they run.
    progress: bool = True


def run_experiments(
    experiments: Sequence[Experiment],
    scope: Scope,
    place: ResultFolders,
    say: Callable[[str], None],
) -> list[Path]:
    """Run what is not in the results yet and write what each experiment shows, as soon as it is complete.

    Parameters
    ----------
    experiments : sequence of Experiment
        What to reproduce. A run that several of them need is done once.
    scope : Scope
        Trials, methods and the like.
    place : ResultFolders
        `out` gets `results.jsonl`, from which an interrupted reproduction goes on, and the documents.
    say : callable
        Gets lines about the progress.

    Returns
    -------
    list of Path
        The documents.
    """
    if any(experiment.is_figure for experiment in experiments):
        require_matplotlib()
    plans = [(experiment, experiment.cells(scope)) for experiment in experiments]
    store = ResultStore(place.out / "results.jsonl")
    if scope.so_far:
        plans = [(experiment, finished(cells, store)) for experiment, cells in plans]
    laboratory = Laboratory(place.data_dir, place.n_jobs, progress=place.progress)
    to_do = missing((cells for _, cells in plans), store)
    say(f"{len(to_do)} runs to do.")
    laboratory.check(to_do)
    place.out.mkdir(parents=True, exist_ok=True)
    # Runs of one course may belong to several experiments: the first of these carries out all of it.
    waiting = courses(grouped(to_do))
    pace = Pace(waiting, say)
    written = []
    for experiment, cells in plans:
        needed = set(missing([cells], store))
        start = time.monotonic()
        for course in waiting:
            if needed.isdisjoint(course):
                continue
            for run, row in laboratory.follow(course):
                store.add(run, row)
                pace.finished(run, row, time.monotonic() - start)
                start = time.monotonic()
        if not cells:
            why = "there are no results yet" if scope.so_far else "none of the chosen methods takes part"
            say(f"{experiment.name}: {why}.")
            continue
        results = {cell: [store.get(run) for run in runs] for cell, runs in cells.items()}
        written += write_document(experiment.show(results, scope), place.out)
    return written


def finished(cells: Cells, store: ResultStore) -> Cells:
    """The cells with those of their runs that have a result, without cells that have none."""
    return filled({cell: [run for run in runs if run in store] for cell, runs in cells.items()})


def missing(plans: Iterable[Cells], store: ResultStore) -> list[Run]:
    """Runs without a result, each once, in the order of the plans."""
    runs = (run for cells in plans for trials in cells.values() for run in trials)
    return [run for run in dict.fromkeys(runs) if run not in store]


def grouped(runs: Sequence[Run]) -> list[Run]:
    """The runs with those on the same points next to each other, so that points are loaded once."""
    groups: dict[tuple[Data, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.data, run.seed if run.data.is_drawn else 0), []).append(run)
    return [run for group in groups.values() for run in group]
