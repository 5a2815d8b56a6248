"""The pages agree with each other and with the code they describe; no network is asked."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from subspan.cli.main import VERBS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Pages that `make docs` writes are not ours to check.
MADE = ("api", "gallery")
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in MADE]
LINKED = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
PUBLIC = [
    "", ".base", ".datasets", ".features", ".handover", ".methods.documentation", ".metrics", ".model",
    ".parameters",
    ".plotting", ".plotting.numbers", ".report", ".sources", ".tuning",
]  # fmt: skip
# Pages whose code runs as it stands, and what it leaves behind or prints.
RUNS: dict[str, Callable[[dict[str, Any], list[float]], bool]] = {
    "start.md": lambda names, printed: set(names["model"].labels_) == set(range(5)) and printed[0] > 0.9,
    "guide/affinity.md": lambda names, _: names["graph"].nnz < names["first"].affinity_.nnz,
    "guide/labels.md": lambda _, printed: printed == [1.0, 1.0],
    # Accuracy, error and connectivity of two methods.
    "guide/metrics.md": lambda _, printed: printed[3] > printed[0] and printed[5] > printed[2],
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What its headings are called in an address: lower case, hyphens, no punctuation."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_there(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    if found.is_relative_to(DOCS / "gallery"):
        example = ROOT / "examples" / found.relative_to(DOCS / "gallery")
        return found.name == "index" or example.with_suffix(".py").exists()
    return found.exists() and (not anchor or anchor in anchors(found))


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_links_inside_the_repository_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    inside = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in inside if not is_there(page, target)] == []


def test_links_that_lead_nowhere_are_noticed():
    assert not is_there(DOCS / "guide.md", "nowhere.md")
    assert not is_there(DOCS / "guide.md", "large-data.md#nowhere")
    assert not is_there(DOCS / "guide.md", "gallery/plot_nothing")
    assert is_there(DOCS / "guide.md", "large-data.md#from-a-file")


def test_every_page_is_in_the_menu():
    listed = {(DOCS / "index").resolve()}
    for page in PAGES:
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            patterns = [re.sub(r".*<(.+)>", r"\1", entry) for entry in entries]
            for pattern in patterns:
                listed |= {path.with_suffix("") for path in page.parent.glob(f"{pattern}.md")}
    assert {page.with_suffix("") for page in PAGES} == listed


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_on_the_api_page(module):
    names = set(importlib.import_module(f"subspan{module}").__all__) - {"__version__"}
    if module:
        # What the package itself exports is listed there.
        names -= set(importlib.import_module("subspan").__all__)
    blocks = re.findall(r"module:: (\S+)\n(.*?)^```", (DOCS / "api.md").read_text(), re.DOTALL | re.MULTILINE)
    (listed,) = [
        re.findall(r"^   (\w+)$", block, re.M) for home, block in blocks if home == f"subspan{module}"
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == names


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_on_the_page_of_the_command_line(verb):
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert re.search(rf"^subspan {verb}\b", page, re.MULTILINE)


def test_the_figure_of_the_architecture_has_the_layers_of_the_linter():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = [
        contract["layers"]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if "layers" in contract
    ]
    rooms = [room.strip() for layer in layers for room in layer.split("|")]
    drawn = re.findall(r'font-size="14">(\w+)</text>', (DOCS / "_static" / "architecture.svg").read_text())
    assert drawn == rooms


def test_the_figure_for_contributors_has_them_too():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    figure = page[page.index("    cli/") : page.index("Imports go down this figure")]
    drawn = re.findall(r"  (\w+)(?:/|\.py)(?=\s)", figure)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert drawn == [room.strip() for layer in layers for room in layer.split("|")]


@pytest.mark.parametrize("page", RUNS)
def test_code_on_the_page_runs(page, monkeypatch, tmp_path):
    """Blocks of one page share their names, as a reader would type them one after the other."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    printed = io.StringIO()
    text = (DOCS / page).read_text(encoding="utf-8")
    with contextlib.redirect_stdout(printed):
        for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            exec(compile(block, page, "exec"), names)
    assert RUNS[page](names, [float(number) for number in printed.getvalue().split()])


def test_code_that_pages_include_is_there():
    included = [
        (page.parent / file, name)
        for page in PAGES
        for file, name in re.findall(
            r"\{literalinclude\} (\S+)\n.*?:pyobject: (\S+)", page.read_text(), re.DOTALL
        )
    ]
    assert included
    for file, name in included:
        assert name in defined(ast.parse(file.read_text(encoding="utf-8")))


def defined(tree: ast.AST, prefix: str = "") -> set[str]:
    """Functions and classes of a module, with the class they are in."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found |= {prefix + node.name} | defined(node, f"{prefix}{node.name}.")
    return found
