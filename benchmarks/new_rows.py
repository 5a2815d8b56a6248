"""The tables of docs/results/new-rows.md: how well and how fast fitted models label new rows.

    python -m benchmarks.new_rows DATA [--methods s3comp-c lsr] [--seeds 2] [--minutes 10]
    python -m benchmarks.new_rows [--rate] [--file ROWS --rule subspace]

DATA is the folder of the data files. A half of each set is clustered, the other half is predicted, and
compared with what clustering everything gives for it. Every run is kept in docs/results/new-rows.jsonl and is
not done again; no run is begun after so many minutes. The tables of the page are made from that file.
"""

from __future__ import annotations

import argparse
import copy
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.front_door import SETS as ALL_SETS
from benchmarks.front_door import of_file
from benchmarks.pages import RESULTS, put_tables
from subspan import SSCOMP
from subspan.datasets import load_coil100, load_extended_yale_b, make_union_of_subspaces, paper_features
from subspan.execution.machine import cpu_model, versions
from subspan.methods import registry
from subspan.metrics import clustering_accuracy
from subspan.model.coding import Coding, ElasticNetCoding, PursuitCoding, RidgeCoding

PAGE = RESULTS / "new-rows.md"
RUNS = RESULTS / "new-rows.jsonl"
RULES = ("code", "subspace")
# Of a set for a method that takes long.
N_POINTS = 1000

Loaded = tuple[NDArray[Any], NDArray[Any]]
Row = dict[str, Any]

# What differs from the defaults: S3COMP-C as in docs/results/front-door.md.
METHODS: dict[str, dict[str, Any]] = {
    "s3comp-c": {"damping": 0.1, "n_components": "auto"},
    "lsr": {"n_neighbors": 8, "regularization": 0.1},
    "esc": {},
    "auto": {},
    "ensc": {},
    "ssc-omp": {},
    "s3comp": {"damping": 0.1, "n_components": "auto"},
    "sr-ssc": {},
    "lrsc": {},
    "olrsc": {},
    "scc": {"affine": False},
}


