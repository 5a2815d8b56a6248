"""HTML and SVG as a tree of elements, in which all text is escaped: nothing in the data can become markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Elements without an end tag, and elements whose text is not markup.
VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})
RAW = frozenset({"script", "style"})
# Neither HTML nor XML has a place for control characters, and UTF-8 none for half a surrogate pair.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Marks that turn the direction of everything after them, and breaks of lines that only some programs see.
TURNING = re.compile("[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
ATTRIBUTE = re.compile(r"[A-Za-z][\w:.-]*")
OPTION = re.compile("(--[a-z][a-z-]*)")
# Names in the data may be of any length.
LONGEST_NAME = 80


@dataclass(frozen=True)
class Element:
    """A tag with its attributes and what is in it."""

    tag: str
    attributes: dict[str, str]
    children: tuple[Node, ...]

    def __str__(self) -> str:
        return "".join(_pieces(self))


Node = Element | str
# What callers may write as a child: None and False are left out, lists are opened up.
Child = Node | int | None | Iterable["Child"]


def h(tag: str, *children: Child, **attributes: object) -> Element:
    """An element; an attribute that is None or False is left out, one that is True has no value.

    Names that Python keeps for itself end in an underscore, and underscores inside become hyphens.

    Examples
    --------
    >>> print(h("p", "1 < 2", class_="small", aria_label='"quoted"', hidden=False))
    <p class="small" aria-label="&quot;quoted&quot;">1 &lt; 2</p>
    >>> print(h("ul", [h("li", word) for word in ("<b>", "&")], None))
    <ul><li>&lt;b&gt;</li><li>&amp;</li></ul>
    """
    named = {
        _attribute(name): "" if value is True else str(value)
        for name, value in attributes.items()
        if value is not None and value is not False
    }
    return Element(tag, named, tuple(_flat(children)))


def name_of(text: object) -> Element:
    """A name from the data, shortened, and kept from turning the direction of the text around it.

    Examples
    --------
    >>> print(name_of("<i>"))
    <bdi>&lt;i&gt;</bdi>
    """
    return h("bdi", short(text))


def short(text: object, longest: int = LONGEST_NAME) -> str:
    """A name from the data, on one line and not too long.

    Examples
    --------
    >>> short("a" * 1000, longest=5)
    'aaaa…'
    """
    # Cut before the search for blanks: a name may be a megabyte long.
    words = " ".join(upright(str(text)[: 4 * longest]).split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def with_options(text: str) -> list[Node]:
    """Words of ours, in which no option of the command line is broken at its hyphens.

    Examples
    --------
    >>> print(*with_options("Add --center."))
    Add  <span class="option">--center</span> .
    """
    return [
        h("span", part, class_="option") if part.startswith("--") else part for part in OPTION.split(text)
    ]


def upright(text: str) -> str:
    """Text without marks that turn the direction of reading."""
    return TURNING.sub("�", text)


def _attribute(name: str) -> str:
    written = name.rstrip("_").replace("_", "-")
    assert ATTRIBUTE.fullmatch(written), written
    return written


def _flat(children: Iterable[Child]) -> Iterator[Node]:
    for child in children:
        if isinstance(child, (str, Element)):
            yield child
        elif isinstance(child, Iterable):
            yield from _flat(child)
        elif child is not None and child is not False:
            yield str(child)


def _pieces(node: Node) -> Iterator[str]:
    if isinstance(node, str):
        yield html.escape(clean(node), quote=False)
        return
    attributes = "".join(f' {name}="{html.escape(clean(value))}"' for name, value in node.attributes.items())
    yield f"<{node.tag}{attributes}>"
    if node.tag in RAW:
        yield from (_raw(child) for child in node.children)
    else:
        for child in node.children:
            yield from _pieces(child)
    if node.tag not in VOID:
        yield f"</{node.tag}>"


def _raw(text: Node) -> str:
    """Our own script and style: text from the data has no business there."""
    assert isinstance(text, str)
    assert "</" not in text
    assert "<!--" not in text
    return text


def clean(text: str) -> str:
    """Text that any file and any browser can hold."""
    return UNPRINTABLE.sub("�", text)
