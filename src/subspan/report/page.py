"""The page around the sections: head, content policy, navigation."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from subspan.report.colours import colour_style
from subspan.report.elements import Child, Element, h

LANGUAGE = "en"


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own."""

    key: str
    title: str
    content: Child

    def element(self) -> Element:
        """The section, named by its heading."""
        heading = h("h2", self.title, id=f"{self.key}-heading")
        return h("section", heading, self.content, id=self.key, aria_labelledby=f"{self.key}-heading")


def page(title: Child, plain_title: str, lead: Child, sections: Sequence[Section], end: Child) -> str:
    """The whole file."""
    style, script = colour_style() + _own("page.css"), _own("page.js")
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("meta", name="color-scheme", content="light dark"),
        h("meta", name="generator", content="subspan"),
        h("title", plain_title),
        h("style", style),
    )
    body = h(
        "body",
        h("a", "Skip to the content", class_="skip", href="#content"),
        h("header", h("h1", title), lead, _theme_button(), _navigation(sections)),
        h("main", [section.element() for section in sections], id="content", tabindex=-1),
        h("footer", end),
        h("script", script),
    )
    return f"<!DOCTYPE html>\n{h('html', head, body, lang=LANGUAGE)}\n"


def _theme_button() -> Element:
    # Of no use until the script has found it.
    return h("button", "Dark page", id="theme", type="button", hidden=True)


def _navigation(sections: Sequence[Section]) -> Element:
    links = [h("li", h("a", section.title, href=f"#{section.key}")) for section in sections]
    return h("nav", h("ul", links), aria_label="Sections")


def _own(name: str) -> str:
    return resources.files("subspan.report").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing from elsewhere; one style and one script, known by their hashes; pictures in the page."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
