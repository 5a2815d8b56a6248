"""What can be seen in the data without any clustering."""

from __future__ import annotations

from subspan.diagnosis import DataSign, diagnose
from subspan.report.elements import Element, h, with_options
from subspan.report.finding import SIGNS
from subspan.report.material import Material
from subspan.report.page import Section


def data_section(material: Material) -> Section | None:
    """A look at the rows; None if only a graph was given."""
    if material.source is None or material.estimator.affinity != "self_expressive":
        return None
    found = diagnose(material.source)
    introduction = h("p", "What the rows show before any clustering, as subspan look does.", class_="soft")
    # Copies are told once: where a fit has counted all of them, that is among the signs of the result.
    is_counted = "duplicate_rows" in material.estimator.counts_
    signs = [sign for sign in found.signs if not (sign.about_copies and is_counted)]
    items = h("ul", [_item(sign) for sign in signs], class_="notes card")
    return Section("data", "The data", [introduction, items])


def _item(sign: DataSign) -> Element:
    level = h("span", SIGNS[sign.level], ":", class_="level")
    remedy = h("p", h("strong", "What to do: "), with_options(sign.remedy)) if sign.remedy else None
    return h("li", level, " ", h("strong", sign.title), h("p", sign.text), remedy, class_=sign.level)
