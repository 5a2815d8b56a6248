"""The tour of the code names functions that are there, in the order in which a real fit comes to them."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import subspan

ROOT = Path(__file__).parents[2]
PACKAGE = Path(subspan.__file__).parent
PAGE = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
STOPS = re.findall(r"^\*\*`(subspan\.[\w.]+)`\*\*", PAGE, re.MULTILINE)


def split(name: str) -> tuple[ModuleType, list[str]]:
    """The module in a dotted name, and what follows it."""
    parts = name.split(".")
    for n_parts in range(len(parts), 0, -1):
        if PACKAGE.joinpath(*parts[1:n_parts]).with_suffix(".py").is_file():
            return importlib.import_module(".".join(parts[:n_parts])), parts[n_parts:]
    raise AssertionError(name)


@pytest.fixture(scope="module")
def visits() -> list[tuple[str, str]]:
    """File and function of all first calls of a fit to 24 points, kernels included: plain Python is slow."""
    code = (
        "import json\nfrom benchmarks.trace_of_a_fit import first_visits\nprint(json.dumps(first_visits(8)))"
    )
    paths = os.pathsep.join([str(PACKAGE.parent), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300,
        check=False, env=os.environ | {"PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(file, name) for file, name in json.loads(done.stdout)]


@pytest.mark.parametrize("name", STOPS)
def test_what_the_page_names_is_there(name: str) -> None:
    found, parts = split(name)
    for part in parts:
        found = getattr(found, part)
    assert callable(found)


def test_a_fit_takes_the_way_of_the_page(visits: list[tuple[str, str]]) -> None:
    places = []
    for name in STOPS:
        module, parts = split(name)
        file = str(Path(str(module.__file__)).relative_to(PACKAGE))
        assert (file, parts[-1]) in visits, name
        places.append(visits.index((file, parts[-1])))
    assert [STOPS[i + 1] for i in range(len(places) - 1) if places[i] > places[i + 1]] == []


def test_the_chapters_are_the_stages() -> None:
    chapters = re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)
    assert chapters == ["Read", "Represent", "Connect", "Embed", "Label"]
