"""From result rows to the curves of a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from subspan.reproduction.documents import Curve
from subspan.reproduction.plan import Results
from subspan.reproduction.runs import Row
from subspan.reproduction.summary import Summary, over, summarize


def curves(results: Results, value: Callable[[Row], float]) -> list[Curve]:
    """One curve for each first coordinate of the cells, over the second one."""
    groups: dict[str, list[tuple[float, Summary]]] = {}
    for (label, x), rows in results.items():
        groups.setdefault(str(label), []).append((float(x), over(rows, value)))
    return [_curve(label, points) for label, points in groups.items()]


def profile(
    label: str, rows: Sequence[Row], values: Callable[[Row], Sequence[float]], first: int = 1
) -> Curve:
    """A curve over the positions in a list that every row has, as far as all lists reach."""
    columns = zip(*(values(row) for row in rows), strict=False)
    points = [(float(x), summarize(column)) for x, column in enumerate(columns, start=first)]
    return _curve(label, points)


def _curve(label: str, points: Sequence[tuple[float, Summary]]) -> Curve:
    deviations = [summary.deviation for _, summary in points if summary.deviation is not None]
    return Curve(
        label,
        [x for x, _ in points],
        [summary.mean for _, summary in points],
        deviations if len(deviations) == len(points) else (),
    )
