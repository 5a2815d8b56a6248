"""Every example runs, draws something, and shows what its text says."""

from __future__ import annotations

import ast
import importlib
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
pyplot = pytest.importorskip("matplotlib.pyplot", reason="examples draw with matplotlib")

Names = dict[str, Any]

# What the text of each example claims, in its own variables.
CLAIMS: dict[str, Callable[[Names], bool]] = {
    "plot_comparing_methods": lambda names: sparse_and_dense_each_fail_once(names),
    "plot_digits": lambda names: names["accuracy"] > 0.92 and names["accuracy_k_means"] < 0.82,
    "plot_faces": lambda names: in_ascending_order(names["accuracies"], ["k-means", "SSC-OMP", "S3COMP-C"]),
    "plot_front_door": lambda names: names["accuracy"] > 0.94 and confidence_tells(names),
    "plot_genes": lambda names: names["accuracy"] > 0.95 and names["by_correlation"] < 0.6,
    "plot_motion": lambda names: names["accuracies"]["SCC, affine"] > 0.95 > names["accuracies"]["k-means"],
    "plot_objects": lambda names: in_ascending_order(names["accuracies"], ["SSC-OMP", "S3COMP-C"]),
    "plot_out_of_core": lambda names: names["same"] and names["accuracy"] > 0.95,
    "plot_signs": lambda names: names["accuracy"] > names["from_pixels"],
    "plot_spectra": lambda names: names["accuracy"] > 0.95 and names["accuracy_k_means"] < 0.8,
    "plot_spectrum_parameters": lambda names: names["n_clusters"] == 5 and the_choice_is_good(names),
    "plot_stages": lambda names: names["unchanged"],
    "plot_stream": lambda names: names["accuracy"] > 0.95 and strangers_raise_the_upper_tenth(names),
}


def in_ascending_order(accuracies: dict[str, float], methods: list[str]) -> bool:
    found = [accuracies[method] for method in methods]
    return found == sorted(found) and found[-1] > found[0] + 0.05


def confidence_tells(names: Names) -> bool:
    shares = names["shares"]
    heavy = max(names["model"].members_, key=lambda row: row["weight"])["family"]
    return min(shares[5:]) > 0.98 > shares[0] + 0.2 and heavy == "pursuit" and names["found"].n_clusters == 6


def strangers_raise_the_upper_tenth(names: Names) -> bool:
    upper = [float(np.quantile(batch, 0.9)) for batch in names["scores"]]
    return min(upper[5:]) > max(upper[:5]) + 0.1


def sparse_and_dense_each_fail_once(names: Names) -> bool:
    crowded, noisy = (
        dict(zip(names["methods"], values, strict=True)) for values in names["accuracy"].values()
    )
    steady = all(space[method] > 0.75 for space in (crowded, noisy) for method in ("S3COMP", "S3COMP-C"))
    return steady and crowded["EnSC"] > crowded["LSR"] + 0.2 and noisy["LSR"] > noisy["EnSC"] + 0.1


def the_choice_is_good(names: Names) -> bool:
    return bool(names["accuracy"][names["best"]] > names["accuracy"].max() - 0.03)


def place_of(name: str) -> Path:
    """The file of an example, in the folder of its group."""
    (path,) = EXAMPLES.glob(f"*/{name}.py")
    return path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No window, no data folder; figures are closed afterwards."""
    monkeypatch.setattr(pyplot, "show", lambda: None)
    monkeypatch.delenv("SUBSPAN_DATA", raising=False)
    backend = pyplot.get_backend()
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(backend)


def test_every_example_makes_claims():
    assert {path.stem for path in EXAMPLES.rglob("*.py")} == set(CLAIMS)
    assert len(CLAIMS) >= 8


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.usefixtures("alone")
def test_example(name):
    names = runpy.run_path(str(place_of(name)))
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures
    assert all(figure.get_axes() or figure.subfigs for figure in figures)
    assert CLAIMS[name](names)


@pytest.mark.parametrize("name", CLAIMS)
def test_examples_use_public_names_only(name):
    tree = ast.parse(place_of(name).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if str(node.module).split(".")[0] == "subspan"]
    assert ours
    for node in ours:
        public = importlib.import_module(str(node.module)).__all__
        assert {alias.name for alias in node.names} <= set(public)
