"""Mean and standard deviation over trials, and how they stand to a published number."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from subspan.reproduction.runs import Row


@dataclass(frozen=True)
class Summary:
    """A quantity over the trials."""

    mean: float
    # None for a single trial.
    deviation: float | None
    n_trials: int

    def text(self, digits: int) -> str:
        """Mean and deviation for a person.

        Examples
        --------
        >>> summarize([87.0, 88.0, 89.0]).text(2)
        '88.00 ± 1.00'
        """
        mean = f"{self.mean:.{digits}f}"
        return mean if self.deviation is None else f"{mean} ± {self.deviation:.{digits}f}"


@dataclass(frozen=True)
class Metric:
    """A column of the paper's tables."""

    heading: str
    # NaN where the method has no such thing.
    value: Callable[[Row], float]
    digits: int


def _within(row: Row, which: str) -> float:
    """Connectivity within the classes."""
    return float(row["connectivity"][which]) if row["connectivity"] else nan


# By their names in the published files.
METRICS = {
    "accuracy": Metric("acc %", lambda row: 100 * row["accuracy"], 2),
    "sre": Metric("sre %", lambda row: nan if row["sre"] is None else 100 * row["sre"], 2),
    "connectivity_min": Metric("min conn", lambda row: _within(row, "min"), 4),
    "connectivity_mean": Metric("mean conn", lambda row: _within(row, "mean"), 4),
    "seconds": Metric("t s", lambda row: row["seconds"], 2),
}


def summarize(values: Iterable[float]) -> Summary:
    """Mean and sample standard deviation.

    Examples
    --------
    >>> summarize([1.0, 3.0])
    Summary(mean=2.0, deviation=1.4142..., n_trials=2)
    """
    numbers = list(values)
    deviation = statistics.stdev(numbers) if len(numbers) > 1 else None
    return Summary(statistics.fmean(numbers), deviation, len(numbers))


def over(rows: Sequence[Row], value: Callable[[Row], Any]) -> Summary:
    """Summary of a quantity of the rows."""
    return summarize(float(value(row)) for row in rows)


def over_all(rows: Sequence[Row], value: Callable[[Row], float]) -> Summary | None:
    """The same, or None if there are no rows, or one of them lacks it."""
    return None if not rows or any(isnan(value(row)) for row in rows) else over(rows, value)


def comparison_verdict(ours: Summary, published: float) -> str:
    """Whether the mean reaches the published value, at the two decimals that the paper prints.

    Examples
    --------
    >>> comparison_verdict(Summary(87.41, 0.5, 10), 87.41), comparison_verdict(Summary(87.0, 0.5, 10), 87.41)
    ('reached', 'within one sd')
    >>> comparison_verdict(Summary(85.0, 0.5, 10), 87.41), comparison_verdict(Summary(87.0, None, 1), 87.41)
    ('below by 2.41', 'below by 0.41')
    """
    missing = round(published - round(ours.mean, 2), 2)
    if missing <= 0:
        return "reached"
    if ours.deviation is not None and missing <= ours.deviation:
        return "within one sd"
    return f"below by {missing:.2f}"
