"""README.md and the pages behind it: methods of the registry, numbers of the results, commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from subspan.cli.main import VERBS
from subspan.datasets import make_union_of_subspaces
from subspan.methods import registry
from subspan.metrics import clustering_accuracy

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WHICH_METHOD, BENCHMARKS = (
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("which-method.md", "benchmarks.md")
)
# A screen and a half of a terminal; rendered, with its picture, about one of a browser.
MOST_LINES = 60


@pytest.fixture(scope="module")
def figures():
    """The script of the pictures, which reads the results."""
    pytest.importorskip("matplotlib")
    return pytest.importorskip("benchmarks.readme_figures", reason="the benchmarks are not installed")


def test_it_is_short_and_begins_with_a_result() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    code = re.search(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert code[1].startswith("from subspan import SubspaceClustering\n")
    assert README.index(code[0]) < README.index("## ")


def test_its_code_runs(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = make_union_of_subspaces(4, 3, 30, 50, random_state=0)
    names = {"X": X}
    for code in re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE):
        exec(compile(code, "README.md", "exec"), names)
    assert clustering_accuracy(y, names["model"].labels_) > 0.95
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_the_table_has_every_method() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \|", WHICH_METHOD, re.MULTILINE)
    found = {name: estimator for estimator, name in rows}
    assert found == {name: method.__name__ for name, method in registry.METHODS.items()}
    assert len(rows) == len(found)


def test_every_method_is_named() -> None:
    paragraph = README.partition("## Methods\n")[2].partition("##")[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == {each.__name__ for each in registry.METHODS.values()}


def test_commands_exist() -> None:
    commands = [
        shlex.split(line, comments=True) for line in re.findall(r"^    (subspan .*)$", README, re.MULTILINE)
    ]
    verbs = {words[1] for words in commands}
    assert {"cluster", "compare", "demo"} <= verbs <= set(VERBS)


def test_pictures_are_there_and_light() -> None:
    pictures = [ROOT / name for name in re.findall(r"!\[.+?\]\((.+?)\)", README)]
    pictures += [ROOT / "docs" / name for name in re.findall(r"\{image\} (\S+)", BENCHMARKS)]
    assert len(pictures) == 2
    for picture in pictures:
        content = picture.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 150_000


def cells(line: str) -> list[str]:
    """Of a line of a table, without the first."""
    return [cell.strip() for cell in line.split("|")[2:-1]]


def measured(figures) -> dict[str, tuple[float, ...]]:
    """Published accuracy, ours and its spread."""
    return {
        name: tuple(round(number, 2) for number in figures.accuracies(*place))
        for name, place in figures.DATASETS.items()
    }


def test_accuracies_are_those_of_the_results(figures) -> None:
    rows = re.findall(
        r"^\| S3COMP-C on ([\w ]+?)(?: \(.*\))? \| ([\d.]+) \| ([\d.]+) ± ([\d.]+) \|$",
        BENCHMARKS,
        re.MULTILINE,
    )
    assert {name: tuple(map(float, numbers)) for name, *numbers in rows} == measured(figures)


def test_accuracies_of_the_front_page_too(figures) -> None:
    head, paper, ours = (
        cells(re.search(rf"^\| {first}.*$", README, re.MULTILINE)[0])
        for first in ("accuracy %", "paper", "subspan")
    )
    found = {
        name: (float(published), *map(float, own.split(" ± ")))
        for name, published, own in zip(head, paper, ours, strict=True)
    }
    assert found == measured(figures)


@pytest.mark.parametrize(
    ("words", "file", "beginning"),
    [
        ("spectral stage at 10 000 points", "spectral.md", "scikit-learn / ours"),
        ("EnSC of 10 000 points", "elastic_net.md", "loop over spams.lasso / EnSC"),
        ("ESC's search for exemplars", "exemplars.md", "all costs at each step, from the solutions before"),
        ("the same against a plain SPAMS call", "representation.md", "SPAMS, plain call"),
        ("the same against SPAMS for all", "representation.md", "SPAMS, no point by itself"),
        ("the same against SPAMS for points outside", "representation.md", "SPAMS, points outside"),
        ("representation of 10 000 points", "representation.md", "NumPy loop / S3COMP"),
        ("S3COMP-C with 5 outer iterations", "representation.md", "S3COMP-C, 5 iterations / S3COMP"),
        ("representation of 70 000 points", "mnist_size.md", "S3COMP / product"),
    ],
)
def test_ratios_are_those_of_the_results(figures, words: str, file: str, beginning: str) -> None:
    """The first number of a line, or the two between which several runs lie."""
    line = next(line for line in BENCHMARKS.splitlines() if line.startswith(f"| {words}"))
    low, high = re.match(r"([\d.]+)(?: to ([\d.]+))?", line.split("|")[2].strip()).groups()
    decimals = len(low.partition(".")[2])
    assert float(low) <= round(figures.ratio(file, beginning), decimals) <= float(high or low)
