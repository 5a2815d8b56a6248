"""The settings, against what the issue of the reproduction says they are."""

import pytest

from subspan.methods import registry
from subspan.reproduction.plan import Scope, trials
from subspan.reproduction.settings import METHOD_OF_COLUMN, REAL, RECIPES, SYNTHETIC

# Data set, atoms of S3COMP, of SSC-OMP, outer iterations, lambda, delta.
EXPECTED = [
    ("EYaleB", 4, 5, 5, 0.01, 0.1),
    ("COIL100", 2, 3, 4, 0.6, 0.1),
    ("MNIST4000", 9, 10, 3, 0.1, 0.1),
    ("MNIST10000", 9, 10, 3, 1.0, 0.6),
    ("MNIST70000", 9, 10, 3, 0.8, 0.8),
    ("GTSRB", 3, 3, 4, 0.8, 0.8),
]


@pytest.mark.parametrize(("title", "atoms", "sparsity", "outer", "damping", "dropout"), EXPECTED)
def test_parameters_of_each_data_set(title, atoms, sparsity, outer, damping, dropout):
    method, parameters = RECIPES["s3comp-c"](REAL[title])
    assert method == "s3comp-c"
    of_mnist = {"normalize": False, "scale": "max", "n_components": "auto"}
    expected = {"n_nonzero": atoms, "n_subproblems": 15, "damping": damping, "dropout": dropout}
    common = of_mnist if title.startswith("MNIST") else {}
    # As many eigenvectors as clusters: the paper's number, not the default.
    expected = {**expected, "n_components": None, **common}
    assert parameters == {**expected, "max_iter": outer}
    assert RECIPES["s3comp"](REAL[title]) == ("s3comp", expected)
    assert RECIPES["s3comp*"](REAL[title]) == ("s3comp", {**expected, "average": "chosen"})
    assert RECIPES["ssc-omp"](REAL[title]) == ("ssc-omp", {"n_nonzero": sparsity, **common})


def test_synthetic_data_are_clustered_by_the_methods_of_the_figure():
    """The paper draws S3COMP-C, S3COMP, EnSC and SSC-OMP at every density."""
    for setting in SYNTHETIC.values():
        run = {name for name, recipe in RECIPES.items() if recipe(setting)}
        assert run == {"ssc-omp", "ensc", "s3comp", "s3comp-c", "s3comp*"}
        assert RECIPES["ensc"](setting) == ("ensc", {"gamma": 500.0})


def test_every_recipe_builds_an_estimator():
    for recipe in RECIPES.values():
        for setting in (*REAL.values(), *SYNTHETIC.values()):
            method, parameters = recipe(setting) or ("s3comp", {})
            registry.get(method)(5, **parameters)


def test_every_departure_is_explained():
    # The front door is not in the paper.
    assert set(RECIPES) - {"auto"} <= set(METHOD_OF_COLUMN.values())
    assert all(setting.departures for setting in REAL.values())


def test_number_of_trials():
    assert len(trials("s3comp", REAL["EYaleB"], Scope())) == 10
    assert len(trials("s3comp", REAL["MNIST70000"], Scope())) == 3
    assert len(trials("s3comp", REAL["MNIST70000"], Scope(trials=4))) == 4
    assert len(trials("s3comp", REAL["EYaleB"], Scope(quick=True))) == 2
    assert trials("s3comp", REAL["EYaleB"], Scope(methods=frozenset({"ssc-omp"}))) == []
