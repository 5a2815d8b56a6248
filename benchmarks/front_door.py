"""The tables of docs/results/front-door.md: SubspaceClustering on nine data sets.

    python -m benchmarks.front_door DATA [--seeds 3]

DATA is the folder of the data files. Every run is kept in docs/results/front-door.jsonl and is not done
again; the tables of the page are made from that file. Without DATA nothing is run.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
from benchmarks.new_arithmetic import RESULTS, put_tables
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from subspan import S3COMPC
from subspan.base import StageClock
from subspan.datasets import load_coil100, load_extended_yale_b, paper_features
from subspan.execution.machine import cpu_model, versions
from subspan.grids import Field, Grid
from subspan.handover import DataWarning
from subspan.metrics import clustering_accuracy
from subspan.metrics.accuracy import match_clusters
from subspan.points import Points
from subspan.tuning import SubspaceClustering
from subspan.tuning.front_door import LARGEST_NUMBER, JoinedPartitions
from subspan.tuning.joining import POWER, weigh

PAGE = RESULTS / "front-door.md"
RUNS = RESULTS / "front-door.jsonl"
POWERS = (1, 2, 4, 8)
# Of the larger sets, at random.
N_POINTS = 3600

Loaded = tuple[NDArray[Any], NDArray[Any]]
Row = dict[str, Any]
Runs = Mapping[tuple[str, str, int], Row]


def of_file(name: str) -> Callable[[Path], Loaded]:
    """Reads `X` and `y` of a data file that has no loader."""

    def load(folder: Path) -> Loaded:
        with np.load(folder / name, allow_pickle=False) as file:
            return file["X"], file["y"]

    return load


def some(load: Callable[[Path], Loaded]) -> Callable[[Path], Loaded]:
    """The same, but a random part of the points."""

    def load_some(folder: Path) -> Loaded:
        X, y = load(folder)
        chosen = np.sort(np.random.default_rng(0).permutation(len(X))[:N_POINTS])
        return X[chosen], y[chosen]

    return load_some


def first_objects(folder: Path) -> Loaded:
    """COIL100, objects 1 to 40."""
    X, y = load_coil100(data_dir=folder, return_X_y=True)
    return X[y < 40], y[y < 40]


# In the order of the tables.
SETS: dict[str, Callable[[Path], Loaded]] = {
    "digits": lambda _: load_digits(return_X_y=True),
    "Extended Yale B": lambda folder: load_extended_yale_b(data_dir=folder, return_X_y=True),
    "COIL100, 40 objects": first_objects,
    "MNIST, 4000 points": lambda folder: paper_features("mnist", n_per_class=400, data_dir=folder),
    "GTSRB, 3600 points": some(lambda folder: paper_features("gtsrb", data_dir=folder)),
    "PIE-10": of_file("pie10_32x32.npz"),
    "ISOLET": of_file("isolet_1560.npz"),
    "PenDigits, 3600 points": some(of_file("pendigits.npz")),
    "TOX-171": of_file("gene_tox171.npz"),
}


class WithMembers(SubspaceClustering):
    """Keeps the partitions of its members, so that they can be judged and joined again."""

    def _cluster(self, found: Any, points: Points | None, settled: Any, clock: StageClock) -> None:
        self.found: JoinedPartitions = found
        self.joined_again = lambda weights: self._label(
            self._connect(replace(found, weights=weights), settled).embed(settled.n_clusters), points, settled
        )
        super()._cluster(found, points, settled, clock)


def compare(X: NDArray[Any], y: NDArray[Any], seed: int) -> Row:
    """Accuracy of the front door, of its members, and of S3COMP-C with the same seed."""
    n_clusters = len(np.unique(y))
    defaults = S3COMPC(n_clusters, n_components=None, random_state=seed).fit(X)
    better = S3COMPC(n_clusters, damping=0.1, n_components="auto", random_state=seed).fit(X)
    model = WithMembers(n_clusters, random_state=seed).fit(X)
    families = [member["family"] for member in model.members_]
    powers = {
        str(power): clustering_accuracy(
            y, model.joined_again(weigh(model.found.labels, families, power=power))
        )
        for power in POWERS
    }
    accuracy = clustering_accuracy(y, model.labels_)
    # Joined again as the fit has joined them.
    assert accuracy == powers[str(int(POWER))]
    low, high = wrong_by_confidence(y, model.labels_, model.confidence_)
    return {
        "n_points": len(y),
        "n_clusters": n_clusters,
        "defaults": clustering_accuracy(y, defaults.labels_),
        "better": clustering_accuracy(y, better.labels_),
        "front_door": accuracy,
        "members": [clustering_accuracy(y, labels) for labels in model.found.labels],
        "powers": powers,
        "wrong_lowest_tenth": low,
        "wrong_highest_half": high,
    }


def wrong_by_confidence(
    y: NDArray[Any], labels: NDArray[np.int64], confidence: NDArray[np.float64]
) -> tuple[float, float]:
    """Share of wrong points in the lowest tenth and in the highest half of the confidence."""
    found = match_clusters(y, labels)
    class_of = dict(zip(found.clusters[found.columns], found.classes[found.rows], strict=True))
    wrong = np.array([class_of.get(label) != true for label, true in zip(labels, y, strict=True)])
    order = np.argsort(confidence, kind="stable")
    return float(wrong[order[: len(y) // 10]].mean()), float(wrong[order[-(len(y) // 2) :]].mean())


def find_number(X: NDArray[Any], y: NDArray[Any], seed: int) -> Row:
    """The number of clusters that the front door finds."""
    model = SubspaceClustering("auto", random_state=seed).fit(X)
    best = [[each.n_clusters, each.agreement] for each in model.n_clusters_tried_.best]
    return {"n_clusters": len(np.unique(y)), "found": model.n_clusters_, "best": best}


def stored() -> Runs:
    """Every run so far by what was done, data set and seed."""
    lines = RUNS.read_text(encoding="utf-8").splitlines() if RUNS.exists() else []
    return {(row["run"], row["data"], row["seed"]): row for row in map(json.loads, lines)}


def run(folder: Path, n_seeds: int, names: Sequence[str]) -> None:
    """What is missing, the smallest set first; the numbers of clusters last."""
    loaded = {name: SETS[name](folder) for name in names}
    names = sorted(names, key=lambda name: loaded[name][0].size)
    wanted = [("compare", name, seed) for seed in range(n_seeds) for name in names]
    # Larger numbers than these are not tried.
    wanted += [("number", name, 0) for name in names if len(np.unique(loaded[name][1])) <= LARGEST_NUMBER]
    done = stored()
    for key in wanted:
        if key in done:
            continue
        kind, name, seed = key
        start = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            row = {"compare": compare, "number": find_number}[kind](*loaded[name], seed)
        origin = {"time": datetime.now(UTC).isoformat("T", "seconds"), "cpu": cpu_model(), **versions()}
        line = {"run": kind, "data": name, "seed": seed, **row, "origin": origin}
        with RUNS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
        said = row.get("front_door", row.get("found"))
        print(f"{kind}, {name}, seed {seed}: {said} in {time.monotonic() - start:.0f} s", flush=True)


def of_set(runs: Runs, name: str) -> list[Row]:
    """The comparisons on a data set, by seed."""
    return [row for (kind, data, _), row in sorted(runs.items()) if (kind, data) == ("compare", name)]


def mean(rows: Sequence[Row], value: Callable[[Row], float]) -> float:
    """Over the seeds, in per cent."""
    return 100 * fmean(map(value, rows))


def spread(rows: Sequence[Row], name: str) -> float:
    """Standard deviation over the seeds, in points of accuracy."""
    return 100 * stdev(row[name] for row in rows) if len(rows) > 1 else float("nan")


def chosen_elsewhere(runs: Runs, name: str) -> int:
    """The power with the largest mean accuracy over the other data sets."""
    others = [of_set(runs, other) for other in SETS if other != name]
    return max(POWERS, key=lambda power: fmean(mean(rows, power_of(power)) for rows in others))


def power_of(power: int) -> Callable[[Row], float]:
    """Accuracy with a power of the agreement."""
    return lambda row: float(row["powers"][str(power)])


def with_means(lines: Sequence[Sequence[Any]], n_words: int, digits: int = 1) -> list[list[Field]]:
    """Lines of a table with the means over the data sets below, numbers rounded."""
    numbers = np.array([line[n_words:] for line in lines], float).mean(axis=0)
    every = [*lines, ["mean", *[""] * (n_words - 1), *numbers.tolist()]]
    return [[*line[:n_words], *(f"{number:.{digits}f}" for number in line[n_words:])] for line in every]


def accuracies(runs: Runs) -> Grid:
    """What the front door reaches, beside what it is made of and what it replaces."""
    columns = ["data set", "points", "classes", "S3COMP-C, defaults", "S3COMP-C, damping 0.1, auto"]
    columns += ["front door", "median member", "best member", "sd of defaults", "sd of front door"]
    lines = []
    for name in SETS:
        rows = of_set(runs, name)
        means = [mean(rows, lambda row, key=key: row[key]) for key in ("defaults", "better", "front_door")]
        means += [mean(rows, lambda row, of=of: of(row["members"])) for of in (median, max)]
        spreads = [spread(rows, "defaults"), spread(rows, "front_door")]
        lines.append([name, rows[0]["n_points"], rows[0]["n_clusters"], *means, *spreads])
    return Grid(columns, with_means(lines, 3))


def confidences(runs: Runs) -> Grid:
    """Whether points of low confidence are wrong more often."""
    columns = ["data set", "wrong in the lowest tenth %", "wrong in the highest half %", "ratio"]
    lines: list[list[Field]] = []
    for name in SETS:
        rows = of_set(runs, name)
        low, high = (
            mean(rows, lambda row, key=key: row[key]) for key in ("wrong_lowest_tenth", "wrong_highest_half")
        )
        lines.append([name, f"{low:.1f}", f"{high:.2f}", f"{low / high:.1f}" if high else "none wrong"])
    return Grid(columns, lines)


def powers(runs: Runs) -> Grid:
    """Accuracy with each power, and with the one that the other data sets would choose."""
    columns = [
        "data set",
        "chosen by the others",
        *(f"power {power}" for power in POWERS),
        "with that chosen",
    ]
    lines = []
    for name in SETS:
        chosen, rows = chosen_elsewhere(runs, name), of_set(runs, name)
        lines.append([name, chosen, *(mean(rows, power_of(power)) for power in (*POWERS, chosen))])
    return Grid(columns, with_means(lines, 2))


def numbers(runs: Runs) -> Grid:
    """Numbers of clusters that were found, and the next best."""
    columns = ["data set", "true k", "k found", "best three, and the agreement on them"]
    found = [(name, runs["number", name, 0]) for name in SETS if ("number", name, 0) in runs]
    lines = [
        [name, row["n_clusters"], row["found"], ", ".join(f"{k} ({agreed:.2f})" for k, agreed in row["best"])]
        for name, row in found
    ]
    return Grid(columns, lines)


def tables() -> list[str]:
    """The tables of the page, in its order."""
    runs = stored()
    return [grid(runs).markdown() + "\n" for grid in (accuracies, confidences, powers, numbers)]


def main() -> None:
    """Run what is missing, and put the tables into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="folder of the data files")
    parser.add_argument("--seeds", type=int, default=3, help="seeds from 0 (default: 3)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="only these data sets")
    asked = parser.parse_args()
    if asked.data is not None:
        run(asked.data, asked.seeds, asked.sets)
    put_tables(PAGE, tables())


if __name__ == "__main__":
    main()
