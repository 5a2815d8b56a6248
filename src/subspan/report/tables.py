"""Tables and lists of the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from subspan.report.axes import number
from subspan.report.elements import Child, Element, h


@dataclass(frozen=True)
class Column:
    """A column of numbers, or of words where `is_text`."""

    title: str
    is_text: bool = False


@dataclass(frozen=True)
class Cell:
    """What is shown, and the number that it is sorted by."""

    shown: Child
    value: float | None = None


# One for each column; what needs no number to be sorted by may stand as it is.
TableRow = list[Cell | Child]


def cell(value: float, text: str | None = None) -> Cell:
    """A number, shown as `text` if given; a dash stands for one that is not known."""
    if math.isnan(value):
        return Cell("\N{EN DASH}", value)
    return Cell(number(value) if text is None else text, value)


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[TableRow],
    *,
    sortable: bool = False,
    tall: bool = False,
    attributes: Iterable[Mapping[str, object]] = (),
) -> Element:
    """A table in a frame that scrolls where the screen is narrow; the first cell of a row is its heading."""
    marks = [*attributes]
    head = [
        h(
            "th",
            column.title,
            scope="col",
            class_="text" if column.is_text else None,
            data_first=_first(column),
        )
        for column in columns
    ]
    body = [
        h("tr", _cells(columns, row), **(marks[place] if marks else {})) for place, row in enumerate(rows)
    ]
    content = [h("caption", h("span", caption)), h("thead", h("tr", head)), h("tbody", body)]
    framed = h("table", content, class_="sortable" if sortable else None)
    return scroll(caption, framed, tall)


def scroll(label: str, content: Element, tall: bool = False) -> Element:
    """A frame that scrolls, also with the keyboard."""
    return h(
        "div",
        content,
        class_="scroll tall" if tall else "scroll",
        role="region",
        aria_label=label,
        tabindex=0,
    )


def _first(column: Column) -> str | None:
    # Words are looked up from A on, numbers from the largest down.
    return "up" if column.is_text else None


def _cells(columns: Sequence[Column], row: TableRow) -> list[Element]:
    cells = []
    for place, (column, content) in enumerate(zip(columns, row, strict=True)):
        known = content if isinstance(content, Cell) else Cell(content)
        tag, scope = ("th", "row") if place == 0 else ("td", None)
        cells.append(
            h(
                tag,
                known.shown,
                scope=scope,
                class_="text" if column.is_text else None,
                data_value=known.value,
            )
        )
    return cells


def pairs(items: Iterable[tuple[str, Child]], class_: str = "pairs", grouped: bool = False) -> Element:
    """Names and what they stand for."""
    entries = [[h("dt", name), h("dd", content)] for name, content in items]
    return h("dl", [h("div", entry) for entry in entries] if grouped else entries, class_=class_)


def percent(share: float) -> str:
    r"""A share of the whole as people write it.

    Examples
    --------
    >>> percent(0.12345), percent(1.0), percent(0.0004)
    ('12.3\xa0%', '100\xa0%', '0.04\xa0%')
    """
    shown = f"{100 * share:.1f}" if share >= 0.001 or share == 0 else f"{100 * share:.2g}"
    return f"{shown.removesuffix('.0')}\u00a0%"
