"""Formulas as MathML, which browsers show by themselves: no script, no font, no network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def show(translator: Any, node: nodes.Element, *, as_block: bool) -> None:
    """Write one formula."""
    try:
        formula = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("%s: %s", error, node.astext(), location=node)
        formula = ""
    translator.body.append(f'<div class="formula">{formula}</div>' if as_block else formula)
    raise nodes.SkipNode


def show_inline(translator: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    show(translator, node, as_block=False)


def show_block(translator: Any, node: nodes.Element) -> None:
    """Write a formula on a line of its own."""
    show(translator, node, as_block=True)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
