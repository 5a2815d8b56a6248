"""Scales, ticks and the frame of a chart, in SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from subspan.report.elements import Child, Element, h

# Narrow enough to be read on a phone without zooming in.
WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 14, 14, 48
# Steps that people count in.
STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` on the pixels from `start` to `stop`."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a number."""
        low, high, value = (self._even(number) for number in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.stop - self.start), 1)

    def _even(self, number: float) -> float:
        return math.log10(max(number, 1e-300)) if self.is_log else number

    def ticks(self) -> list[float]:
        """Round numbers in the range."""
        powers = _log_ticks(self.low, self.high) if self.is_log else []
        return powers if len(powers) > 1 else _ticks(self.low, self.high)


def _ticks(low: float, high: float, most: int = 6) -> list[float]:
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * step for step in STEPS if (high - low) / (power * step) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _log_ticks(low: float, high: float, most: int = 6) -> list[float]:
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    skip = max(1, -(-(last - first) // most))
    ticks = [10.0**power for power in range(first, last + 1, skip)]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def number(value: float, digits: int = 3) -> str:
    """A number as people write it: thousands apart, no more digits than mean something.

    Examples
    --------
    >>> number(1797), number(0.12345), number(1e-7), number(100000)
    ('1\u202f797', '0.123', '1e-07', '100\u202f000')
    """
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f") if abs(value) >= 1000 else str(int(value))
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.{digits}g}"


@dataclass(frozen=True)
class Frame:
    """The place of a chart's marks, between its two scales."""

    x: Scale
    y: Scale

    def axes(self, x_label: str, y_label: str, x_ticks: Sequence[float] | None = None) -> Iterator[Element]:
        """Grid lines with their numbers, and what the numbers are."""
        for tick in self.y.ticks():
            place = self.y(tick)
            yield h("line", class_="grid", x1=self.x.start, x2=self.x.stop, y1=place, y2=place)
            yield h("text", number(tick), class_="tick end", x=self.x.start - 6, y=place + 4)
        for tick in self.x.ticks() if x_ticks is None else x_ticks:
            yield h("text", number(tick), class_="tick middle", x=self.x(tick), y=self.y.start + 17)
        yield h("line", class_="axis", x1=self.x.start, x2=self.x.stop, y1=self.y.start, y2=self.y.start)
        middle_x, middle_y = (self.x.start + self.x.stop) / 2, (self.y.start + self.y.stop) / 2
        yield h("text", x_label, class_="label middle", x=middle_x, y=self.y.start + 38)
        yield h("text", y_label, class_="label middle", transform=f"translate(14 {middle_y}) rotate(-90)")


def frame(
    x: tuple[float, float], y: tuple[float, float], log_y: bool = False, height: float = HEIGHT
) -> Frame:
    """A frame of the usual size for numbers in these ranges."""
    return Frame(Scale(*x, LEFT, WIDTH - RIGHT), Scale(*y, height - BOTTOM, TOP, log_y))


def drawing(
    key: str, title: str, description: str, *marks: Child, width: float = WIDTH, height: float = HEIGHT
) -> Element:
    """An SVG that is read out as its title and description."""
    return h(
        "svg",
        h("title", title, id=f"{key}-title"),
        h("desc", description, id=f"{key}-desc"),
        marks,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
    )