def some(X: NDArray[Any], y: NDArray[Any]) -> Loaded:
    """A random part of the points."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(X))[:N_POINTS])
    return X[chosen], y[chosen]


def first_objects(folder: Path) -> Loaded:
    """COIL100, objects 1 to 14."""
    X, y = load_coil100(data_dir=folder, return_X_y=True)
    return X[y < 14], y[y < 14]


def first_persons(folder: Path) -> Loaded:
    """Extended Yale B, persons 1 to 15."""
    X, y = load_extended_yale_b(data_dir=folder, return_X_y=True)
    return X[y < 15], y[y < 15]


SETS = (
    "PenDigits, 3600 points",
    "PIE-10",
    "COIL100, 40 objects",
    "Extended Yale B",
    "GTSRB, 3600 points",
    "MNIST, 4000 points",
)
# For methods that take long.
PARTS: dict[str, Callable[[Path], Loaded]] = {
    "PenDigits, 1000 points": lambda folder: some(*of_file("pendigits.npz")(folder)),
    "PIE-10, 1000 points": lambda folder: some(*of_file("pie10_32x32.npz")(folder)),
    "COIL100, 14 objects": first_objects,
    "Extended Yale B, 15 persons": first_persons,
    "GTSRB, 1000 points": lambda folder: some(*paper_features("gtsrb", data_dir=folder)),
    "MNIST, 1000 points": lambda folder: some(*paper_features("mnist", n_per_class=100, data_dir=folder)),
}
ON_PARTS = ("ensc", "s3comp", "sr-ssc", "lrsc", "olrsc", "scc")
ON_BOTH = ("auto",)
DATA: dict[str, Callable[[Path], Loaded]] = {**{name: ALL_SETS[name] for name in SETS}, **PARTS}
# Codes of new rows that could take the place of the default.
OTHER_CODES = {"s3comp-c": PursuitCoding(5, damping=0.1), "auto": PursuitCoding(5)}
# Codes whose rate is measured, by the method that has them.
RATED: dict[str, Coding] = {
    "S3COMP-C, SSC-OMP: 5 atoms": PursuitCoding(5),
    "SubspaceClustering: 10 atoms, damped": PursuitCoding(10, damping=0.1),
    "LSR: ridge": RidgeCoding(0.1, 8),
    "EnSC: elastic net": ElasticNetCoding(0.9, 50.0),
}
# A prediction should reach this share of what clustering everything gives.
GOAL = 0.97


def held_out(X: NDArray[Any], y: NDArray[Any], method: str, seed: int) -> Row:
    """Accuracy on the second half: by clustering everything, and by a model of the first half."""
    order = np.random.default_rng(seed + 1).permutation(len(X))
    first, second = np.sort(order[: len(X) // 2]), np.sort(order[len(X) // 2 :])
    settings = {"n_clusters": len(np.unique(y)), "random_state": seed, **METHODS[method]}
    everything = registry.get(method)(**settings).fit(X).labels_
    fitted = registry.get(method)(**settings).fit(X[first])
    row: Row = {
        "clustered": clustering_accuracy(y[second], everything[second]),
        "first_half": clustering_accuracy(y[first], fitted.labels_),
        "same_on_the_fit": float(np.mean(fitted.predict(X[first]) == fitted.labels_)),
        "default": fitted.model_.habits.rule,
    }
    for rule in RULES:
        if rule == "subspace" or fitted.model_.coding is not None:
            row[rule] = clustering_accuracy(y[second], fitted.predict(X[second], rule=rule))
    if method in OTHER_CODES:
        other = copy.deepcopy(fitted.model_)
        other.coding = OTHER_CODES[method]
        row["other"] = clustering_accuracy(y[second], other.predict(X[second]))
    return row


def rates(n_points: int = 10_000, n_features: int = 500, n_new: int = 4000) -> Row:
    """Rows a second on two threads, by every code and by the nearest subspace; best of three."""
    X, _ = make_union_of_subspaces(20, 5, n_features, (n_points + n_new) // 20, noise=0.2, random_state=0)
    X = X.astype(np.float32)
    model = SSCOMP(20, n_nonzero=5, n_jobs=2, random_state=0).fit(X[:n_points]).model_
    assert model is not None
    found = {}
    for name, coding in RATED.items():
        model.coding, model._made = coding, {}
        found[name] = best_rate(partial(model.predict, X[n_points:], n_jobs=2), n_new)
    found["nearest subspace"] = best_rate(
        partial(model.predict, X[n_points:], rule="subspace", n_jobs=2), n_new
    )
    return {"n_points": n_points, "n_features": n_features, "atoms": len(model.atoms), "rates": found}


def best_rate(work: Callable[[], object], n_rows: int) -> dict[str, float]:
    """Rows a second, and for each second that processors were busy; the first run prepares the model."""
    times = []
    for _ in range(4):
        start, busy = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start, time.process_time() - busy))
    passed, busy = (min(each[place] for each in times[1:]) for place in (0, 1))
    return {"wall": n_rows / passed, "processor": n_rows / busy}


def large_file(n_rows: int, rule: str, n_sample: int = 50_000, n_features: int = 100) -> Row:
    """Fit to a sample of a large file, and predict all its rows by the command line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = np.lib.format.open_memmap(folder / "all.npy", "w+", np.float32, (n_rows, n_features))
        bases = np.random.default_rng(0).standard_normal((10, 5, n_features)) / np.sqrt(n_features)
        y = np.random.default_rng(1).integers(10, size=n_rows)
        for start in range(0, n_rows, 50_000):
            generator = np.random.default_rng([2, start])
            labels = y[start : start + 50_000]
            codes = generator.standard_normal((len(labels), 5))
            points = np.einsum("nd,ndf->nf", codes, bases[labels])
            table[start : start + len(labels)] = points + 0.1 * generator.standard_normal(points.shape)
        table.flush()
        sample = np.sort(np.random.default_rng(3).choice(n_rows, min(n_sample, n_rows), replace=False))
        np.save(folder / "sample.npy", table[sample])
        del table
        program = [sys.executable, "-c", "from subspan.cli.main import main; main()"]
        fit = ["cluster", "sample.npy", "-k", "10", "--method", "lsr", "--n-neighbors", "8"]
        fit += ["--regularization", "0.1"]
        fit += ["--save", "m.subspan", "--quiet", "--labels", "sample-labels.npy"]
        subprocess.run([*program, *fit], check=True, cwd=folder)
        start_time = time.perf_counter()
        watched = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True); "
        watched += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        predict = ["predict", "m.subspan", "all.npy", "--labels", "all-labels.npy", "--quiet", "--rule", rule]
        done = subprocess.run(
            [sys.executable, "-c", watched, *program, *predict],
            check=True, cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        seconds = time.perf_counter() - start_time
        return {
            "n_rows": n_rows,
            "rule": rule,
            "n_features": n_features,
            "n_sample": len(sample),
            "file_bytes": (folder / "all.npy").stat().st_size,
            "model_bytes": (folder / "m.subspan").stat().st_size,
            "seconds": seconds,
            "peak_bytes": int(done.stdout.split()[-1]) * 1024,
            "sample_accuracy": clustering_accuracy(y[sample], np.load(folder / "sample-labels.npy")),
            "accuracy": clustering_accuracy(y, np.load(folder / "all-labels.npy")),
        }


def read_runs() -> list[Row]:
    return [json.loads(line) for line in RUNS.read_text().splitlines()] if RUNS.exists() else []


def keep(row: Row) -> None:
    origin = {"date": datetime.now(UTC).date().isoformat(), "cpu": cpu_model(), "versions": versions()}
    with RUNS.open("a") as file:
        file.write(json.dumps({**row, **origin}) + "\n")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _mean_and_spread(values: list[float]) -> str:
    """In per cent; the spread is half the distance between the extremes."""
    if not values:
        return ""
    spread = f" ± {50 * (max(values) - min(values)):.1f}" if len(values) > 1 else ""
    return f"{100 * fmean(values):.1f}{spread}"


def accuracy_table(runs: list[Row]) -> str:
    lines = [
        "| data | method | seeds | clustering everything | first half | code | subspace "
        "| default / everything | default / first half |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for data in DATA:
        for method in METHODS:
            of_both = [run for run in runs if (run.get("data"), run.get("method")) == (data, method)]
            if of_both:
                figures = [
                    [run[name] for run in of_both if name in run]
                    for name in ("clustered", "first_half", "code", "subspace")
                ]
                by_default = fmean(run[run["default"]] for run in of_both)
                shares = [100 * by_default / fmean(figures[place]) for place in (0, 1)]
                cells = " | ".join([*map(_mean_and_spread, figures), *(f"{share:.1f}" for share in shares)])
                lines.append(f"| {data} | {method} | {len(of_both)} | {cells} |")
    return "\n".join(lines)


def summary_table(runs: list[Row]) -> str:
    """How many runs reach the goal, by what they are compared with."""
    lines = ["| method | runs | reach 97 % of clustering everything | reach 97 % of the first half |"]
    lines.append("|---|---|---|---|")
    for method in METHODS:
        chosen = [run for run in runs if run["what"] == "held out" and run["method"] == method]
        reached = [
            sum(run[run["default"]] >= GOAL * run[name] for run in chosen)
            for name in ("clustered", "first_half")
        ]
        if chosen:
            lines.append(f"| {method} | {len(chosen)} | {reached[0]} | {reached[1]} |")
    return "\n".join(lines)


def other_codes_table(runs: list[Row]) -> str:
    """The default code beside another one, on the same fits."""
    lines = ["| data | method | runs | code | other code |", "|---|---|---|---|---|"]
    for data, method in product(DATA, OTHER_CODES):
        chosen = [
            run for run in runs if (run.get("data"), run.get("method")) == (data, method) and "other" in run
        ]
        if chosen:
            cells = " | ".join(_mean_and_spread([run[name] for run in chosen]) for name in ("code", "other"))
            lines.append(f"| {data} | {method} | {len(chosen)} | {cells} |")
    return "\n".join(lines)


def rate_table(runs: list[Row]) -> str:
    lines = ["| rule | rows a second | rows a second of processor time |", "|---|---|---|"]
    for run in (each for each in runs if each["what"] == "rate"):
        lines.extend(
            f"| {rule} | {rate['wall']:.0f} | {rate['processor']:.0f} |"
            for rule, rate in run["rates"].items()
        )
    return "\n".join(lines)


def file_table(runs: list[Row]) -> str:
    lines = [
        "| rows | columns | file | sample | model | rule | rows a second | peak memory "
        "| accuracy | of the sample |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines.extend(
        f"| {run['n_rows']} | {run['n_features']} | {run['file_bytes'] / 1e6:.0f} MB | {run['n_sample']} "
        f"| {run['model_bytes'] / 1e6:.1f} MB | {run['rule']} "
        f"| {run['n_rows'] / run['seconds']:.0f} "
        f"| {run['peak_bytes'] / 1e6:.0f} MB "
        f"| {_percent(run['accuracy'])} | {_percent(run['sample_accuracy'])} |"
        for run in runs
        if run["what"] == "file"
    )
    return "\n".join(lines)


def sets_of(method: str) -> list[str]:
    """What a method is run on."""
    return [name for name in DATA if method in ON_BOTH or (name in PARTS) == (method in ON_PARTS)]


def run_all(folder: Path, methods: list[str], seeds: range, minutes: float) -> None:
    known = {(run.get("data"), run.get("method"), run.get("seed")) for run in read_runs()}
    start = time.monotonic()
    wanted = ((seed, method, data) for seed, method in product(seeds, methods) for data in sets_of(method))
    for seed, method, data in wanted:
        if (data, method, seed) not in known and time.monotonic() - start < 60 * minutes:
            X, y = DATA[data](folder)
            try:
                row = held_out(X, y, method, seed)
            except ValueError as error:
                print(f"{data}, {method}: {error}", file=sys.stderr)
                continue
            keep(
                {"what": "held out", "data": data, "method": method, "seed": seed, "n_points": len(X), **row}
            )
            print(data, method, row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", action="store_true")
    parser.add_argument("--file", type=int)
    parser.add_argument("--rule", choices=RULES, default="code")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.data:
        run_all(arguments.data, arguments.methods, range(arguments.seeds), arguments.minutes)
    if arguments.rate:
        keep({"what": "rate", **rates()})
    if arguments.file:
        keep({"what": "file", **large_file(arguments.file, arguments.rule)})
    runs = read_runs()
    put_tables(
        PAGE,
        [
            make(runs) + "\n"
            for make in (summary_table, accuracy_table, other_codes_table, rate_table, file_table)
        ],
    )


if __name__ == "__main__":
    main()
