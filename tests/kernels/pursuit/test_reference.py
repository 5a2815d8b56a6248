"""The reference against the oracle of the tests, and the engines against the reference."""

from __future__ import annotations

from itertools import product
from typing import get_args

import numpy as np
import pytest
from oracles import Clarity, Pursuit, damped_omp

from subspan.datasets import make_union_of_subspaces
from subspan.kernels.pursuit.reference import consensus_omp
from subspan.kernels.pursuit.state import Rules
from subspan.self_expression.consensus import SELECTIONS, ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.kept import Kept
from subspan.sources import ArraySource

CLOSE = {"float64": 1e-12, "float32": 1e-5}
N_POINTS, N_SUBPROBLEMS, MAX_ITER, TOL, DAMPING = 120, 4, 3, 1e-2, 0.4
# Points that the reference represents; the engines represent all.
SOME = slice(1, None, 4)


def points_of(n_features: int, unit_norm: bool) -> np.ndarray:
    """Three noisy subspaces, in numbers that float32 holds exactly."""
    X, _ = make_union_of_subspaces(
        3, min(4, n_features - 1), n_features, N_POINTS // 3, noise=0.1, random_state=1
    )
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    if not unit_norm:
        X *= np.random.default_rng(0).integers(1, 9, (len(X), 1)) / 4
    return X.astype(np.float32).astype(np.float64)


def rules_of(settings: ConsensusSettings, X: np.ndarray, dtype: str) -> tuple[Rules, np.ndarray]:
    selection = SELECTIONS[settings.selection](np.linalg.norm(X, axis=1), settings.damping)
    rules = Rules(
        settings.n_nonzero, settings.damping, settings.residual_tol**2, float(np.finfo(dtype).eps),
        selection.cross, selection.square, settings.candidates == "all",
    )  # fmt: skip
    return rules, selection.weights


def reference(X: np.ndarray, dictionaries: list, settings: ConsensusSettings, dtype: str) -> np.ndarray:
    rules, weights = rules_of(settings, X, dtype)
    return np.array(
        [
            consensus_omp(
                X, dictionaries, weights, X[j], j, rules,
                max_iter=settings.max_iter, tol=settings.tol, over_chosen=settings.average == "chosen",
            )
            for j in range(len(X))[SOME]
        ]
    )  # fmt: skip


@pytest.mark.parametrize("candidates", ["preserved", "all"])
@pytest.mark.parametrize("selection", ["psi", "greedy"])
def test_the_reference_is_the_oracle(selection, candidates):
    X = points_of(12, unit_norm=False)
    kept = np.arange(N_POINTS) % 3 > 0
    settings = ConsensusSettings(4, DAMPING, selection=selection, candidates=candidates)
    rules, weights = rules_of(settings, X, "float64")
    for j in range(0, N_POINTS, 7):
        found = consensus_omp(X, [np.flatnonzero(kept)], weights, X[j], j, rules, max_iter=1, tol=0.0)
        pursuit = Pursuit(4, DAMPING, 1e-3, selection, candidates)
        expected = damped_omp(X, kept, j, np.zeros(N_POINTS), pursuit, Clarity())
        assert np.array_equal(found != 0, expected != 0)
        assert np.abs(found - expected).max() < 1e-12


@pytest.mark.parametrize("unit_norm", [True, False])
@pytest.mark.parametrize("n_features", [9, 40, 700])
def test_engines_equal_the_reference(n_features, unit_norm):
    X = points_of(n_features, unit_norm)
    kept = sample_dictionaries(N_POINTS, N_SUBPROBLEMS, n_nonzero=4, dropout=0.5, seed=1)
    variants = product(CLOSE, ("psi", "greedy"), ("preserved", "all"), ("all", "chosen"))
    for dtype, selection, candidates, average in variants:
        settings = ConsensusSettings(
            4, DAMPING, max_iter=MAX_ITER, tol=TOL,
            selection=selection, candidates=candidates, average=average,
        )  # fmt: skip
        expected = reference(X, kept, settings, dtype)
        for choice in get_args(Kept):
            source = ArraySource(X.astype(dtype))
            coefficients = represent(source, kept, settings, budget=10**9, kept=choice).coefficients
            found = coefficients.toarray()[SOME]
            assert np.array_equal(found != 0, expected != 0), (dtype, selection, candidates, average, choice)
            assert np.abs(found - expected).max() < CLOSE[dtype]


def test_a_new_row_is_represented_like_any_other():
    """A query that is no atom: the engines and the reference solve the same problem."""
    X = points_of(40, unit_norm=True)
    settings = ConsensusSettings(4, DAMPING, max_iter=MAX_ITER, tol=TOL)
    # No dictionary keeps the last third of the points.
    kept = sample_dictionaries(2 * N_POINTS // 3, N_SUBPROBLEMS, n_nonzero=4, dropout=0.5, seed=1)
    rules, weights = rules_of(settings, X, "float64")
    found = [
        represent(ArraySource(X), kept, settings, budget=10**9, kept=choice).coefficients.toarray()
        for choice in get_args(Kept)
    ]
    assert all(np.array_equal(found[0], other) for other in found)
    for j in range(2 * N_POINTS // 3, N_POINTS):
        expected = consensus_omp(X, kept, weights, X[j], -1, rules, max_iter=MAX_ITER, tol=TOL)
        assert np.array_equal(found[0][j] != 0, expected != 0)
        assert np.abs(found[0][j] - expected).max() < 1e-12
