"""Every test that the page of promises names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "promises.md"
NAMED = re.findall(r"`([\w/]+\.py)::(test_\w+)`", PAGE.read_text(encoding="utf-8"))


def test_the_page_names_tests() -> None:
    rows = re.findall(r"^\| (?!promise|-)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(NAMED) >= len(rows) - 1 > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_promise_has_its_test(file: str, name: str) -> None:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
