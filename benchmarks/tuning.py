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
AUTO: Grid = {"n_components": ["auto"]}

# By method and data set.
GRIDS: dict[str, dict[str, list[Grid]]] = {
    "lsr": {
        "EYaleB": [{"regularization": [0.01, 0.1, 0.4]}],
        "GTSRB": [{"regularization": [0.01, 0.1, 1.0, 10.0, 100.0]}],
        "MNIST4000": [{"regularization": [0.1, 1.0, 10.0]}, {"regularization": [0.1, 1.0], **AUTO}],
        "MNIST10000": [{"regularization": [1.0], "n_components": ["auto", 12]}],
        "COIL100": [{"regularization": [0.01, 0.1, 0.3, 1.0, 3.0, 10.0]}],
    },
    "lrsc": {
        "EYaleB": [{"tau": [10.0, 67.0]}],
        "GTSRB": [
            {"tau": [0.03, 0.05, 0.1, 0.3, 1.0, 10.0, 100.0]},
            {"tau": [0.1, 1.0, 3.0], **AUTO},
            {"tau": [0.3, 10.0], "n_components": [15, 20]},
        ],
        "MNIST4000": [{"tau": [1.0, 10.0]}, {"tau": [1.0, 10.0], **AUTO}],
        "MNIST10000": [{"tau": [1.0], "n_components": ["auto", 12]}],
        "COIL100": [{"tau": [3.0, 10.0, 67.0]}],
    },
    "ensc": {
        "EYaleB": [{"gamma": [20.0, 50.0]}],
        "GTSRB": [{"gamma": [3.0, 10.0]}, {"gamma": [2.0, 3.0, 5.0], **AUTO}],
        "MNIST4000": [{"gamma": [200.0], "n_components": [None, "auto", 12]}],
        "MNIST10000": [{"gamma": [200.0], "n_components": ["auto", 12]}],
        "COIL100": [{"gamma": [20.0]}],
    },
    "esc": {
        "EYaleB": [{"n_exemplars": [600], "regularization": [500.0, 1000.0], "n_neighbors": [4]}],
        "GTSRB": [
            {"n_exemplars": [300], "regularization": [15.0], "n_neighbors": [3, 5]},
            {"n_exemplars": [300], "regularization": [100.0], "n_neighbors": [3]},
            {"n_exemplars": [300], "regularization": [15.0, 50.0], "n_neighbors": [5, 10], **AUTO},
        ],
        "MNIST4000": [
            {"n_exemplars": [300], "regularization": [200.0], "n_neighbors": [5], "n_components": [12]}
        ],
        "COIL100": [{"n_exemplars": [500], "regularization": [100.0]}],
    },
    "sr-ssc": {
        "EYaleB": [{"n_anchors": [500], "regularization": [50.0, 200.0]}],
        "GTSRB": [{"n_anchors": [1000], "regularization": [5.0, 20.0], "n_components": [None, "auto"]}],
        "MNIST4000": [{"n_anchors": [1000], "regularization": [200.0], "n_components": [10, 11]}],
        "MNIST10000": [{"n_anchors": [1000], "regularization": [200.0], "n_components": [11, 12]}],
        "COIL100": [{"n_anchors": [3500], "regularization": [3.0], "n_layers": [3]}],
    },
    "scc": {
        "EYaleB": [{"dim": [2], "normalize": [True]}],
        "GTSRB": [{"dim": [6, 8], "normalize": [True], "max_iter": [6]}],
        "MNIST4000": [
            {"dim": [3, 5], "normalize": [False, True], "max_iter": [6]},
            {"dim": [7, 8], "normalize": [True], "max_iter": [6]},
            {"dim": [3, 5], "normalize": [True], "max_iter": [6], "n_columns": [2000]},
            {"dim": [8, 10], "normalize": [True], "max_iter": [6], "n_columns": [1000]},
        ],
        "MNIST10000": [{"dim": [8], "normalize": [True], "max_iter": [6]}],
        "COIL100": [{"dim": [2], "n_columns": [4000], "max_iter": [3]}],
    },
    "olrsc": {
        "EYaleB": [{"n_basis": [114], "reconstruction": [10.0]}],
        "GTSRB": [
            {"reconstruction": [1.0]},
            {"reconstruction": [1.0, 10.0], **AUTO},
            {"n_basis": [70], "reconstruction": [0.1, 10.0], "n_epochs": [2]},
            {"n_basis": [28, 70], "reconstruction": [1.0], "n_epochs": [5]},
            {"n_basis": [70], "reconstruction": [0.3], "n_epochs": [5]},
            {"n_basis": [140], "reconstruction": [0.3], "n_epochs": [3]},
            {"n_basis": [140], "reconstruction": [1.0], "n_epochs": [2]},
            {"n_basis": [140], "reconstruction": [0.3], "n_epochs": [3], "sparsity": [1.0], **AUTO},
            {"sparsity": [1.0]},
            {"consistency": [1.0]},
        ],
        "MNIST4000": [
            {"reconstruction": [1.0], "n_components": [None, 12]},
            {"n_basis": [100], "reconstruction": [1.0, 10.0], "n_components": [12], "n_epochs": [2]},
            {"n_basis": [200], "reconstruction": [1.0], "n_components": [12], "n_epochs": [2]},
            {"n_basis": [50], "reconstruction": [0.1], "n_components": [12], "n_epochs": [2]},
            {"n_basis": [50], "reconstruction": [1.0], "n_components": [12], "n_epochs": [5]},
        ],
    },
}


def runs(method: str, title: str) -> Iterator[Run]:
    """Every combination of the method's grids on a data set."""
    for grid in GRIDS[method].get(title, []):
        for values in product(*grid.values()):
            yield make_run(REAL[title].data, method, dict(zip(grid, values, strict=True)), SEED)


def main(folder: Path, methods: list[str]) -> None:
    """Run what is missing, cheapest data first, and list everything."""
    folder.mkdir(parents=True, exist_ok=True)
    store = ResultStore(folder / "tuning.jsonl")
    laboratory = Laboratory(None, None, progress=False)
    lines = []
    for method, title in product(methods or GRIDS, REAL):
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
