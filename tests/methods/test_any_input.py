"""Whatever parameters and points are: valid labels, or one sentence of ours, and nothing else.

200 cases are drawn here, always the same. `make soak` draws thousands of others: SUBSPAN_CASES says how many.
"""

from __future__ import annotations

import math
import os
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from subspan.handover import InputError
from subspan.methods import registry
from subspan.parameters import declared

CASES = int(os.environ.get("SUBSPAN_CASES", "200"))
METHODS = [name for name in registry.names() if name != "auto"]
# A fit of the front door is made of dozens of others.
OF_THE_FRONT_DOOR = math.ceil(CASES / 50)
OF_A_METHOD = math.ceil((CASES - OF_THE_FRONT_DOOR) / len(METHODS))
# What decides about the machine and not about the answer, and what says that X is a graph.
LEFT_ALONE = {"work_dir", "verbose", "n_jobs", "affinity", "memory_budget"}
# Numbers of rounds and starts are small, or each case would take seconds.
MOST_TIMES = 3


def cases(count: int) -> Any:
    return settings(
        max_examples=count, deadline=None, derandomize="SUBSPAN_CASES" not in os.environ, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


def values(name: str, default: Any) -> st.SearchStrategy[Any]:
    """Values for a parameter: mostly of its kind, and near the ends of what is allowed."""
    if isinstance(default, bool):
        return st.booleans()
    if name in ("n_init", "max_iter", "n_epochs", "n_layers"):
        return st.integers(-1, MOST_TIMES)
    anything = st.sampled_from(
        [None, "auto", "max", "", -1, 0, 1, np.uint8(2), 10**9, math.nan, math.inf, 1e-300]
    )
    if isinstance(default, int):
        return st.integers(0, 9) | st.integers() | anything
    if isinstance(default, float):
        return st.floats(0, 1) | st.floats() | anything
    return anything | st.integers(1, 9) | st.floats(1e-3, 10)


def parameters(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Some parameters of a method; the others have values with which a fit is short."""
    known = {each.name: each.default for each in declared(registry.get(name)) if each.name not in LEFT_ALONE}
    short = {"n_subproblems": 3, "max_iter": 2, "n_init": 2, "n_nonzero": 2, "dim": 1, "n_layers": 2}
    fixed = {key: value for key, value in short.items() if key in known} | {"n_clusters": 2}
    drawn = {key: values(key, default) for key, default in known.items()}
    some = st.lists(st.sampled_from(sorted(known)), max_size=4, unique=True)
    chosen = some.flatmap(lambda keys: st.fixed_dictionaries({key: drawn[key] for key in keys}))
    return chosen.map(lambda found: fixed | found)


def tables() -> st.SearchStrategy[np.ndarray]:
    shapes = st.tuples(st.integers(0, 24), st.integers(0, 7))
    entries = st.floats(-3, 3, width=32) | st.sampled_from([0.0, 1.0, -1.0, 1e-30])
    wild = st.floats(width=32)
    ordinary = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=entries))
    return ordinary | ordinary | shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=wild))


def check(name: str, given_parameters: dict[str, Any], X: np.ndarray) -> None:
    before = X.tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = registry.get(name)(**{"random_state": 0, "n_jobs": 1, **given_parameters}).fit(X)
        except InputError as error:
            sentence = str(error)
        else:
            sentence = ""
            assert model.labels_.shape == (len(X),)
            assert model.labels_.dtype == np.int64
            assert model.labels_.min() >= -1
            assert model.labels_.max() < model.n_clusters_
            assert np.isfinite(model.embedding_).all()
    assert "\n" not in sentence
    assert X.tobytes() == before


@pytest.mark.parametrize("name", METHODS)
def test_a_method_labels_or_says_why_not(name):
    @cases(OF_A_METHOD)
    @given(given_parameters=parameters(name), X=tables())
    def holds(given_parameters: dict[str, Any], X: np.ndarray) -> None:
        check(name, given_parameters, X)

    holds()


@cases(OF_THE_FRONT_DOOR)
@given(given_parameters=parameters("auto"), X=tables())
def test_the_front_door_labels_or_says_why_not(given_parameters, X):
    check("auto", given_parameters, X)
