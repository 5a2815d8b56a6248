"""Consensus OMP against the paper's algorithms written out, and against scikit-learn's OMP."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from oracles import Pursuit, consensus_omp
from sklearn.linear_model import orthogonal_mp

from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.consensus import ConsensusSettings, represent
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

PLANS = ["shared", "per_dictionary", "residual"]
# Decisions closer than this may go either way under rounding.
CLEAR = {"float64": 1e-9, "float32": 1e-3}
CLOSE = {"float64": 1e-9, "float32": 2e-3}


def noisy_subspaces(unit_norm: bool) -> np.ndarray:
    """150 points near three subspaces; a number of rows that is no multiple of a tile."""
    X, _ = make_union_of_subspaces(3, 4, 12, 50, noise=0.2, random_state=5)
    lengths = 1 if unit_norm else np.random.default_rng(0).uniform(0.3, 3, (len(X), 1))
    # Numbers that float32 holds exactly, so that both types solve the same problem.
    return (unit_rows(X) * lengths).astype(np.float32).astype(np.float64)


def few_dictionaries(cover: bool = False) -> list[np.ndarray]:
    return sample_dictionaries(150, 4, n_nonzero=4, dropout=0.6, cover=cover, seed=1)


@cache
def expected(
    selection: str, candidates: str, average: str, unit_norm: bool, max_iter: int, cover: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    rules = Pursuit(4, 0.4, 1e-3, selection, candidates)
    return consensus_omp(
        noisy_subspaces(unit_norm),
        few_dictionaries(cover),
        rules,
        max_iter=max_iter,
        tol=1e-2,
        average=average,
    )


def check_against_oracle(plan: str, dtype: str, unit_norm: bool, cover: bool = False, **options) -> None:
    C, narrowest = expected(unit_norm=unit_norm, cover=cover, **options)
    settings = ConsensusSettings(n_nonzero=4, damping=0.4, tol=1e-2, **options)
    found = represent(
        ArraySource(noisy_subspaces(unit_norm).astype(dtype)), few_dictionaries(cover), settings,
        budget=10**9, unit_norm=unit_norm, gram_plan=plan,
    ).coefficients  # fmt: skip
    assert found.dtype == dtype
    clear = narrowest > CLEAR[dtype]
    assert clear.mean() > (0.999 if dtype == "float64" else 0.6)
    assert np.array_equal(found.toarray()[clear] != 0, C[clear] != 0)
    assert np.abs(found.toarray()[clear] - C[clear]).max() < CLOSE[dtype]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("average", ["all", "chosen"])
@pytest.mark.parametrize("candidates", ["preserved", "all"])
@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("unit_norm", [True, False], ids=["unit", "unscaled"])
def test_consensus_equals_algorithm_2(selection, candidates, average, unit_norm, plan, dtype):
    check_against_oracle(
        plan, dtype, unit_norm, selection=selection, candidates=candidates, average=average, max_iter=4
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("unit_norm", [True, False], ids=["unit", "unscaled"])
def test_first_pass_equals_algorithm_1(selection, unit_norm, plan, dtype):
    check_against_oracle(
        plan, dtype, unit_norm, selection=selection, candidates="preserved", average="all", max_iter=1
    )


@pytest.mark.parametrize("plan", PLANS)
def test_covering_dictionary_takes_part(plan):
    assert len(few_dictionaries(cover=True)) == 5
    options = {"selection": "psi", "candidates": "preserved", "average": "all", "max_iter": 3}
    check_against_oracle(plan, "float64", unit_norm=True, cover=True, **options)
