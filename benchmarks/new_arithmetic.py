"""The tables of docs/results/new-arithmetic.md: the same runs before and after the pursuit was rewritten.

python -m benchmarks.new_arithmetic

Nothing is measured here: the runs before are in docs/results/results.jsonl.xz, those after beside it.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from subspan.grids import Field, Grid
from subspan.reproduction.catalog import EXPERIMENTS
from subspan.reproduction.plan import ExperimentOptions
from subspan.reproduction.runs import Row, Run
from subspan.reproduction.summary import METRICS, Metric, Summary, over

RESULTS = Path(__file__).parents[1] / "docs" / "results"
PAGE = RESULTS / "new-arithmetic.md"
# Trials of everything that may have been run.
EVERYTHING = ExperimentOptions(trials=10)
FIGURES = (
    "fig-synthetic",
    "fig-delta-T",
    "fig-dropout",
    "fig-sre-dropout",
    "fig-eigenvalues",
    "fig-convergence",
    "fig-iterations",
)
ACCURACY = METRICS["accuracy"]
NMI = Metric("NMI %", lambda row: 100 * row["nmi"], 2)
SHOWN = (ACCURACY, NMI, METRICS["sre"], METRICS["connectivity_mean"])

LARGEST = "largest change of accuracy in one run"
SAME = "runs with the same accuracy, NMI and ARI"

Stored = Mapping[str, Row]


def stored(file: str) -> Stored:
    """Rows of a packed file of results, by key."""
    lines = lzma.decompress((RESULTS / file).read_bytes()).splitlines()
    return {row["key"]: row for row in map(json.loads, lines)}


def rows_of(runs: Iterable[Run], results: Stored) -> list[Row]:
    """Results of those runs that have one."""
    return [results[run.key] for run in runs if run.key in results]


def largest_change(
    runs: Iterable[Run], before: Stored, after: Stored, value: Callable[[Row], float]
) -> float:
    """Of a quantity, over the runs that were made twice."""
    twice = [run.key for run in runs if run.key in before and run.key in after]
    return max(abs(value(after[key]) - value(before[key])) for key in twice)


def same_labels(runs: Iterable[Run], before: Stored, after: Stored) -> int:
    """How many of the runs that were made twice agree in all measures of the labels."""
    twice = [(before[run.key], after[run.key]) for run in runs if run.key in before and run.key in after]
    return sum(all(old[name] == new[name] for name in ("accuracy", "nmi", "ari")) for old, new in twice)


def stands(before: Summary, after: Summary, digits: int) -> str:
    """Whether the mean after lies within the spread before, at the digits that are shown."""
    difference = round(after.mean, digits) - round(before.mean, digits)
    if before.deviation is None:
        return "one trial"
    # Deviations are rounded too, so that a reader finds what the columns say.
    return (
        "yes"
        if abs(difference) <= round(before.deviation, digits) + 1e-9
        else f"no: {difference:+.{digits}f}"
    )


def tables_again(before: Stored, after: Stored) -> Grid:
    """Every method and data set of the tables that was run again: all trials before, all trials after."""
    columns = ["data set", "method", "trials before", "after"]
    for metric in SHOWN:
        columns += [f"{metric.heading}, before", "after"]
    columns += ["accuracy within one sd", LARGEST, SAME]
    lines: list[list[Field]] = []
    for (dataset, method), runs in EXPERIMENTS["table-connectivity"].cells(EVERYTHING).items():
        old, new = rows_of(runs, before), rows_of(runs, after)
        if not new:
            continue
        line: list[Field] = [str(dataset), str(method).replace("SSCOMP", "SSC-OMP"), len(old), len(new)]
        for metric in SHOWN:
            line += [over(rows, metric.value).text(metric.digits) for rows in (old, new)]
        line.append(stands(over(old, ACCURACY.value), over(new, ACCURACY.value), ACCURACY.digits))
        line.append(f"{largest_change(runs, before, after, ACCURACY.value):.2f}")
        line.append(same_labels(runs, before, after))
        lines.append(line)
    return Grid(columns, lines)


def figures_again(before: Stored, after: Stored) -> Grid:
    """Every figure: means over the same runs before and after."""
    shown = (*SHOWN[:1], *SHOWN[2:])
    columns = ["figure", "method", "runs made again"]
    for metric in shown:
        columns += [f"{metric.heading}, before", "after"]
    columns += [LARGEST, SAME]
    lines: list[list[Field]] = []
    for name in FIGURES:
        for method, runs in by_method(name, after).items():
            line: list[Field] = [name, method, len(runs)]
            for metric in shown:
                means = [over(rows_of(runs, results), metric.value).mean for results in (before, after)]
                line += [f"{mean:.{metric.digits}f}" for mean in means]
            line.append(f"{largest_change(runs, before, after, ACCURACY.value):.2f}")
            line.append(same_labels(runs, before, after))
            lines.append(line)
    return Grid(columns, lines)


def by_method(name: str, after: Stored) -> dict[str, Sequence[Run]]:
    """Runs of a figure that were made again, each once."""
    found: dict[str, dict[Run, None]] = {}
    for runs in EXPERIMENTS[name].cells(EVERYTHING).values():
        for run in runs:
            if run.key in after:
                found.setdefault(run.method, {})[run] = None
    return {method: list(runs) for method, runs in found.items()}


def tables() -> list[str]:
    """The tables of the page, in its order."""
    before, after = stored("results.jsonl.xz"), stored("new-arithmetic.jsonl.xz")
    return [grid(before, after).markdown() + "\n" for grid in (tables_again, figures_again)]


def put_tables(page: Path, tables: Sequence[str]) -> None:
    """Put tables where a page has its tables."""
    text = page.read_text(encoding="utf-8")
    new = iter(tables)
    page.write_text(
        re.sub(r"(?:^\|.*\|\n)+", lambda _: next(new), text, flags=re.MULTILINE), encoding="utf-8"
    )


def main() -> None:
    """Make the tables of the page again."""
    put_tables(PAGE, tables())


if __name__ == "__main__":
    main()
