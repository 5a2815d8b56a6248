"""The tables of docs/results/new-rows.md: how well and how fast fitted models label new rows.

    python -m benchmarks.new_rows DATA [--methods s3comp-c lsr] [--rate] [--file ROWS]

DATA is the folder of the data files. A half of each set is clustered, the other half is predicted, and
compared with what clustering everything gives for it. Every run is kept in docs/results/new-rows.jsonl and is
not done again; the tables of the page are made from that file. Without DATA nothing is run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.front_door import of_file
from benchmarks.new_arithmetic import RESULTS, put_tables
from numpy.typing import NDArray

from subspan import SSCOMP
from subspan.datasets import load_coil100, load_extended_yale_b, make_union_of_subspaces, paper_features
from subspan.execution.machine import cpu_model, versions
from subspan.methods import registry
from subspan.metrics import clustering_accuracy

PAGE = RESULTS / "new-rows.md"
RUNS = RESULTS / "new-rows.jsonl"
# Of the larger sets, at random.
N_POINTS = 1000
RULES = ("code", "subspace")

Loaded = tuple[NDArray[Any], NDArray[Any]]
Row = dict[str, Any]

# What differs from the defaults: S3COMP-C as in docs/results/front-door.md.
METHODS: dict[str, dict[str, Any]] = {
    "s3comp-c": {"damping": 0.1, "n_components": "auto"},
    "lsr": {"n_neighbors": 8, "regularization": 0.1},
    "esc": {},
    "ensc": {},
    "auto": {},
    "ssc-omp": {},
    "s3comp": {},
    "sr-ssc": {},
    "lrsc": {},
    "olrsc": {},
    "scc": {},
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


SETS: dict[str, Callable[[Path], Loaded]] = {
    "PIE-10, 1000 points": lambda folder: some(*of_file("pie10_32x32.npz")(folder)),
    "PenDigits, 1000 points": lambda folder: some(*of_file("pendigits.npz")(folder)),
    "MNIST, 1000 points": lambda folder: some(*paper_features("mnist", n_per_class=100, data_dir=folder)),
    "GTSRB, 1000 points": lambda folder: some(*paper_features("gtsrb", data_dir=folder)),
    "COIL100, 14 objects": first_objects,
    "Extended Yale B, 15 persons": first_persons,
}


def held_out(X: NDArray[Any], y: NDArray[Any], method: str) -> Row:
    """Accuracy on the second half: by clustering everything, and by a model of the first half."""
    order = np.random.default_rng(1).permutation(len(X))
    first, second = np.sort(order[: len(X) // 2]), np.sort(order[len(X) // 2 :])
    settings = {"n_clusters": len(np.unique(y)), "random_state": 0, **METHODS[method]}
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
            start = time.perf_counter()
            row[rule] = clustering_accuracy(y[second], fitted.predict(X[second], rule=rule))
            row[f"{rule} rate"] = len(second) / (time.perf_counter() - start)
    return row


def rates(n_points: int = 10_000, n_features: int = 500, n_new: int = 10_000) -> Row:
    """Rows a second on two threads, for a pursuit and for the nearest subspace; best of three."""
    X, _ = make_union_of_subspaces(20, 5, n_features, (n_points + n_new) // 20, noise=0.2, random_state=0)
    X = X.astype(np.float32)
    model = SSCOMP(20, n_nonzero=5, n_jobs=2, random_state=0).fit(X[:n_points]).model_
    assert model is not None
    row: Row = {"n_points": n_points, "n_features": n_features, "atoms": len(model.atoms)}
    for rule in RULES:
        model.predict(X[n_points : n_points + 1000], rule=rule, n_jobs=2)
        times = []
        for _ in range(3):
            start, busy = time.perf_counter(), time.process_time()
            model.predict(X[n_points:], rule=rule, n_jobs=2)
            times.append((time.perf_counter() - start, time.process_time() - busy))
        row[rule] = n_new / min(passed for passed, _ in times)
        row[f"{rule} per processor"] = n_new / min(busy for _, busy in times)
    with tempfile.TemporaryDirectory() as folder:
        row["bytes"] = model.save(Path(folder) / "m.subspan").stat().st_size
    return row


def large_file(n_rows: int, n_sample: int = 10_000, n_features: int = 100) -> Row:
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
        fit = ["cluster", "sample.npy", "-k", "10", "--method", "ssc-omp", "--n-nonzero", "5"]
        fit += ["--save", "m.subspan", "--quiet", "--labels", "s.csv"]
        subprocess.run([*program, *fit], check=True, cwd=folder)
        start_time = time.perf_counter()
        watched = "import resource,subprocess,sys; subprocess.run(sys.argv[1:], check=True); "
        watched += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        predict = ["predict", "m.subspan", "all.npy", "--labels", "all-labels.npy", "--quiet"]
        done = subprocess.run(
            [sys.executable, "-c", watched, *program, *predict],
            check=True, cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        seconds = time.perf_counter() - start_time
        return {
            "n_rows": n_rows,
            "n_features": n_features,
            "n_sample": len(sample),
            "file_bytes": (folder / "all.npy").stat().st_size,
            "model_bytes": (folder / "m.subspan").stat().st_size,
            "seconds": seconds,
            "peak_bytes": int(done.stdout.split()[-1]) * 1024,
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


def accuracy_table(runs: list[Row]) -> str:
    lines = [
        "| data | method | clustering everything | first half | code | subspace | default / everything |",
        "|---|---|---|---|---|---|---|",
    ]
    for data in SETS:
        for method in METHODS:
            for run in (each for each in runs if (each.get("data"), each.get("method")) == (data, method)):
                figures = [run["clustered"], run["first_half"], run.get("code"), run["subspace"]]
                share = run[run["default"]] / run["clustered"]
                cells = " | ".join(map(_percent, figures))
                lines.append(f"| {data} | {method} | {cells} | {_percent(share)} |")
    return "\n".join(lines)


def rate_table(runs: list[Row]) -> str:
    lines = ["| points | columns | atoms | rule | rows a second | rows a second of processor time | file |"]
    lines.append("|---|---|---|---|---|---|---|")
    for run in (each for each in runs if each["what"] == "rate"):
        numbers = f"{run['n_points']} | {run['n_features']} | {run['atoms']}"
        lines.extend(
            f"| {numbers} | {rule} | {run[rule]:.0f} | {run[f'{rule} per processor']:.0f} "
            f"| {run['bytes'] / 1e6:.1f} MB |"
            for rule in RULES
        )
    return "\n".join(lines)


def file_table(runs: list[Row]) -> str:
    lines = ["| rows | columns | file | sample | model | rows a second | peak memory | accuracy |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    lines.extend(
        f"| {run['n_rows']} | {run['n_features']} | {run['file_bytes'] / 1e6:.0f} MB | {run['n_sample']} "
        f"| {run['model_bytes'] / 1e6:.1f} MB | {run['n_rows'] / run['seconds']:.0f} "
        f"| {run['peak_bytes'] / 1e6:.0f} MB | {_percent(run['accuracy'])} |"
        for run in runs
        if run["what"] == "file"
    )
    return "\n".join(lines)


def run_all(folder: Path, methods: list[str]) -> None:
    known = {(run.get("data"), run.get("method")) for run in read_runs()}
    for method in methods:
        for data, loading in SETS.items():
            if (data, method) not in known:
                try:
                    row = held_out(*loading(folder), method)
                except ValueError as error:
                    print(f"{data}, {method}: {error}", file=sys.stderr)
                    continue
                keep({"what": "held out", "data": data, "method": method, **row})
                print(data, method, row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--rate", action="store_true")
    parser.add_argument("--file", type=int)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.data:
        run_all(arguments.data, arguments.methods)
    if arguments.rate:
        keep({"what": "rate", **rates()})
    if arguments.file:
        keep({"what": "file", **large_file(arguments.file)})
    runs = read_runs()
    put_tables(PAGE, [make(runs) + "\n" for make in (accuracy_table, rate_table, file_table)])


if __name__ == "__main__":
    main()
