"""A matrix as a picture, in shades of one colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.report.axes import BOTTOM, LEFT, TOP, WIDTH
from subspan.report.charts import About
from subspan.report.elements import Element, h
from subspan.report.png import shade_uri

# Dark enough on white, light enough on black.
SHADE = (46, 124, 214)
# More lines than this would be most of what is seen.
MOST_LINES = 60
LINE_HEIGHT = 16
# Width of a letter of a name, at most on average, and of the label beside the names.
LETTER, LABEL = 7.5, 32


def grid(
    about: About,
    shares: NDArray[np.floating],
    bounds: Sequence[float] = (),
    names: Sequence[tuple[float, str]] = (),
) -> Element:
    """A matrix of numbers from 0 to 1 as shades; lines at `bounds` and names along the side, in cells."""
    left = max(LEFT, round(LABEL + LETTER * max((len(text) for _, text in names), default=0)))
    side = WIDTH - left - 8
    cell = side / shares.shape[1]
    box = Box(left, TOP, side, round(shares.shape[0] * cell, 1))
    shades = np.rint(255 * np.clip(shares, 0, 1)).astype(np.uint8)
    picture = h(
        "image", href=shade_uri(shades, SHADE), class_="pixels", preserveAspectRatio="none", **asdict(box)
    )
    return about.draw(
        picture,
        _lines(box, [place * cell for place in bounds]),
        h("rect", class_="edge", **asdict(box)),
        _names(box, [(place * cell, text) for place, text in names]),
        _labels(box, about),
        height=TOP + box.height + BOTTOM - 16,
    )


@dataclass(frozen=True)
class Box:
    """The place of the picture."""

    x: float
    y: float
    width: float
    height: float


def _lines(box: Box, places: Sequence[float]) -> list[Element]:
    """Across and down; left out where they would hide what they part."""
    if len(places) > MOST_LINES:
        return []
    kind = "bound" if len(places) < MOST_LINES / 3 else "bound faint"
    across = [round(box.y + place, 1) for place in places]
    down = [round(box.x + place, 1) for place in places]
    return [
        *(h("line", class_=kind, x1=box.x, x2=box.x + box.width, y1=y, y2=y) for y in across),
        *(h("line", class_=kind, x1=x, x2=x, y1=box.y, y2=box.y + box.height) for x in down),
    ]


def _names(box: Box, places: Sequence[tuple[float, str]]) -> list[Element]:
    """Those that do not touch the one before."""
    shown, last = [], -float("inf")
    for place, text in places:
        if place - last >= LINE_HEIGHT:
            shown.append(h("text", text, class_="tick end", x=box.x - 6, y=round(box.y + place + 4, 1)))
            last = place
    return shown


def _labels(box: Box, about: About) -> list[Element]:
    middle = f"translate(14 {round(box.y + box.height / 2, 1)}) rotate(-90)"
    below = {"x": box.x + box.width / 2, "y": round(box.y + box.height + 22, 1)}
    return [
        h("text", about.x, class_="label middle", **below),
        h("text", about.y, class_="label middle", transform=middle),
    ]
