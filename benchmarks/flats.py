"""The tables of docs/results/flats.md: lines, planes and 3-flats off the origin, with and without `affine`.

    python -m benchmarks.flats [--seeds 10] [--methods lsr esc]

Every run is kept in docs/results/flats.jsonl and is not done again; the tables of the page are made from that
file. With ``--seeds 0`` nothing is run.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pages import RESULTS, put_tables
from subspan.execution.machine import cpu_model, versions
from subspan.grids import Grid
from subspan.methods import registry
from subspan.metrics import clustering_accuracy

PAGE = RESULTS / "flats.md"
RUNS = RESULTS / "flats.jsonl"
DIMENSIONS = (1, 2, 3)
N_FLATS, N_POINTS = 3, 60
# Distance of the middle of a flat from the origin, where coordinates within it are between -1 and 1.
FAR = 3.0

Row = dict[str, Any]
Doubles = NDArray[np.float64]


def crossing(d: int, rng: np.random.Generator) -> list[Doubles]:
    """Flats of any direction in three dimensions more than they have."""
    parts = []
    for _ in range(N_FLATS):
        basis = np.linalg.qr(rng.standard_normal((d + 3, d)))[0]
        middle = rng.standard_normal(d + 3)
        coordinates = rng.uniform(-1, 1, (N_POINTS, d))
        parts.append(coordinates @ basis.T + FAR * middle / np.linalg.norm(middle))
    return parts


def parallel(d: int, rng: np.random.Generator) -> list[Doubles]:
    """Parallel flats in two dimensions more than they have, the corners of a triangle apart."""
    turn = np.linalg.qr(rng.standard_normal((d + 2, d + 2)))[0]
    away = rng.standard_normal(d + 2)
    parts = []
    for angle in 2 * np.pi * np.arange(N_FLATS) / N_FLATS:
        points = np.zeros((N_POINTS, d + 2))
        points[:, :d] = rng.uniform(-1, 1, (N_POINTS, d))
        points[:, d:] = np.cos(angle), np.sin(angle)
        parts.append(points @ turn.T + FAR * away / np.linalg.norm(away))
    return parts


SETS: dict[str, Callable[[int, np.random.Generator], list[Doubles]]] = {
    "parallel": parallel,
    "crossing": crossing,
}

# As in the paper: these are not the defaults.
PAPER = {"damping": 0.5, "n_components": None}
# What differs from the defaults; a function of the dimension of the flats, where it is the number of atoms.
METHODS: dict[str, tuple[str, Callable[[int], Row]]] = {
    "S3COMP": ("s3comp", lambda d: {"n_nonzero": d + 1, **PAPER}),
    "S3COMP-C": ("s3comp-c", lambda d: {"n_nonzero": d + 1, **PAPER}),
    "SSC-OMP": ("ssc-omp", lambda d: {"n_nonzero": d + 1}),
    "SSC": ("ensc", lambda _: {"tau": 1.0}),
    "LSR": ("lsr", lambda _: {}),
    "LSR, 8 neighbours": ("lsr", lambda _: {"n_neighbors": 8, "scale": "l2"}),
    "LRSC": ("lrsc", lambda _: {}),
    "ESC": ("esc", lambda _: {"n_exemplars": 30, "n_neighbors": 5}),
    "SR-SSC": ("sr-ssc", lambda _: {}),
    "SubspaceClustering": ("auto", lambda _: {}),
}


def key(kind: str, d: int, name: str, affine: bool, seed: int) -> str:
    """By which a run is found again."""
    return f"{kind} {d} {name} {affine} {seed}"


def stored() -> dict[str, Row]:
    """The runs that are there."""
    lines = RUNS.read_text(encoding="utf-8").splitlines() if RUNS.exists() else []
    return {row["key"]: row for row in map(json.loads, lines)}


def accuracy(kind: str, d: int, name: str, affine: bool, seed: int) -> float:
    """One fit, told the number of flats."""
    X = np.concatenate(SETS[kind](d, np.random.default_rng([seed, d])))
    method, settings = METHODS[name]
    lift = {} if method == "auto" else {"affine": affine}
    model = registry.get(method)(N_FLATS, **settings(d), **lift, random_state=seed)
    return clustering_accuracy(np.repeat(np.arange(N_FLATS), N_POINTS), model.fit(X).labels_)


def run(names: list[str], seeds: range) -> None:
    """What is not there yet."""
    known, origin = stored(), {"cpu": cpu_model(), "versions": versions()}
    with RUNS.open("a", encoding="utf-8") as file:
        for name in names:
            # The front door sees for itself.
            ways = (True,) if METHODS[name][0] == "auto" else (True, False)
            for case in (
                (kind, d, name, affine, seed)
                for kind in SETS for d in DIMENSIONS for affine in ways for seed in seeds
            ):  # fmt: skip
                if key(*case) not in known:
                    row = {"key": key(*case), "accuracy": accuracy(*case), **origin}
                    file.write(json.dumps(row) + "\n")
                    file.flush()


def table(rows: dict[str, Row], kind: str) -> Grid:
    """Mean accuracy in percent and the least of all seeds, with `affine` and without."""
    columns = ["method", "seeds"]
    columns += [f"{d}-flats{without}" for without in ("", ", linear") for d in DIMENSIONS]
    lines: list[list[str | int | float]] = []
    for name in METHODS:
        cells, counts = [], set()
        for affine in (True, False):
            for d in DIMENSIONS:
                found = [
                    100 * row["accuracy"]
                    for which, row in rows.items()
                    if which.startswith(f"{kind} {d} {name} {affine} ")
                ]
                counts.add(len(found))
                cells.append(f"{np.mean(found):.1f} ({min(found):.0f})" if found else "-")
        if cells[0] != "-":
            lines.append([name, max(counts), *cells])
    return Grid(columns, lines)


def tables() -> list[str]:
    """The tables of the page, one for each kind of data."""
    rows = stored()
    return [table(rows, kind).markdown() + "\n" for kind in SETS]


def main() -> None:
    """Run what is missing, and put the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    run(given.methods, range(given.seeds))
    put_tables(PAGE, tables())


if __name__ == "__main__":
    main()
