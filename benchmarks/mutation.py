"""Mutation testing: one small change of the code at a time; a test must fail, or nothing holds that line.

python -m benchmarks.mutation               all targets
python -m benchmarks.mutation metrics 40    one of them, and 40 of its mutants drawn at random

The kernels run uncompiled. Each mutant has a process of its own, forked from one that has the libraries.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[1] / "src"
METRICS = ("accuracy", "checks", "connectivity", "representation", "scores")
HEADER = {"names_columns", "is_number", "_layout", "_delimiter", "_with_point"}


@dataclass(frozen=True)
class Target:
    """Modules, the functions in them that are changed (all, if none is named), and their tests."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    functions: frozenset[str] = frozenset()


TARGETS = {
    "metrics": Target(tuple(f"subspan.metrics.{name}" for name in METRICS), ("tests/metrics",)),
    "step": Target(
        ("subspan.kernels.pursuit.step",),
        tuple(f"tests/kernels/pursuit/test_{name}.py" for name in ("choices", "edges", "step", "engine")),
    ),
    "components": Target(("subspan.embedding.components",), ("tests/embedding/test_components.py",)),
    "header": Target(
        ("subspan.sources.text",),
        ("tests/sources/test_header.py", "tests/sources/test_text.py", "tests/sources/test_trust.py"),
        frozenset(HEADER),
    ),
}
# A mutant that computes for this many seconds runs for ever, which is noticed too.
PATIENCE = 60
PAIRS = [
    *[(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)],
    *[(ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)],
]
SWAPPED = dict(PAIRS) | {b: a for a, b in PAIRS} | {ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult}
DROPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Continue)
# The line, and what does the change in place.
Change = tuple[int, Callable[[], Any]]


def changes(tree: ast.Module, functions: frozenset[str]) -> Iterator[Change]:
    """All small changes of a module, always in the same order."""
    for part in tree.body:
        if not functions or getattr(part, "name", None) in functions:
            yield from _of_statement(part, tree.body)


def _of_statement(statement: ast.stmt, body: list[ast.stmt]) -> Iterator[Change]:
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    if text or isinstance(statement, ast.Import | ast.ImportFrom):
        return
    if isinstance(statement, DROPPED):
        place = body.index(statement)
        yield statement.lineno, lambda: body.__setitem__(place, ast.copy_location(ast.Pass(), statement))
    for name, field in ast.iter_fields(statement):
        if name in ("body", "orelse"):
            for inner in list(field):
                yield from _of_statement(inner, field)
        elif name in ("value", "test", "iter", "targets", "target", "exc"):
            for root in field if isinstance(field, list) else [field]:
                for node in ast.walk(root) if root else ():
                    yield from _of_expression(node)
    if isinstance(statement, ast.AugAssign):
        yield from _of_expression(statement)


def _of_expression(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for place in range(len(node.ops)):
            yield node.lineno, lambda at=place: node.ops.__setitem__(at, SWAPPED[type(node.ops[at])]())
    elif type(getattr(node, "op", None)) in SWAPPED:
        yield node.lineno, lambda: setattr(node, "op", SWAPPED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp):
        yield node.lineno, lambda: setattr(node, "operand", ast.UnaryOp(node.op, node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node.lineno, lambda: setattr(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node.lineno, lambda: setattr(node, "value", node.value + 1)


class Replaced(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module as it is in a tree."""

    def __init__(self, module: str, path: Path, tree: ast.Module) -> None:
        super().__init__(module, str(path))
        self.tree = tree

    def find_spec(self, fullname: str, *_: Any) -> Any:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> Any:
        return compile(ast.fix_missing_locations(self.tree), self.path, "exec")


def passes(finder: Replaced, tests: tuple[str, ...]) -> bool:
    """Whether the tests notice nothing in a process that imports the changed module."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        sys.meta_path.insert(0, finder)
        import pytest

        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])))
    return os.waitpid(child, 0)[1] == 0


def unchanged(target: Target) -> Replaced:
    """A module as it is: its tests must pass."""
    path = SOURCES / (target.modules[0].replace(".", "/") + ".py")
    return Replaced(target.modules[0], path, ast.parse(path.read_text(encoding="utf-8")))


def mutants(target: Target) -> Iterator[tuple[Replaced, str]]:
    """Every mutant of a target, and how its changed lines differ from what they were."""
    for module in target.modules:
        path = SOURCES / (module.replace(".", "/") + ".py")
        text = path.read_text(encoding="utf-8")
        before = ast.unparse(ast.parse(text)).splitlines()
        for number in range(sum(1 for _ in changes(ast.parse(text), target.functions))):
            tree = ast.parse(text)
            line, change = list(changes(tree, target.functions))[number]
            change()
            after = ast.unparse(tree).splitlines()
            at = next(i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
            shown = f"`{before[at].strip()}` as `{after[at].strip()}`"
            yield Replaced(module, path, tree), f"{path.relative_to(SOURCES / 'subspan')}:{line}: {shown}"


def main(only: str | None = None, count: int | None = None) -> None:
    """A row for each target, and below them the mutants that no test has noticed."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for library in ("numba", "scipy.sparse.csgraph", "sklearn.metrics"):
        importlib.import_module(library)
    survivors = []
    print("| changed | mutants | killed | share | seconds |\n|---|---:|---:|---:|---:|")
    for name, target in TARGETS.items():
        if only in (None, name):
            if not passes(unchanged(target), target.tests):
                raise SystemExit(f"{name}: the tests fail without any change.")
            start, made = time.monotonic(), list(mutants(target))
            drawn = made if count is None else random.Random(0).sample(made, min(count, len(made)))
            lost = [shown for finder, shown in drawn if passes(finder, target.tests)]
            survivors += lost
            killed, seconds = len(drawn) - len(lost), time.monotonic() - start
            share = f"{100 * killed / len(drawn):.0f} %"
            print(f"| {name} | {len(drawn)} | {killed} | {share} | {seconds:.0f} |", flush=True)
    print("", *(f"- {shown}" for shown in survivors), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
