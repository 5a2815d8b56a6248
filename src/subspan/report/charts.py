"""The charts of the page: bars, lines and dots. Each takes numbers and gives an SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.report.axes import HEIGHT, WIDTH, Scale, drawing, frame, number
from subspan.report.colours import colour
from subspan.report.elements import Child, Element, h

# Of a cluster's number in a chart.
NUMBER_WIDTH, NUMBER_HEIGHT = 24, 16
# With fewer points than this the dots are larger.
FEW_POINTS = 500


@dataclass(frozen=True)
class About:
    """What a chart is called, what it says to those who do not see it, and what its axes count."""

    key: str
    title: str
    description: str
    x: str = ""
    y: str = ""

    def draw(self, *marks: Child, width: float = WIDTH, height: float = HEIGHT) -> Element:
        """The chart with these marks."""
        return drawing(self.key, self.title, self.description, *marks, width=width, height=height)


def bars(about: About, values: Sequence[float], tips: Sequence[str], low: float = 0.0) -> Element:
    """A bar for each cluster, in its colour."""
    n = len(values)
    place = frame((-0.5, n - 0.5), (low, max([*values, low + 1e-12]) * 1.05))
    wide = max(1.0, (place.x.stop - place.x.start) / n * 0.78)
    marks = [
        h(
            "rect",
            class_=f"bar {colour(cluster)}",
            x=round(place.x(cluster) - wide / 2, 1),
            y=place.y(value),
            width=round(wide, 1),
            # So that a bar of nothing can be seen and pointed at.
            height=max(1.0, round(place.y.start - place.y(value), 1)),
            data_tip=tip,
        )
        for cluster, (value, tip) in enumerate(zip(values, tips, strict=True))
    ]
    return about.draw(place.axes(about.x, about.y, _whole(place.x)), marks)


def _whole(scale: Scale) -> list[float]:
    return [tick for tick in scale.ticks() if tick == int(tick)]


def histogram(about: About, edges: NDArray[np.floating], counts: NDArray[np.integer]) -> Element:
    """Counts between edges."""
    place = frame((float(edges[0]), float(edges[-1])), (0.0, max(1.0, float(counts.max()) * 1.05)))
    marks = [
        h(
            "rect",
            class_="bar c0",
            x=place.x(low),
            y=place.y(count),
            width=round(max(0.5, place.x(high) - place.x(low) - 1), 1),
            height=round(place.y.start - place.y(count), 1),
            data_tip=f"{number(low)} to {number(high)}: {number(count)} rows",
        )
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        if count
    ]
    return about.draw(place.axes(about.x, about.y), marks)


@dataclass(frozen=True)
class DrawnCurve:
    """Values at 1, 2, 3, ... ; `colour` is a class of the style."""

    name: str
    values: Sequence[float]
    colour: str = "c0"


def curve_chart(about: About, drawn: Sequence[DrawnCurve], log: bool = False) -> Element:
    """One line for each curve."""
    longest = max(len(curve.values) for curve in drawn)
    every = [value for curve in drawn for value in curve.values if value > 0 or not log]
    low, high = min(every, default=0.5), max(every, default=1.0)
    # Lines need no zero to stand on; a little air above and below shows where they end.
    air = 1.3 if log else 0.06 * (high - low or 1.0)
    place = frame(
        (1.0 - 0.02 * longest, longest + 0.02 * longest),
        (low / air, high * air) if log else (low - air, high + air),
        log,
    )
    marks = [_line(place.x, place.y, curve, dots=len(drawn) == 1) for curve in drawn]
    return about.draw(place.axes(about.x, about.y, _whole(place.x)), marks)


def _line(x: Scale, y: Scale, curve: DrawnCurve, dots: bool) -> Element:
    points = [
        (x(place), y(value)) for place, value in enumerate(curve.values, 1) if value > 0 or not y.is_log
    ]
    marks = []
    if dots:
        marks = [
            h("circle", class_=f"dot {curve.colour}", cx=at[0], cy=at[1], r=3.5, data_tip=tip)
            for at, tip in zip(points, _tips(curve, y.is_log), strict=True)
        ]
    joined = " ".join(f"{across},{up}" for across, up in points)
    line = h("polyline", class_=f"line {curve.colour}", points=joined, data_tip=curve.name)
    return h("g", line, marks)


def _tips(curve: DrawnCurve, is_log: bool) -> Iterator[str]:
    for place, value in enumerate(curve.values, 1):
        if value > 0 or not is_log:
            yield f"{curve.name} {place}: {number(value, 4)}"


def scatter(about: About, points: NDArray[np.floating], labels: NDArray[np.integer]) -> Element:
    """Points in the colours of their clusters, whose numbers stand where they lie thickest."""
    side = HEIGHT + 100
    low, high = points.min(axis=0), points.max(axis=0)
    # A little air, and one length for both directions.
    margin = 0.04 * float((high - low).max() or 1.0)
    x = Scale(float(low[0]) - margin, float(high[0]) + margin, 8, WIDTH - 8)
    y = Scale(float(low[1]) - margin, float(high[1]) + margin, side - 8, 8)
    clusters = np.unique(labels)
    kind = "cloud few" if len(points) < FEW_POINTS else "cloud"
    drawn = [_cloud(x, y, points[labels == cluster], int(cluster), kind) for cluster in clusters.tolist()]
    middles = {
        cluster: np.median(points[labels == cluster], axis=0) for cluster in clusters.tolist() if cluster >= 0
    }
    return about.draw(drawn, _numbers(x, y, middles), height=side)


def _cloud(x: Scale, y: Scale, points: NDArray[np.floating], cluster: int, kind: str) -> Element:
    """All points of a cluster as one path of dots: a tenth of the size of as many circles."""
    path = "".join(f"M{x(across):g} {y(up):g}h0" for across, up in points.tolist())
    tip = f"Cluster {cluster}" if cluster >= 0 else "In no cluster"
    return h("path", class_=f"{kind} {colour(cluster)}", d=path, data_tip=tip, data_cluster=cluster)


def _numbers(x: Scale, y: Scale, middles: dict[int, NDArray[np.floating]]) -> list[Element]:
    """Numbers of clusters where they lie, except those that would cover another."""
    shown: list[tuple[float, float]] = []
    numbers = []
    for cluster, (across, up) in middles.items():
        place = x(float(across)), y(float(up))
        if all(
            abs(place[0] - left) > NUMBER_WIDTH or abs(place[1] - top) > NUMBER_HEIGHT for left, top in shown
        ):
            shown.append(place)
            numbers.append(h("text", cluster, class_="number middle", x=place[0], y=round(place[1] - 6, 1)))
    return numbers
