"""A name of the package means one thing: no two modules define it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import subspan

SOURCES = Path(subspan.__file__).parent
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Classes and functions of a module, also those behind a condition."""
    for statement in body:
        if isinstance(statement, Definition):
            yield statement
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from definitions(
                [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt)]
            )


def modules_by_name() -> dict[str, set[str]]:
    """Where each public class or function is defined."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES.rglob("*.py"):
        for definition in definitions(ast.parse(path.read_text(encoding="utf-8")).body):
            if not definition.name.startswith("_"):
                found[definition.name].add(path.relative_to(SOURCES).as_posix())
    return found


def test_no_two_modules_define_the_same_public_name():
    doubles = {name: sorted(modules) for name, modules in modules_by_name().items() if len(modules) > 1}
    assert doubles == {}


def test_definitions_behind_a_condition_are_seen():
    tree = ast.parse("if True:\n    def one(): ...\nelse:\n    class Two: ...\n\ndef three(): ...\n")
    assert [each.name for each in definitions(tree.body)] == ["one", "Two", "three"]
