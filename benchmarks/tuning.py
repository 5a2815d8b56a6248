"""Parameters of the other methods by a search with the true labels, as the paper did.

    SUBSPAN_DATA=... python -m benchmarks.tuning FOLDER [METHOD...]

Every trial is kept in FOLDER/tuning.jsonl and is not done again; FOLDER/tuning.csv lists them all, the best
of each method and data set first. What is chosen is entered in `subspan.reproduction.tuned` by hand.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from subspan.reproduction.perform import Laboratory
from subspan.reproduction.runs import Row, Run, Value, make_run
from subspan.reproduction.settings import REAL
from subspan.reproduction.store import ResultStore

SEED = 0
Grid = dict[str, list[Value]]
# All of MNIST takes the parameters of its smallest part.
DATASETS = ("EYaleB", "GTSRB", "MNIST4000", "COIL100")

GRIDS: dict[str, list[Grid]] = {
    "lsr": [
        {"regularization": [0.01, 0.1, 1.0, 10.0]},
        {"regularization": [0.1, 1.0], "n_components": ["auto"]},
    ],
    "lrsc": [
        {"tau": [1.0, 10.0, 67.0]},
        {"tau": [10.0, 67.0], "n_components": ["auto"]},
    ],
    "ensc": [{"tau": [0.9], "gamma": [3.0, 10.0, 50.0]}],
    "esc": [
        {"n_exemplars": [600], "regularization": [200.0, 500.0]},
        {"n_exemplars": [300], "regularization": [20.0, 150.0]},
    ],
    "sr-ssc": [
        {"n_anchors": [500, 1000], "regularization": [200.0], "alpha": [5.0], "n_components": [None, "auto"]},
    ],
    "scc": [{"dim": [2, 5, 8], "normalize": [True], "n_columns": [2000], "max_iter": [6]}],
    "olrsc": [{"reconstruction": [1.0, 10.0]}],
}


def runs(method: str, title: str) -> Iterator[Run]:
    """Every combination of the method's grids on a data set."""
    for grid in GRIDS[method]:
        for values in product(*grid.values()):
            yield make_run(REAL[title].data, method, dict(zip(grid, values, strict=True)), SEED)


def main(folder: Path, methods: list[str]) -> None:
    """Run what is missing, cheapest data first, and list everything."""
    folder.mkdir(parents=True, exist_ok=True)
    store = ResultStore(folder / "tuning.jsonl")
    laboratory = Laboratory(None, None, progress=False)
    lines = []
    for title, method in product(DATASETS, methods or GRIDS):
        of_pair = [line(run, title, perform(run, store, laboratory)) for run in runs(method, title)]
        lines += sorted(of_pair, key=lambda fields: -float(fields[3]))
    with (folder / "tuning.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["method", "dataset", "parameters", "accuracy", "seconds"])
        writer.writerows(lines)


def perform(run: Run, store: ResultStore, laboratory: Laboratory) -> Row:
    """The result of a run, new or kept."""
    if run not in store:
        row = laboratory.perform(run)
        store.add(run, row)
        print(f"{run.key}: {100 * row['accuracy']:.2f} in {row['seconds']:.0f} s", flush=True)
    return store.get(run)


def line(run: Run, title: str, row: Row) -> list[str]:
    """One line of the list."""
    parameters = " ".join(f"{name}={value}" for name, value in run.parameters)
    return [run.method, title, parameters, f"{100 * row['accuracy']:.2f}", f"{row['seconds']:.1f}"]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
