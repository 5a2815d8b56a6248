"""Consensus OMP against the paper's algorithms written out, and against scikit-learn's OMP."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, get_args

import numpy as np
import pytest
from oracles import Pursuit, consensus_omp
from sklearn.linear_model import orthogonal_mp

from subspan.datasets import make_union_of_subspaces
from subspan.handover import Representation
from subspan.self_expression.consensus import ConsensusSettings, ConsensusTask
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.kept import Kept
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

EVERY_KEPT = get_args(Kept)
# Decisions closer than this may go either way under rounding; coefficients agree as closely as that.
CLEAR = {"float64": 1e-10, "float32": 1e-4}
CLOSE = {"float64": 1e-12, "float32": 1e-5}


@dataclass(frozen=True)
class Problem:
    """Points, sub-dictionaries and sparsity."""

    X: np.ndarray
    dictionaries: list[np.ndarray]
    n_nonzero: int


def near_subspaces(n_subspaces: int, n_per_subspace: int) -> np.ndarray:
    X, _ = make_union_of_subspaces(n_subspaces, 4, 12, n_per_subspace, noise=0.2, random_state=5)
    # Numbers that float32 holds exactly, so that both types solve the same problem.
    return unit_rows(X).astype(np.float32).astype(np.float64)


def unequal_lengths(X: np.ndarray) -> np.ndarray:
    lengths = np.random.default_rng(0).integers(1, 9, (len(X), 1)) / 4
    return X * lengths


ROOMY = near_subspaces(3, 50)
KEPT = sample_dictionaries(150, 4, n_nonzero=4, dropout=0.6, seed=1)
COVERED = sample_dictionaries(150, 4, n_nonzero=4, dropout=0.6, cover=True, seed=1)
# So few atoms that nearly all of them get a target: only then are dropped ones picked under psi.
CROWDED = near_subspaces(2, 12)
CROWDED_KEPT = sample_dictionaries(24, 8, n_nonzero=6, dropout=0.5, seed=1)
PROBLEMS = {
    "unit": Problem(ROOMY, KEPT, 4),
    "unscaled": Problem(unequal_lengths(ROOMY), KEPT, 4),
    "covered": Problem(ROOMY, COVERED, 4),
    "crowded": Problem(CROWDED, CROWDED_KEPT, 6),
    "crowded unscaled": Problem(unequal_lengths(CROWDED), CROWDED_KEPT, 6),
}


def expected(problem: Problem, options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    rules = Pursuit(problem.n_nonzero, 0.4, 1e-3, options["selection"], options["candidates"])
    # Points are independent of each other, so every third one will do, from both tiles.
    rows = range(0, len(problem.X), 3 if len(problem.X) > 100 else 1)
    return consensus_omp(
        problem.X, problem.dictionaries, rules,
        rows=rows, max_iter=options["max_iter"], tol=1e-2, average=options["average"],
    )  # fmt: skip


def solve(problem: Problem, kept: Kept, dtype: str = "float64", **options: Any) -> Representation:
    settings = ConsensusSettings(
        n_nonzero=problem.n_nonzero, **{"damping": 0.4, "residual_tol": 1e-3, "tol": 1e-2} | options
    )
    source = ArraySource(problem.X.astype(dtype))
    return represent(source, problem.dictionaries, settings, budget=10**9, kept=kept)


def check_against_oracle(problem: Problem, **options: Any) -> None:
    C, narrowest = expected(problem, options)
    for kept, dtype in product(EVERY_KEPT, CLEAR):
        coefficients = solve(problem, kept, dtype, **options).coefficients
        assert coefficients.dtype == dtype
        found = coefficients.toarray()
        clear = narrowest > CLEAR[dtype]
        assert clear.sum() > 0.9 * (narrowest > 0).sum()
        assert np.array_equal(found[clear] != 0, C[clear] != 0), (kept, dtype)
        assert np.abs(found[clear] - C[clear]).max() < CLOSE[dtype], (kept, dtype)


@pytest.mark.parametrize("average", ["all", "chosen"])
@pytest.mark.parametrize("candidates", ["preserved", "all"])
@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_consensus_equals_algorithm_2(problem, selection, candidates, average):
    check_against_oracle(problem, selection=selection, candidates=candidates, average=average, max_iter=4)


@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("problem", ["unit", "unscaled"])
def test_first_pass_equals_algorithm_1(problem, selection):
    options = {"selection": selection, "candidates": "preserved", "average": "all", "max_iter": 1}
    check_against_oracle(PROBLEMS[problem], **options)


def test_problems_tell_the_variants_apart():
    """The comparisons above would prove little if every variant gave the same solution."""

    def support(problem: str, **options: str) -> np.ndarray:
        return solve(PROBLEMS[problem], "all", max_iter=4, **options).coefficients.toarray() != 0

    def share_of_points_that_differ(one: np.ndarray, other: np.ndarray) -> float:
        return float((one != other).any(axis=1).mean())

    assert len(COVERED) == len(KEPT) + 1
    psi, greedy = (support("unit", selection=rule) for rule in ("psi", "greedy"))
    assert share_of_points_that_differ(psi, greedy) > 0.5
    for rule in ("psi", "greedy"):
        preserved, every = (
            support("crowded", selection=rule, average="chosen", candidates=choice)
            for choice in ("preserved", "all")
        )
        assert share_of_points_that_differ(preserved, every) > 0.2


@pytest.mark.parametrize("selection", ["psi", "greedy"])
def test_dropped_atoms_help_where_no_preserved_one_does(selection):
    """Three orthogonal planes; dictionaries that keep no point of one plane can only repeat the consensus."""
    rng = np.random.default_rng(0)
    X = np.zeros((24, 6))
    for plane in range(3):
        X[8 * plane : 8 * plane + 8, 2 * plane : 2 * plane + 2] = unit_rows(rng.standard_normal((8, 2)))
    # Rounded, so that float32 holds the same numbers.
    X = np.round(X * 2**20) / 2**20
    kept = [np.arange(0, 11), np.arange(4, 20), np.arange(8, 24, 2), np.arange(0, 7), np.arange(18, 24)]
    problem = Problem(X, kept, 2)
    check_against_oracle(problem, selection=selection, candidates="all", average="all", max_iter=3)


@pytest.mark.parametrize("seed", range(20))
def test_without_dropout_and_damping_it_is_omp(seed):
    X, _ = make_union_of_subspaces(5, 6, 30, 100, noise=0.1, random_state=seed)
    X = unit_rows(X)
    expected = np.zeros((500, 500))
    for j in range(500):
        atoms = X.T.copy()
        # A zero column is never picked.
        atoms[:, j] = 0
        expected[j] = orthogonal_mp(atoms, X[j], n_nonzero_coefs=5, copy_X=False)
    settings = ConsensusSettings(n_nonzero=5, residual_tol=0.0)
    everything = sample_dictionaries(500, 1, n_nonzero=5, dropout=0.0)
    found = represent(ArraySource(X), everything, settings, budget=10**9).coefficients.toarray()
    assert np.array_equal(found != 0, expected != 0)
    assert np.abs(found - expected).max() < 1e-8


@pytest.mark.parametrize("kept", EVERY_KEPT)
def test_changes_are_those_of_the_whole_matrix(kept):
    passes = [np.zeros((150, 150))]
    for max_iter in range(1, 5):
        found = solve(PROBLEMS["unit"], kept, max_iter=max_iter, tol=0.0)
        passes.append(found.coefficients.toarray())
    steps = [np.linalg.norm(new - old) / np.linalg.norm(new) for old, new in pairwise(passes)]
    assert np.allclose(found.changes, steps)
    assert found.n_iter == 4


def test_points_at_rest_stay_while_others_move_on():
    """A loose tolerance: what rests keeps the coefficients of its last pass, bit for bit."""
    loose = [solve(PROBLEMS["unit"], "all", max_iter=n, tol=0.3).coefficients.toarray() for n in (2, 3, 4)]
    resting = (loose[0] == loose[1]).all(axis=1)
    assert 0 < resting.sum() < 150
    assert np.array_equal(loose[0][resting], loose[2][resting])
    assert solve(PROBLEMS["unit"], "all", max_iter=50, tol=1.1).n_iter == 2


@pytest.mark.parametrize("kept", EVERY_KEPT)
def test_a_block_is_solved_on_its_own(kept):
    X = near_subspaces(3, 120)
    dictionaries = sample_dictionaries(360, 3, n_nonzero=4, dropout=0.4)
    settings = ConsensusSettings(4, damping=0.4, max_iter=2)
    task = ConsensusTask(ArraySource(X), dictionaries, settings, kept=kept, block_rows=128)
    whole = represent(
        ArraySource(X), dictionaries, settings, budget=10**9, kept=kept, block_rows=512
    ).coefficients
    for number in (2, 0, 1, 2):
        block = task(number)
        rows = whole[128 * number : 128 * (number + 1)]
        assert np.array_equal(block.lengths, np.diff(rows.indptr))
        assert np.array_equal(block.indices, rows.indices)
        assert np.array_equal(block.values, rows.data)


def test_support_is_bounded_and_sorted():
    found = solve(PROBLEMS["unit"], "all", max_iter=3).coefficients
    assert np.diff(found.indptr).max() <= 4 * len(KEPT)
    assert found.has_sorted_indices
    assert (found.data != 0).all()
