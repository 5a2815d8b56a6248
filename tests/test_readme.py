"""README.md says what there is: methods of the registry, numbers of the results, commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from subspan.cli.main import VERBS
from subspan.methods import registry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def figures():
    """The script of the pictures, which reads the results."""
    pytest.importorskip("matplotlib")
    return pytest.importorskip("benchmarks.readme_figures", reason="the benchmarks are not installed")


def test_the_table_has_every_method() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \|", README, re.MULTILINE)
    found = {name: estimator for estimator, name in rows}
    assert found == {name: method.__name__ for name, method in registry.METHODS.items()}
    assert len(rows) == len(found)


def test_commands_exist() -> None:
    commands = [
        shlex.split(line, comments=True) for line in re.findall(r"^    (subspan .*)$", README, re.MULTILINE)
    ]
    verbs = {words[1] for words in commands}
    assert {"cluster", "compare", "demo"} <= verbs <= set(VERBS)


def test_pictures_are_there_and_light() -> None:
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", README)
    assert len(pictures) == 2
    for picture in pictures:
        content = (ROOT / picture).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 150_000


def test_accuracies_are_those_of_the_results(figures) -> None:
    rows = re.findall(
        r"^\| S3COMP-C on ([\w ]+?)(?: \(.*\))? \| ([\d.]+) \| ([\d.]+) ± ([\d.]+) \|$", README, re.MULTILINE
    )
    assert {name: tuple(map(float, numbers)) for name, *numbers in rows} == {
        name: tuple(round(number, 2) for number in figures.accuracies(*place))
        for name, place in figures.DATASETS.items()
    }


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
    line = next(line for line in README.splitlines() if line.startswith(f"| {words}"))
    low, high = re.match(r"([\d.]+)(?: to ([\d.]+))?", line.split("|")[2].strip()).groups()
    decimals = len(low.partition(".")[2])
    assert float(low) <= round(figures.ratio(file, beginning), decimals) <= float(high or low)
