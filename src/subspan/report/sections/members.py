"""Each cluster with the rows that stand for it."""

from __future__ import annotations

from collections.abc import Sequence

from subspan.report.axes import number
from subspan.report.elements import Child, Element, h, name_of, short
from subspan.report.material import Material
from subspan.report.members import Member
from subspan.report.page import Section
from subspan.report.pictures import pictures
from subspan.report.sections.clusters import swatch
from subspan.report.tables import pairs, percent


def members_section(material: Material, each: Sequence[Member]) -> Section:
    """A card for each cluster."""
    introduction = h(
        "p",
        "The rows shown for a cluster are those with the strongest ties to the rest of it.",
        class_="soft",
    )
    tiles = pictures(material)
    cards = [_card(material, one, tiles) for one in each]
    return Section("members", "Cluster by cluster", [introduction, h("div", cards, class_="clusters")])


def _card(material: Material, one: Member, tiles: dict[int, str]) -> Element:
    facts: list[tuple[str, Child]] = [("Rows", f"{number(one.size)} ({percent(one.share)})")]
    if one.main_class is not None:
        facts.append(("Main class", [name_of(one.main_class), f" ({percent(one.purity)})"]))
    facts += [(name.capitalize(), measure.shown) for name, measure in one.measures.items()]
    if one.neighbour is not None:
        facts.append(("Closest to", _neighbour(one)))
    if one.columns:
        facts.append(("Main columns", _columns(one)))
    heading = h("h3", swatch(one.cluster), f"Cluster {one.cluster}", id=f"cluster-{one.cluster}-heading")
    rows = [_representative(material, row, tiles.get(row)) for row in one.rows]
    return h(
        "article",
        heading,
        pairs(facts),
        h("h4", "Representatives"),
        h("ul", rows, class_="tiles" if tiles else "tiles words"),
        class_="card",
        id=f"cluster-{one.cluster}",
        aria_labelledby=f"cluster-{one.cluster}-heading",
    )


def _neighbour(one: Member) -> Child:
    assert one.neighbour is not None
    other, share = one.neighbour
    return [h("a", f"cluster {other}", href=f"#cluster-{other}"), f" ({percent(share)} of its weight)"]


def _columns(one: Member) -> Child:
    return [
        [", " if place else None, name_of(name), f" ({percent(share)})"]
        for place, (name, share) in enumerate(one.columns)
    ]


def _representative(material: Material, row: int, tile: str | None) -> Element:
    name = material.name_of_row(row)
    if tile is None:
        return h("li", name_of(name))
    return h("li", h("img", src=tile, alt=f"Picture of {short(name)}"), name_of(name))
