"""A chart with its heading, what to see in it, and its numbers."""

from __future__ import annotations

from subspan.report.elements import Child, Element, h


def figure(key: str, heading: str, chart: Element, caption: Child, numbers: Element | None = None) -> Element:
    """A card on the page; `numbers` is a table that can be opened."""
    table = None if numbers is None else h("details", h("summary", "The numbers"), numbers)
    return h(
        "figure",
        h("h3", heading, id=f"{key}-heading"),
        chart,
        h("figcaption", caption),
        table,
        class_="card",
        id=key,
    )


def absent(sentence: str) -> Element:
    """A line in place of a chart that these data do not have."""
    return h("p", sentence, class_="soft small")
