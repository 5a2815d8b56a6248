"""The paper's tables: all methods on a data set, published and ours side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

from subspan.grids import Field, Grid
from subspan.reproduction.documents import Table
from subspan.reproduction.notes import OUTER, TIME, TUNING, remarks
from subspan.reproduction.plan import Cells, Coordinates, Experiment, Results, Scope, filled, trials
from subspan.reproduction.published import Published, published
from subspan.reproduction.runs import Row, Run
from subspan.reproduction.settings import METHOD_OF_COLUMN, N_SUBPROBLEMS, REAL, Setting
from subspan.reproduction.summary import METRICS, Summary, comparison_verdict, over, over_all
from subspan.reproduction.tuned import TUNED

PERFORMANCE = ("accuracy", "sre", "connectivity_mean", "seconds")
# What stands behind a metric besides the published value and ours.
MORE_COLUMNS = {"accuracy": ["difference", "verdict"], "seconds": []}
STAGES = ("representation", "affinity", "embedding", "labeling")


@dataclass(frozen=True)
class Comparison:
    """One published number and ours, if the method was run."""

    dataset: str
    method: str
    metric: str
    # As printed, and as a number if it is one.
    printed: str
    published: float | None
    ours: Summary | None
    was_run: bool

    def difference(self, scope: Scope) -> float | None:
        """Ours minus the published one; times of different machines and parts of the data have none."""
        if self.ours is None or self.published is None or self.metric == "seconds" or scope.quick:
            return None
        return self.ours.mean - self.published

    def verdict(self, scope: Scope) -> str:
        """For accuracy, how ours stands to the published one."""
        # Parts of the data have nothing to reach.
        if self.ours is None or self.published is None or self.metric != "accuracy" or scope.quick:
            return ""
        return comparison_verdict(self.ours, self.published)


def comparison_table(
    name: str, title: str, datasets: Sequence[str], metrics: Sequence[str] = PERFORMANCE
) -> Experiment:
    """The experiment behind a table: every method of the published table on every data set of it."""
    return Experiment(
        name, title, partial(_cells, name, datasets), partial(_show, name, title, datasets, metrics)
    )


def _cells(name: str, datasets: Sequence[str], scope: Scope) -> Cells:
    table = published(name)
    cells: dict[Coordinates, Sequence[Run]] = {
        (dataset, method): trials(METHOD_OF_COLUMN[method], REAL[dataset], scope)
        for dataset in datasets
        for method in table.methods(dataset)
    }
    return filled(cells)


def _show(
    name: str,
    title: str,
    datasets: Sequence[str],
    metrics: Sequence[str],
    results: Results,
    scope: Scope,
) -> Table:
    comparisons = compare_with_paper(published(name), datasets, metrics, results)
    grids = [grid for dataset in datasets for grid in _grids(dataset, metrics, comparisons, results, scope)]
    settings = [REAL[dataset] for dataset in datasets]
    notes = [*([TIME] if "seconds" in metrics else []), OUTER, *remarks(results, settings, scope)]
    tuned = _tuned_parameters(settings, scope)
    grids += [_settings(settings), *([tuned] if tuned.lines else [])]
    notes += [TUNING] if tuned.lines else []
    return Table(name, title, _numbers(comparisons, scope), grids, notes)


def compare_with_paper(
    table: Published, datasets: Sequence[str], metrics: Sequence[str], results: Results
) -> list[Comparison]:
    """Every cell of the published table beside ours."""
    return [
        Comparison(
            dataset,
            method,
            metric,
            table.text(method, dataset, metric),
            table.number(method, dataset, metric),
            over_all(rows, METRICS[metric].value),
            bool(rows),
        )
        for dataset in datasets
        for method in table.methods(dataset)
        for rows in [results.get((dataset, method), ())]
        for metric in metrics
    ]


def _numbers(comparisons: Iterable[Comparison], scope: Scope) -> Grid:
    columns = ["dataset", "method", "metric", "published", "mean", "sd", "trials", "difference", "verdict"]
    return Grid(columns, [_line(comparison, scope) for comparison in comparisons])


def _line(comparison: Comparison, scope: Scope) -> list[Field]:
    ours = comparison.ours
    digits = METRICS[comparison.metric].digits + 2
    numbers: list[float | None] = [None] * 4
    if ours is not None:
        numbers = [ours.mean, ours.deviation, ours.n_trials, comparison.difference(scope)]
    return [
        comparison.dataset,
        comparison.method,
        comparison.metric,
        comparison.printed,
        *("" if number is None else round(number, digits) for number in numbers),
        comparison.verdict(scope) if comparison.was_run else "not run",
    ]


def _grids(
    dataset: str,
    metrics: Sequence[str],
    comparisons: list[Comparison],
    results: Results,
    scope: Scope,
) -> list[Grid]:
    """What a person reads about one data set."""
    columns = ["method"]
    for metric in metrics:
        heading = METRICS[metric].heading
        columns += [f"{heading}, paper", f"{heading}, ours", *MORE_COLUMNS.get(metric, ["difference"])]
    by_method: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        if comparison.dataset == dataset:
            by_method.setdefault(comparison.method, []).append(comparison)
    lines = [
        [method, *(text for comparison in of_method for text in _texts(comparison, scope))]
        for method, of_method in by_method.items()
    ]
    efforts = [
        _effort(method, rows) for method in by_method for rows in [results.get((dataset, method))] if rows
    ]
    grids = [Grid(columns, lines, dataset)]
    if efforts and "seconds" in metrics:
        grids.append(Grid(EFFORT, efforts, f"{dataset}: more about our runs"))
    return grids


def _texts(comparison: Comparison, scope: Scope) -> list[str]:
    digits = METRICS[comparison.metric].digits
    texts = {
        "difference": _signed(comparison.difference(scope), digits),
        "verdict": comparison.verdict(scope),
    }
    missing = "-" if comparison.was_run else "not run"
    ours = missing if comparison.ours is None else comparison.ours.text(digits)
    more = MORE_COLUMNS.get(comparison.metric, ["difference"])
    return [comparison.printed, ours, *(texts[column] for column in more)]


def _signed(number: float | None, digits: int) -> str:
    # Adding zero turns a rounded -0.0 into 0.0.
    return "" if number is None else f"{round(number, digits) + 0.0:+.{digits}f}"


EFFORT = ["method", "trials", "NMI %", "ARI %", "min conn", "eigenvectors", "support", "outer iterations"]
EFFORT += [f"{stage} s" for stage in STAGES] + ["peak memory GB"]


def _effort(method: str, rows: Sequence[Row]) -> list[Field]:
    """What else is known about the runs of a method: quality by other measures, time by stage, memory."""
    weakest = over_all(rows, METRICS["connectivity_min"].value)
    # Methods without coefficients have none to count.
    support = over_all(rows, lambda row: nan if row["support_size"] is None else row["support_size"])
    peaks = [row["peak_memory_bytes"] for row in rows if row["peak_memory_bytes"] is not None]
    return [
        method,
        len(rows),
        over(rows, lambda row: 100 * row["nmi"]).text(2),
        over(rows, lambda row: 100 * row["ari"]).text(2),
        weakest.text(4) if weakest else "-",
        f"{over(rows, lambda row: row['n_components']).mean:g}",
        support.text(1) if support else "-",
        f"{over(rows, lambda row: row['n_iter']).mean:g}",
        *(f"{_stage(rows, stage):.2f}" for stage in STAGES),
        f"{max(peaks) / 1e9:.2f}" if peaks else "",
    ]


def _stage(rows: Sequence[Row], stage: str) -> float:
    return over(rows, lambda row: row["stage_seconds"].get(stage, 0.0)).mean


def _settings(settings: Sequence[Setting]) -> Grid:
    columns = ["data set", "s", "atoms of S3COMP", "T", "λ", "δ", "outer iterations", "all methods"]
    lines: list[list[Field]] = [
        [
            setting.title,
            setting.sparsity,
            setting.atoms,
            N_SUBPROBLEMS,
            setting.damping,
            setting.dropout,
            setting.outer,
            ", ".join(f"{name}={value}" for name, value in setting.common.items()),
        ]
        for setting in settings
    ]
    return Grid(columns, lines, "Settings")


def _tuned_parameters(settings: Sequence[Setting], scope: Scope) -> Grid:
    lines: list[list[Field]] = [
        [name, setting.title, ", ".join(f"{key}={value}" for key, value in parameters.items())]
        for setting in settings
        for name, method in METHOD_OF_COLUMN.items()
        if method in scope.methods
        for parameters in [TUNED.get(method, {}).get(setting.title)]
        if parameters is not None
    ]
    return Grid(["method", "data set", "parameters"], lines, "Parameters tuned with the labels")


TABLES = (
    comparison_table("table-eyaleb", "All methods on Extended Yale B", ["EYaleB"]),
    comparison_table("table-coil100", "All methods on COIL100", ["COIL100"]),
    comparison_table("table-mnist", "All methods on MNIST4000 and MNIST10000", ["MNIST4000", "MNIST10000"]),
    comparison_table("table-mnist70000", "All methods on MNIST70000", ["MNIST70000"]),
    comparison_table("table-gtsrb", "All methods on GTSRB", ["GTSRB"]),
    comparison_table(
        "table-connectivity",
        "Connectivity of the affinity graphs on all real data sets",
        list(REAL),
        ["connectivity_min", "connectivity_mean"],
    ),
)
