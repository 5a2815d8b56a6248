"""The tables of docs/results/front-door.md: SubspaceClustering on nine data sets.

    python -m benchmarks.front_door DATA [--seeds 5]

DATA is the folder of the data files. Every run is kept in docs/results/front-door.jsonl and is not done
again; the tables of the page are made from that file. Without DATA nothing is run.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from benchmarks.pages import RESULTS, Row, Runs, keep_run, put_tables, stored_runs
from subspan import S3COMP, S3COMPC
from subspan.base import StageClock
from subspan.datasets import load_coil100, load_extended_yale_b, paper_features
from subspan.grids import Field, Grid
from subspan.handover import DataWarning
from subspan.metrics import clustering_accuracy
from subspan.metrics.accuracy import match_clusters
from subspan.points import Points
from subspan.tuning import SubspaceClustering
from subspan.tuning.front_door import JoinedPartitions
from subspan.tuning.joining import POWER, weigh
from subspan.tuning.members import design

PAGE = RESULTS / "front-door.md"
RUNS = RESULTS / "front-door.jsonl"
POWERS = (1, 2, 4, 8)
# Of the larger sets, at random.
N_POINTS = 3600
# Members of the first family come first.
N_PURSUITS = 9
# The set on which cost is measured, and rows of a first fit.
COST = "MNIST, 10000 points"
CLOCKS = ("seconds", "seconds of all cores together")
FEW = 500
# What S3COMP-C had as its defaults, before this table was made.
FORMER: dict[str, Any] = {"damping": 0.5, "n_components": None}
S3COMP_COLUMNS = {"former": "S3COMP, former defaults", "defaults": "S3COMP, defaults"}
# What members of a family differ in.
VARIED = ("n_nonzero", "damping", "regularization", "n_neighbors")

Loaded = tuple[NDArray[Any], NDArray[Any]]


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
    former = S3COMPC(n_clusters, **FORMER, random_state=seed).fit(X)
    defaults = S3COMPC(n_clusters, random_state=seed).fit(X)
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
        "former": clustering_accuracy(y, former.labels_),
        "defaults": clustering_accuracy(y, defaults.labels_),
        "front_door": accuracy,
        "members": [clustering_accuracy(y, labels) for labels in model.found.labels],
        "powers": powers,
        "wrong_lowest_tenth": low,
        "wrong_highest_half": high,
    }


def one_pass(X: NDArray[Any], y: NDArray[Any], seed: int) -> Row:
    """Accuracy of S3COMP, which has the defaults of S3COMP-C."""
    n_clusters = len(np.unique(y))
    settings = {"former": FORMER, "defaults": {}}
    return {
        name: clustering_accuracy(y, S3COMP(n_clusters, **each, random_state=seed).fit(X).labels_)
        for name, each in settings.items()
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


def cost(X: NDArray[Any], y: NDArray[Any], seed: int) -> Row:
    """Seconds of a fit, and of one of S3COMP-C with its defaults, by turns; the best of two."""
    n_clusters = len(np.unique(y))
    models = {
        "defaults": S3COMPC(n_clusters, random_state=seed),
        "front_door": SubspaceClustering(n_clusters, random_state=seed),
    }
    seconds: dict[str, list[list[float]]] = {name: [] for name in models}
    for n_rows in (FEW, len(X), len(X)):
        for name, model in models.items():
            start, used = time.perf_counter(), time.process_time()
            model.fit(X[:n_rows])
            seconds[name].append([time.perf_counter() - start, time.process_time() - used])
    # The first fit of each compiles.
    return {"n_points": len(X)} | {
        name: np.min(taken[1:], axis=0).tolist() for name, taken in seconds.items()
    }


def run(folder: Path, n_seeds: int, names: Sequence[str]) -> None:
    """The comparisons that are missing, the smallest set first; the cost last."""
    loaded = {name: SETS[name](folder) for name in names}
    names = sorted(names, key=lambda name: loaded[name][0].size)
    for seed in range(n_seeds):
        for name in names:
            keep("one pass", name, seed, lambda of=name, seed=seed: one_pass(*loaded[of], seed))
            keep("compare", name, seed, lambda of=name, seed=seed: compare(*loaded[of], seed))
    keep("cost", COST, 0, lambda: cost(*paper_features("mnist", n_per_class=1000, data_dir=folder), 0))


def keep(kind: str, name: str, seed: int, measure: Callable[[], Row]) -> None:
    """Make a run, unless it is there."""
    if (kind, name, seed) in stored_runs(RUNS):
        return
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        row = measure()
    keep_run(RUNS, {"run": kind, "data": name, "seed": seed, **row})
    print(f"{kind}, {name}, seed {seed}: {row['defaults']} in {time.monotonic() - start:.0f} s", flush=True)


def of_set(runs: Runs, name: str, kind: str = "compare") -> list[Row]:
    """The runs of a kind on a data set, by seed."""
    return [row for key, row in sorted(runs.items()) if key[:2] == (kind, name)]


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
    columns = ["data set", "points", "classes", "seeds", "S3COMP-C, former defaults"]
    columns += ["S3COMP-C, defaults", "front door", "median member", "best pursuit", "best ridge"]
    columns += ["best member", "sd, former defaults", "sd, defaults", "sd of front door"]
    kinds = ("former", "defaults", "front_door")
    lines = []
    for name in SETS:
        rows = of_set(runs, name)
        means = [mean(rows, lambda row, key=key: row[key]) for key in kinds]
        means += [mean(rows, lambda row, of=of: of(row["members"])) for of in BESTS]
        spreads = [spread(rows, key) for key in kinds]
        lines.append([name, rows[0]["n_points"], rows[0]["n_clusters"], len(rows), *means, *spreads])
    return Grid(columns, with_means(lines, 4))


def one_passes(runs: Runs) -> Grid:
    """Accuracy of S3COMP by its former defaults and by those since."""
    lines = []
    for name in SETS:
        rows = of_set(runs, name, "one pass")
        lines.append(
            [name, len(rows), *(mean(rows, lambda row, key=key: row[key]) for key in S3COMP_COLUMNS)]
        )
    return Grid(["data set", "seeds", *S3COMP_COLUMNS.values()], with_means(lines, 2))


def pursuits(members: Sequence[float]) -> float:
    """The best of one family."""
    return max(members[:N_PURSUITS])


def ridges(members: Sequence[float]) -> float:
    """The best of the other."""
    return max(members[N_PURSUITS:])


BESTS: tuple[Callable[[Sequence[float]], float], ...] = (median, pursuits, ridges, max)


def settings(runs: Runs) -> Grid:
    """Accuracy of every member, over the data sets and seeds."""
    columns = ["member", *SETS, "mean"]
    lines = []
    for number, member in enumerate(design(N_POINTS)):
        said = ", ".join(f"{name} {value}" for name, value in member.settings.items() if name in VARIED)
        means = [mean(of_set(runs, name), lambda row, of=number: row["members"][of]) for name in SETS]
        lines.append([f"{member.family}: {said}", *(f"{value:.1f}" for value in (*means, fmean(means)))])
    return Grid(columns, lines)


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


def costs(runs: Runs) -> Grid:
    """Seconds of a fit beside those of S3COMP-C."""
    columns = ["", "S3COMP-C, defaults", "front door", "ratio"]
    lines: list[list[Field]] = []
    for row in (row for (kind, _, _), row in runs.items() if kind == "cost"):
        for said, one, joined in zip(CLOCKS, row["defaults"], row["front_door"], strict=True):
            lines.append([said, f"{one:.1f}", f"{joined:.1f}", f"{joined / one:.1f}"])
    return Grid(columns, lines)


def tables() -> list[str]:
    """The tables of the page, in its order; those without a run are left out."""
    runs = stored_runs(RUNS)
    every = [of(runs) for of in (accuracies, one_passes, settings, confidences, powers, costs)]
    return [grid.markdown() + "\n" for grid in every if grid.lines]


def main() -> None:
    """Run what is missing, and put the tables into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="folder of the data files")
    parser.add_argument("--seeds", type=int, default=5, help="seeds from 0 (default: 5)")
    parser.add_argument("--cost", action="store_true", help="measure nothing but the cost")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="only these data sets")
    asked = parser.parse_args()
    if asked.data is not None:
        run(asked.data, asked.seeds, [] if asked.cost else asked.sets)
    put_tables(PAGE, tables())


if __name__ == "__main__":
    main()
