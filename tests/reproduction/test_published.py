"""Every published number, compared with the source of the paper."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from subspan.reproduction import published as module
from subspan.reproduction.published import published, published_parameter

REPOSITORY = Path(__file__).parents[2]
PAPER = REPOSITORY.parent / "shared" / "paper.tex"
METRICS = ["accuracy", "sre", "connectivity_mean", "seconds"]
DATASETS = {"Extended Yale B": "EYaleB", "ExYaleB": "EYaleB", "Ex. Yale B": "EYaleB"}

needs_paper = pytest.mark.skipif(
    not PAPER.exists(), reason="the source of the paper is not beside the repository"
)


def lines_of(label):
    """Lines of the table with this label that have cells or a heading, each as a list of plain cells."""
    text = re.sub(r"(?<!\\)%.*", "", PAPER.read_text(encoding="utf-8", errors="replace"))
    tables = re.findall(
        r"\\begin\{tabular\}(.*?)\\end\{tabular\}.*?\\label\{(tbl?:[^}]+|tab:[^}]+)\}", text, re.DOTALL
    )
    (body,) = [body for body, its_label in tables if its_label == label]
    rows = body.replace(r"\hline", "").split(r"\\")
    return [[plain(cell) for cell in row.split("&")] for row in rows if row.strip()]


def plain(cell):
    """A cell without its typesetting."""
    cell = cell.replace("{S}$^{3}$COMP$^\\ast$", "S3COMP*").replace("{S}$^{3}$", "S3")
    cell = re.sub(r"\$\^\\(ast|dag)\$|\\bf|\\underline", "", cell)
    cell = re.sub(r"\\multicolumn\{\d\}\{[c|]+\}\{([^}]*)\}", r"\1", cell)
    return re.sub(r"[{}$\\]", "", cell).strip()


def performance(label, datasets):
    cells = {}
    for method, *numbers in lines_of(label):
        if len(numbers) == 4 * len(datasets) and not numbers[0].startswith("acc"):
            names = [(method, dataset, metric) for dataset in datasets for metric in METRICS]
            cells |= dict(zip(names, numbers, strict=True))
    return cells


@needs_paper
@pytest.mark.parametrize(
    ("table", "label", "datasets", "n_methods"),
    [
        ("table-eyaleb", "tbl:EYaleB-result", ["EYaleB"], 10),
        ("table-coil100", "tbl:COIL100-result", ["COIL100"], 9),
        ("table-mnist", "tbl:MNIST-result", ["MNIST4000", "MNIST10000"], 10),
        ("table-mnist70000", "tbl:MNISTall-result", ["MNIST70000"], 7),
        ("table-gtsrb", "tbl:GTSRB-result", ["GTSRB"], 10),
    ],
)
def test_performance_is_as_printed(table, label, datasets, n_methods):
    printed = performance(label, datasets)
    assert len(printed) == 4 * len(datasets) * n_methods
    assert published(table).cells == printed


@needs_paper
def test_connectivity_is_as_printed():
    lines = lines_of("tbl:comparison-conn-mean-min-real-datasets")
    methods = lines[0][1:]
    printed, dataset = {}, ""
    for first, *numbers in lines[1:]:
        if numbers:
            metric = f"connectivity_{first.split(':')[0]}"
            printed |= {
                (method, dataset, metric): value for method, value in zip(methods, numbers, strict=True)
            }
        else:
            dataset = DATASETS.get(first, first)
    assert len(printed) == 6 * 2 * 5
    assert published("table-connectivity").cells == printed


@needs_paper
@pytest.mark.parametrize(
    ("table", "label", "n_datasets"),
    [
        ("parameters-synthetic", "tab:parameters-used-in-synthetic-data-set", 9),
        ("parameters-real", "tab:parameters-used-in-real-world-data-set", 6),
    ],
)
def test_parameters_are_as_printed(table, label, n_datasets):
    (_, *names), *lines = lines_of(label)
    names = [f"synthetic-{name}" if name.isdigit() else DATASETS.get(name, name) for name in names]
    printed = {
        ("S3COMP-C", name, letter): value
        for letter, *values in lines
        for name, value in zip(names, values, strict=True)
    }
    assert len(printed) == 2 * n_datasets
    assert published(table).cells == printed


def test_cells_without_a_number_are_kept_as_text():
    table = published("table-mnist70000")
    assert table.text("OLRSC", "MNIST70000", "accuracy") == "M"
    assert table.number("OLRSC", "MNIST70000", "accuracy") is None
    assert table.methods("MNIST70000")[0] == "OLRSC"
    assert published_parameter("synthetic-55", "lambda") == 0.4


def test_an_installed_package_brings_the_numbers_along():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    ((source, target),) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].items()
    assert (REPOSITORY / source).is_dir()
    assert Path("subspan", *module.FOLDERS[0].parts[-2:]) == Path(target)
