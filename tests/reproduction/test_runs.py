import json

import pytest

from subspan.handover import InputError
from subspan.reproduction.catalog import EXPERIMENTS
from subspan.reproduction.plan import Scope
from subspan.reproduction.runs import Data, make_run, parse_key


def test_a_key_is_parsed_back_into_its_run():
    for experiment in EXPERIMENTS.values():
        for quick in (False, True):
            for runs in experiment.cells(Scope(quick=quick)).values():
                assert [parse_key(run.key) for run in runs] == list(runs)


def test_the_order_of_parameters_does_not_matter():
    first = make_run(Data("mnist", 400), "s3comp", {"dropout": 0.1, "average": "chosen"}, seed=1)
    second = make_run(Data("mnist", n_per_class=400), "s3comp", {"average": "chosen", "dropout": 0.1}, seed=1)
    assert first == second
    assert first.key == second.key
    assert json.loads(first.key)["parameters"] == {"average": "chosen", "dropout": 0.1}


@pytest.mark.parametrize(
    "change",
    [
        {"data": Data("mnist", 1000)},
        {"data": Data("mnist", 400, n_classes=3)},
        {"method": "ssc-omp"},
        {"parameters": {"dropout": 0.2}},
        {"parameters": {"dropout": 0.1, "normalize": False}},
        {"seed": 2},
    ],
)
def test_whatever_decides_the_result_is_in_the_key(change):
    usual = {"data": Data("mnist", 400), "method": "s3comp", "parameters": {"dropout": 0.1}, "seed": 1}
    assert make_run(**usual).key != make_run(**{**usual, **change}).key


@pytest.mark.parametrize(
    "key", ["", "{}", "[1]", '{"data":{"colour":"red"},"method":"a","parameters":{},"seed":0}']
)
def test_other_texts_are_not_keys(key):
    with pytest.raises(InputError, match="not the key of a run"):
        parse_key(key)


def test_sizes():
    assert Data("synthetic", 320).n_points == 1600
    assert Data("mnist", 400).n_points == 4000
    assert Data("mnist").n_points == 70_000
    assert Data("coil100", n_classes=20).n_points == 1440
    assert not Data("gtsrb", n_per_class=60).is_drawn
