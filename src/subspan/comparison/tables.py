"""A comparison as tables, and as JSON takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from subspan import __version__
from subspan.comparison.running import Outcome, Task, agreement, stability
from subspan.grids import Field, Grid

ABSENT = "-"


@dataclass(frozen=True)
class MethodColumn:
    """A number of each method: its heading, how it is got and written, and what it means."""

    heading: str
    text: Callable[[Outcome], str]
    meaning: str = ""
    # What is to be large, and stands out where it is largest: the name of the number.
    praised: str = ""


def _percent(name: str) -> Callable[[Outcome], str]:
    def text(outcome: Outcome) -> str:
        mean, spread = outcome.mean(name), outcome.spread(name)
        if mean is None:
            return ABSENT
        return f"{100 * mean:.1f}" + (f" ± {100 * spread:.1f}" if spread is not None else "")

    return text


def _number(name: str, pattern: str) -> Callable[[Outcome], str]:
    def text(outcome: Outcome) -> str:
        mean = outcome.mean(name)
        return ABSENT if mean is None else pattern.format(mean)

    return text


def _memory(outcome: Outcome) -> str:
    n_bytes = outcome.mean("memory")
    return ABSENT if n_bytes is None else f"{n_bytes / 1e9:.2f} GB"


def _written(value: float | None) -> str:
    return ABSENT if value is None else f"{value:.3f}"


COST = (
    MethodColumn("seconds", _number("seconds", "{:.2f}")),
    MethodColumn("memory", _memory, "the most that the program held during a fit, the data included"),
)
GRAPH = (
    MethodColumn(
        "gap",
        _number("gap", "{:.3f}"),
        "between the eigenvalue of the last cluster and the next; the wider, the clearer the clusters",
    ),
    MethodColumn("pieces", _number("components", "{:.0f}"), "connected components of the graph"),
)


def columns_for(task: Task, outcomes: Sequence[Outcome]) -> list[MethodColumn]:
    """What is shown: scores where the truth is known, and what can be said without it elsewhere."""
    if task.truth is not None:
        return [
            MethodColumn("accuracy %", _percent("accuracy"), praised="accuracy"),
            MethodColumn("NMI %", _percent("nmi"), praised="nmi"),
            MethodColumn("ARI %", _percent("ari"), praised="ari"),
            MethodColumn("sre %", _number_in_percent("sre"), "share of the coefficients on other classes"),
            MethodColumn(
                "conn", _number("connectivity", "{:.3f}"), "connectivity of the classes in the graph"
            ),
            *COST,
        ]
    columns = list(GRAPH)
    if len(outcomes) > 1:
        others = MethodColumn(
            "agreement", lambda one: _written(_with_others(one, outcomes)), "mean ARI with the other methods"
        )
        columns.append(others)
    if len(task.seeds) > 1:
        columns.append(
            MethodColumn("stability", lambda one: _written(stability(one)), "mean ARI between the trials")
        )
    return [*columns, *COST]


def _number_in_percent(name: str) -> Callable[[Outcome], str]:
    def text(outcome: Outcome) -> str:
        mean = outcome.mean(name)
        return ABSENT if mean is None else f"{100 * mean:.1f}"

    return text


def _with_others(outcome: Outcome, outcomes: Sequence[Outcome]) -> float | None:
    found = [agreement(outcome, other) for other in outcomes if other is not outcome]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def main_grid(task: Task, outcomes: Sequence[Outcome]) -> Grid:
    """A line for each row; that of one which failed at once has its sentence in the second field."""
    columns = columns_for(task, outcomes)
    lines: list[list[Field]] = []
    of_line: list[Outcome | None] = []
    for outcome in outcomes:
        if outcome.trials:
            lines.append([outcome.name, *(column.text(outcome) for column in columns)])
            of_line.append(outcome)
        if outcome.refusal:
            lines.append([outcome.name, outcome.refusal])
            of_line.append(None)
    best = frozenset(
        (line, place)
        for place, column in enumerate(columns, 1)
        if column.praised
        for line in _largest(of_line, column.praised)
    )
    return Grid(["method", *(column.heading for column in columns)], lines, best=best)


def _largest(outcomes: Sequence[Outcome | None], name: str) -> list[int]:
    """Places of the largest mean; none where all are alike or there is only one."""
    means = {place: one.mean(name) for place, one in enumerate(outcomes) if one is not None}
    known = {place: mean for place, mean in means.items() if mean is not None}
    if len(set(known.values())) < 2:
        return []
    return [place for place, mean in known.items() if mean == max(known.values())]


def agreement_grid(outcomes: Sequence[Outcome]) -> Grid:
    """Adjusted Rand index between the methods, of those that have labels."""
    present = [outcome for outcome in outcomes if outcome.trials]
    lines = [[one.name, *(_written(agreement(one, other)) for other in present)] for one in present]
    return Grid(["ARI", *(outcome.name for outcome in present)], lines)


def legend(task: Task, outcomes: Sequence[Outcome]) -> list[str]:
    """What the columns mean that do not say it themselves."""
    return [f"{column.heading}: {column.meaning}" for column in columns_for(task, outcomes) if column.meaning]


def numbers(outcomes: Sequence[Outcome]) -> Grid:
    """A line for each trial with all that was measured, and one for each refusal."""
    trials = [(outcome, trial) for outcome in outcomes for trial in outcome.trials]
    names = list(dict.fromkeys(name for _, trial in trials for name in trial.numbers))
    lines: list[list[Field]] = [
        [
            outcome.name,
            outcome.contestant.n_clusters,
            trial.seed,
            *(_blank(trial.numbers[name]) for name in names),
            "",
        ]
        for outcome, trial in trials
    ]
    refused = [outcome for outcome in outcomes if outcome.refusal]
    lines += [
        [each.name, each.contestant.n_clusters, "", *([""] * len(names)), each.refusal] for each in refused
    ]
    return Grid(["method", "n_clusters", "seed", *names, "error"], lines)


def labels_grid(outcomes: Sequence[Outcome]) -> Grid:
    """Labels of the first trial of each method, side by side."""
    present = [outcome for outcome in outcomes if outcome.trials]
    columns = [outcome.trials[0].labels.tolist() for outcome in present]
    lines = [[row, *labels] for row, labels in enumerate(zip(*columns, strict=True))]
    return Grid(["row", *(outcome.name for outcome in present)], lines)


def _blank(value: float | None) -> Field:
    return "" if value is None else value


def comparison_facts(task: Task, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Everything, as JSON takes it."""
    n_samples, n_features = task.source.shape
    return {
        "version": __version__,
        "data": task.source.name,
        "n_samples": n_samples,
        "n_features": n_features,
        "seeds": list(task.seeds),
        "methods": {outcome.name: _facts(outcome) for outcome in outcomes},
        "agreement": {
            one.name: {other.name: agreement(one, other) for other in outcomes if other.trials}
            for one in outcomes
            if one.trials
        },
    }


def _facts(outcome: Outcome) -> dict[str, Any]:
    names = list(outcome.trials[0].numbers) if outcome.trials else []
    return {
        "n_clusters": outcome.contestant.n_clusters,
        "parameters": dict(outcome.contestant.parameters),
        "mean": {name: outcome.mean(name) for name in names},
        "sd": {name: outcome.spread(name) for name in names},
        "stability": stability(outcome),
        "trials": [
            {"seed": trial.seed, **trial.numbers, "warnings": list(trial.remarks)} for trial in outcome.trials
        ],
        "error": outcome.refusal or None,
    }
