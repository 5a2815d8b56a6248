"""The page about the paper's experiments says what the tables beside it say, and these what the runs say."""

from __future__ import annotations

import csv
import json
import lzma
import re
from pathlib import Path

import pytest

from subspan.reproduction.catalog import EXPERIMENTS
from subspan.reproduction.plan import Scope
from subspan.reproduction.session import ResultFolders, run_experiments
from subspan.reproduction.settings import COMPARED, METHOD_OF_COLUMN, REAL

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "results"
TABLES = [name for name, experiment in EXPERIMENTS.items() if not experiment.is_figure]
# With a line for each metric.
REAL_TABLES = [name for name in TABLES if name not in ("table-connectivity", "table-hopkins")]
OWN = ("SSCOMP", "S3COMP", "S3COMP-C")
# As the page calls them.
TITLES = {"Extended Yale B": "EYaleB"}
NAMES = {"SSC-OMP": "SSCOMP"}


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str, str], dict[str, str]]:
    """Lines of the tables of accuracy by data set, method and metric."""
    texts = [(RESULTS / f"{name}.csv").read_text(encoding="utf-8") for name in REAL_TABLES]
    lines = [line for text in texts for line in csv.DictReader(text.splitlines())]
    return {(line["dataset"], line["method"], line["metric"]): line for line in lines}


def tables_of_the_page() -> list[list[list[str]]]:
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in blocks
    ]


def agrees(cell: str, number: str, digits: int) -> bool:
    """Whether a cell is a number of a table with fewer digits; the table has rounded it already."""
    decimals = cell.partition(".")[2]
    return len(decimals) == digits and abs(float(cell) - float(number)) < 0.51 * 10**-digits


def test_own_methods_are_those_of_the_tables(measured):
    _, _, *rows = tables_of_the_page()[0]
    title, seen = "", set()
    for name, method, *cells, trials in rows:
        title = name or title
        place = TITLES.get(title, title), NAMES.get(method, method)
        accuracy = measured[*place, "accuracy"]
        mean, _, spread = cells[1].partition(" ± ")
        assert agrees(spread, accuracy["sd"], 2) if accuracy["sd"] else spread == "", place
        assert trials == accuracy["trials"], place
        ours = [(mean, "accuracy", 2), (cells[3], "sre", 2), (cells[5], "connectivity_mean", 4)]
        for published, (cell, metric, digits) in zip(cells[::2], ours, strict=True):
            line = measured[*place, metric]
            assert published == line["published"], (place, metric)
            assert agrees(cell, line["mean"], digits), (place, metric)
        seen.add(place)
    assert seen == {(dataset, method) for dataset in REAL for method in OWN}


def test_compared_methods_are_those_of_the_tables(measured):
    header, _, *rows = tables_of_the_page()[1]
    datasets = [TITLES.get(title, title) for title in header[1:]]
    for method, *cells in rows:
        for dataset, cell in zip(datasets, cells, strict=True):
            line = measured.get((dataset, method, "accuracy"))
            published, _, ours = cell.partition(" / ")
            assert published == (line["published"] if line else ""), (dataset, method)
            if line and line["mean"]:
                assert agrees(ours, line["mean"], 2), (dataset, method)
            else:
                assert ours == ("not run" if line else ""), (dataset, method)
    assert {METHOD_OF_COLUMN[row[0]] for row in rows} == set(COMPARED)


def test_tables_are_what_the_stored_runs_give(tmp_path):
    """Unpacked, they make every table again, to the letter."""
    stored = lzma.decompress((RESULTS / "results.jsonl.xz").read_bytes())
    (tmp_path / "results.jsonl").write_bytes(stored)
    run_experiments(
        [EXPERIMENTS[name] for name in TABLES],
        Scope(so_far=True),
        ResultFolders(tmp_path),
        lambda _: None,
    )
    for file in [f"{name}.{ending}" for name in TABLES for ending in ("csv", "md")]:
        assert (tmp_path / file).read_text(encoding="utf-8") == (RESULTS / file).read_text(
            encoding="utf-8"
        ), file


def test_the_page_says_how_many_runs_have_older_times():
    stored = lzma.decompress((RESULTS / "results.jsonl.xz").read_bytes()).splitlines()
    n_timed_before = sum("timed" in json.loads(line) for line in stored)
    assert f" {n_timed_before} of the runs " in (DOCS / "reproduction.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["front_door", "number_of_clusters"])
def test_pages_of_benchmarks_have_the_tables_that_their_runs_give(name):
    benchmark = pytest.importorskip(f"benchmarks.{name}", reason="the benchmarks are not installed")
    page = benchmark.PAGE.read_text(encoding="utf-8")
    assert re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE) == benchmark.tables()


def test_means_of_the_front_door_are_those_of_its_table():
    front_door = pytest.importorskip("benchmarks.front_door", reason="the benchmarks are not installed")
    page = front_door.PAGE.read_text(encoding="utf-8")
    means = front_door.accuracies(front_door.stored_runs(front_door.RUNS)).lines[-1]
    former, defaults, joined, middle, _, _, best = means[4:11]
    summary = " ".join(page.split("\n\n")[2].split())
    assert re.findall(r"[\d.]+(?= %)", summary) == [joined, best, middle, former, defaults]
