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
        "Representatives are the rows with the strongest ties to the rest of the cluster. Misfits, framed, "
        "are the rows farthest from the subspace of the cluster. A cross marks rows of another class.",
        class_="soft",
    )
    tiles = pictures(material, (row for one in each for row in (*one.rows, *one.misfits)))
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
    return h(
        "article",
        heading,
        pairs(facts),
        h("h4", "Representatives"),
        _rows(material, one.rows, tiles),
        [h("h4", "Misfits"), _rows(material, one.misfits, tiles, "misfit")] if one.misfits else None,
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


def _rows(material: Material, rows: Sequence[int], tiles: dict[int, str], kind: str = "") -> Element:
    items = [_row(material, row, tiles.get(row), kind) for row in rows]
    return h("ul", items, class_="tiles" if tiles else "tiles words")


def _row(material: Material, row: int, tile: str | None, kind: str) -> Element:
    name = material.name_of_row(row)
    picture = None if tile is None else h("img", src=tile, alt=f"Picture of {short(name)}")
    wrong = None
    if material.wrong[row]:
        assert material.truth is not None
        wrong = h("span", "✕ ", name_of(material.truth[row]), class_="wrong")
    # Framed; and no class where there is none to be had.
    return h("li", picture, name_of(name), " " if wrong else None, wrong, class_=kind or None)
