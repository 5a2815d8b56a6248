"""The result in words, its most important figures, and what to look at."""

from __future__ import annotations

from collections.abc import Sequence

from subspan.report.axes import number
from subspan.report.elements import Child, Element, h
from subspan.report.finding import SIGNS, Finding
from subspan.report.material import Material
from subspan.report.page import Section
from subspan.report.tables import pairs, percent
from subspan.report.verdict import level_of, verdict


def summary_section(material: Material, found: Sequence[Finding]) -> Section:
    """The verdict and a few large numbers."""
    level = level_of(material)
    words = h("p", h("span", SIGNS[level], class_="level"), ". ", verdict(material, found))
    card = h("div", h("div", words, class_=level), class_=f"card verdict {level}")
    return Section("summary", "Summary", [card, pairs(_figures(material), "figures", grouped=True)])


def _figures(material: Material) -> list[tuple[str, Child]]:
    figures: list[tuple[str, Child]] = [
        ("Rows", number(len(material.labels))),
        ("Clusters", number(len(material.sizes))),
    ]
    if material.confusion is not None:
        figures.append(("Accuracy", percent(material.confusion.accuracy)))
    if material.affinity is not None:
        figures.append(("Weight inside clusters", percent(material.affinity.inside_total)))
    figures.append(("Pieces of the graph", number(material.estimator.counts_["components"])))
    figures.append(("Time", f"{number(sum(material.estimator.stage_seconds_.values()))} s"))
    return figures


def findings_section(found: Sequence[Finding]) -> Section:
    """Each sign with what it means."""
    order = ("doubt", "look", "good", "note")
    items = [_finding(finding) for level in order for finding in found if finding.level == level]
    introduction = h(
        "p",
        "Signs that the graph and the representation give, and what they mean for the result.",
        class_="soft",
    )
    return Section("findings", "What the numbers say", [introduction, h("ul", items, class_="notes card")])


def _finding(finding: Finding) -> Element:
    sign = h("span", SIGNS[finding.level], ":", class_="level")
    return h(
        "li",
        sign,
        " ",
        h("strong", finding.title),
        h("p", finding.text),
        _remedy(finding),
        class_=finding.level,
    )


def _remedy(finding: Finding) -> Element | None:
    """What may be done, and where there is more about it."""
    if finding.level not in ("look", "doubt"):
        return None
    more = h("a", "The result is poor: what now?", href="#poor")
    return h("p", [h("strong", "What to do: "), finding.remedy, " "] if finding.remedy else None, more)
