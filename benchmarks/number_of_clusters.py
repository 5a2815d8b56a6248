"""The tables of docs/results/number-of-clusters.md: how many clusters `SubspaceClustering` finds.

    python -m benchmarks.number_of_clusters [DATA] [--sets digits ...]

DATA is the folder of the data files. Every run is kept in docs/results/number-of-clusters.jsonl and is not
done again; the tables of the page are made from that file. Without DATA only drawn points are clustered.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.front_door import SETS, Loaded
from benchmarks.pages import RESULTS, Row, Runs, keep_run, put_tables, stored_runs
from subspan.datasets import make_union_of_subspaces, paper_features
from subspan.grids import Field, Grid
from subspan.handover import DataWarning
from subspan.tuning import estimate_n_clusters
from subspan.tuning.front_door import LARGEST_NUMBER, numbers_to_try

PAGE = RESULTS / "number-of-clusters.md"
RUNS = RESULTS / "number-of-clusters.jsonl"
N_UNIONS = 20
# Of noise, and of a single subspace.
N_WITHOUT = 5
AMBIENT = 30
MOST_NOISE = 0.05
MNIST = "MNIST, 10000 points"
# Numbers to try: for sets with more classes than are tried by default.
MANY = (2, 60)
RANGES = dict.fromkeys(("Extended Yale B", "COIL100, 40 objects", "ISOLET"), MANY)
SOURCES = {**SETS, MNIST: lambda folder: paper_features("mnist", n_per_class=1000, data_dir=folder)}


def union(seed: int) -> tuple[Loaded, Row]:
    """Random subspaces, and what was drawn: each number from 2 to 20 comes once, one of them twice."""
    rng = np.random.default_rng(seed)
    n_subspaces = 2 + seed % (LARGEST_NUMBER - 1)
    drawn = {
        "dimension": int(rng.integers(2, 7)),
        "n_per_subspace": int(rng.integers(30, 61)),
        "noise": round(float(rng.uniform(0, MOST_NOISE)), 4),
    }
    points = make_union_of_subspaces(
        n_subspaces,
        drawn["dimension"],
        AMBIENT,
        drawn["n_per_subspace"],
        noise=drawn["noise"],
        random_state=seed,
    )
    return points, drawn


def noise(seed: int) -> tuple[Loaded, Row]:
    """The same in all directions."""
    points = np.random.default_rng(seed).standard_normal((200, AMBIENT))
    return (points, np.zeros(len(points))), {}


def subspace(seed: int) -> tuple[Loaded, Row]:
    """One subspace of dimension 4."""
    return make_union_of_subspaces(1, 4, AMBIENT, 200, noise=MOST_NOISE, random_state=seed), {}


DRAWN = {"union": union, "noise": noise, "subspace": subspace}


def find_number(X: np.ndarray, seed: int, numbers: Any = "auto") -> Row:
    """The number of clusters, and what speaks for the best three."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = estimate_n_clusters(X, numbers, random_state=seed)
    return {
        "found": found.n_clusters,
        "rivals": list(found.rivals),
        "verdict": found.verdict,
        "best": [[each.n_clusters, each.evidence, each.agreement] for each in found.best],
        "by_chance": found.by_chance,
    }


def run(folder: Path | None, names: list[str]) -> None:
    """What is missing."""
    wanted = [("union", "", seed) for seed in range(N_UNIONS)]
    wanted += [(kind, "", seed) for kind in ("noise", "subspace") for seed in range(N_WITHOUT)]
    wanted += [("set", name, 0) for name in names] if folder is not None else []
    done = stored_runs(RUNS)
    for key in wanted:
        if key in done:
            continue
        kind, name, seed = key
        (X, y), drawn = (SOURCES[name](folder), {}) if kind == "set" else DRAWN[kind](seed)
        row = {"run": kind, "data": name, "seed": seed, "n_points": len(X), "n_clusters": len(np.unique(y))}
        row |= {**drawn, **find_number(X, seed, RANGES.get(name, "auto"))}
        keep_run(RUNS, row)
        print(f"{kind} {name}, seed {seed}: {row['n_clusters']} clusters. {row['verdict']}", flush=True)


def unions(runs: Runs) -> Grid:
    """Every union: what was drawn, and what was found."""
    columns = ["subspaces", "dimension", "points on each", "noise %", "found", "verdict", "best three"]
    rows = [row for (kind, *_), row in runs.items() if kind == "union"]
    rows.sort(key=lambda row: (row["n_clusters"], row["seed"]))
    return Grid(
        columns,
        [
            [
                *(row[name] for name in ("n_clusters", "dimension", "n_per_subspace")),
                f"{100 * row['noise']:.1f}",
                row["found"],
                row["verdict"],
                best(row),
            ]
            for row in rows
        ],
    )


def without(runs: Runs) -> Grid:
    """Data without clusters."""
    titles = {"noise": "isotropic noise", "subspace": "one subspace"}
    lines: list[list[Field]] = []
    for kind, title in titles.items():
        rows = [row for key, row in sorted(runs.items()) if key[0] == kind]
        right = sum(row["found"] == 1 for row in rows)
        lines.append([title, len(rows), right, "; ".join(best(row, 1) for row in rows)])
    return Grid(["data", "seeds", "no clusters found", "best number of each seed"], lines)


def data_sets(runs: Runs) -> Grid:
    """Numbers of classes of the data sets, and what was found."""
    columns = ["data set", "points", "classes", "tried", "found", "verdict", "best three"]
    rows = [(name, runs["set", name, 0]) for name in SOURCES if ("set", name, 0) in runs]
    return Grid(
        columns,
        [
            [
                name,
                *(row[each] for each in ("n_points", "n_clusters")),
                tried(name, row["n_points"]),
                *(row[each] for each in ("found", "verdict")),
                best(row),
            ]
            for name, row in rows
        ],
    )


def tried(name: str, n_points: int) -> str:
    """The numbers that were tried on a data set."""
    numbers = numbers_to_try(RANGES.get(name, "auto"), n_points)
    return f"{numbers[0]} to {numbers[-1]}"


def best(row: Row, most: int = 3) -> str:
    """The best numbers of a run, with evidence and agreement."""
    return ", ".join(f"{k} ({evidence:.2f}, {agreed:.2f})" for k, evidence, agreed in row["best"][:most])


def tables() -> list[str]:
    """The tables of the page, in its order."""
    runs = stored_runs(RUNS)
    return [grid.markdown() + "\n" for of in (unions, without, data_sets) if (grid := of(runs)).lines]


def main() -> None:
    """Run what is missing, and put the tables into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="folder of the data files")
    parser.add_argument("--sets", nargs="+", choices=SOURCES, default=["digits", MNIST], help="data sets")
    asked: Any = parser.parse_args()
    run(asked.data, asked.sets)
    put_tables(PAGE, tables())


if __name__ == "__main__":
    main()
