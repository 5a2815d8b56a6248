"""A comparison as a picture: how good or how much alike the methods are, and what they cost."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from subspan.comparison.running import Outcome, agreement
from subspan.plotting.style import COLOURS, STYLE, require_matplotlib

# Height of a method's line and of what is around them, and width of the whole, in inches.
LINE_INCHES, FRAME_INCHES, WIDTH_INCHES = 0.36, 1.1, 9.0
BAR_COLOUR, TIME_COLOUR = COLOURS[5], COLOURS[1]


@dataclass(frozen=True)
class Bars:
    """A bar for each method, with a standard deviation where there are several trials."""

    title: str
    names: list[str]
    values: list[float]
    deviations: list[float]


@dataclass(frozen=True)
class Matrix:
    """A square of numbers between 0 and 1."""

    title: str
    names: list[str]
    values: list[list[float]]


def picture_of(outcomes: Sequence[Outcome]) -> tuple[Bars | Matrix, Bars]:
    """The numbers to be drawn: accuracy, or agreement where no truth is known; and seconds."""
    present = [outcome for outcome in outcomes if outcome.trials]
    names = [outcome.name for outcome in present]
    if any(outcome.mean("accuracy") is not None for outcome in present):
        quality: Bars | Matrix = _bars("accuracy (%)", present, "accuracy", 100)
    else:
        alike = [[agreement(one, other) or 0.0 for other in present] for one in present]
        quality = Matrix("agreement of the labels (ARI)", names, alike)
    return quality, _bars("time of a fit (s)", present, "seconds", 1)


def _bars(title: str, outcomes: Sequence[Outcome], name: str, factor: float) -> Bars:
    means = [factor * (outcome.mean(name) or 0.0) for outcome in outcomes]
    deviations = [factor * (outcome.spread(name) or 0.0) for outcome in outcomes]
    return Bars(title, [outcome.name for outcome in outcomes], means, deviations)


def draw_comparison(outcomes: Sequence[Outcome], kind: str) -> bytes:
    """The picture as a file of `kind`, "svg" or "png"."""
    matplotlib = require_matplotlib()
    figures = require_matplotlib("matplotlib.figure")
    quality, seconds = picture_of(outcomes)
    content = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        # A matrix needs room for a number in each of its cells.
        line = 1.6 * LINE_INCHES if isinstance(quality, Matrix) else LINE_INCHES
        figure = figures.Figure(
            figsize=(WIDTH_INCHES, FRAME_INCHES + line * len(seconds.names)), layout="constrained"
        )
        left, right = figure.subplots(1, 2)
        if isinstance(quality, Matrix):
            _draw_matrix(left, quality)
        else:
            _draw_bars(left, quality, BAR_COLOUR)
        _draw_bars(right, seconds, TIME_COLOUR)
        # A date would make every file a new one.
        figure.savefig(content, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else {})
    return content.getvalue()


def _draw_bars(axes: Any, bars: Bars, colour: str) -> None:
    places = range(len(bars.names))
    axes.barh(places, bars.values, xerr=bars.deviations, height=0.6, color=colour, capsize=2)
    for place, value, deviation in zip(places, bars.values, bars.deviations, strict=True):
        axes.annotate(
            f"{value:.3g}",
            (value + deviation, place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.set_yticks(places, bars.names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.grid(visible=False, axis="y")
    axes.set_axisbelow(True)
    axes.set_title(bars.title)


def _draw_matrix(axes: Any, matrix: Matrix) -> None:
    axes.imshow(matrix.values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for row, values in enumerate(matrix.values):
        for column, value in enumerate(values):
            # Dark cells take light letters.
            colour = "white" if value > 0.6 else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(matrix.names)), matrix.names, rotation=30, ha="right")
    axes.set_yticks(range(len(matrix.names)), matrix.names)
    axes.grid(visible=False)
    axes.set_title(matrix.title)
