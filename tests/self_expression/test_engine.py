"""Prepared dictionaries and queries of any kind: atoms, points that are none, and new rows."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from oracles import Clarity, Pursuit, damped_omp
from points import points

from subspan.execution.tiles import norms_of
from subspan.kernels.pursuit.state import Queries, Rules
from subspan.self_expression.engine import Engine, padded_features
from subspan.self_expression.kept import Kept

N_ATOMS, N_NEW, S, DAMPING = 90, 20, 3, 0.3
RULES = Pursuit(S, DAMPING, 0.0)
DICTIONARIES = [np.arange(0, N_ATOMS, 2), np.arange(64), np.array([5, 17, 18, 60])]


def queries_of(rows: np.ndarray, own: np.ndarray) -> Queries:
    padded, n = padded_features(rows), len(rows)
    targets = np.zeros((n, 0), np.int32), np.zeros((n, 0)), np.zeros(n, np.int32)
    return Queries(padded, norms_of(padded), own, np.ones(n, np.bool_), *targets)


def solve(X: np.ndarray, rows: np.ndarray, own: np.ndarray, kept: Kept) -> np.ndarray:
    """Dense solutions (dictionary, query, atom)."""
    rules = Rules(S, DAMPING, 0.0, float(np.finfo(X.dtype).eps), 2 * DAMPING, -DAMPING, from_dropped=False)
    dictionaries = [kept_atoms.astype(np.int32) for kept_atoms in DICTIONARIES]
    engine = Engine(X, np.arange(N_ATOMS), dictionaries, rules, np.ones(N_ATOMS), kept)
    queries = queries_of(rows, own)
    work = engine.workspace(len(rows), 0)
    events = np.zeros(2, np.int64)
    found = np.zeros((len(DICTIONARIES), len(rows), N_ATOMS))
    for number in range(len(DICTIONARIES)):
        engine.solve(number, queries, engine.bytes_of(queries), work, events)
        for j, n in enumerate(work.picks.counts[number]):
            found[number, j, work.picks.atoms[number, j, :n]] = work.picks.values[number, j, :n]
    return found


@pytest.mark.parametrize("kept", get_args(Kept))
@pytest.mark.parametrize("kind", ["near_subspaces", "much_alike", "unequal_lengths"])
def test_atoms_and_new_rows_are_solved_by_algorithm_1(kept, kind):
    every = points(kind, N_ATOMS + N_NEW, 15)
    X, rows = every[:N_ATOMS], every[40:]
    own = np.where(np.arange(len(rows)) < N_ATOMS - 40, np.arange(len(rows)) + 40, -1)
    found = solve(X, rows, own, kept)
    for number, atoms in enumerate(DICTIONARIES):
        for j in range(0, len(rows), 6):
            clarity = Clarity()
            members = np.isin(np.arange(N_ATOMS + N_NEW), atoms)
            wanted = damped_omp(
                every, members, 40 + j, np.zeros(len(every)), Pursuit(S, DAMPING, 0.0), clarity
            )
            if clarity.narrowest > 1e-9:
                assert found[number, j] == pytest.approx(wanted[:N_ATOMS], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_kept_changes_no_bit(dtype):
    every = points("near_subspaces", N_ATOMS + N_NEW, 15, dtype)
    rows, own = every[N_ATOMS:], np.full(N_NEW, -1)
    reference, *others = (solve(every[:N_ATOMS], rows, own, kept) for kept in get_args(Kept))
    assert np.count_nonzero(reference) == 3 * N_NEW * S
    assert all(np.array_equal(reference, other) for other in others)


@pytest.mark.parametrize("n_features", [1, 63, 64, 65])
def test_padding_changes_no_product(n_features):
    rows = np.random.default_rng(0).standard_normal((7, n_features))
    padded = padded_features(rows)
    assert np.array_equal(padded[:, :n_features], rows)
    assert not padded[:, n_features:].any()
    assert norms_of(padded) == pytest.approx(np.linalg.norm(rows, axis=1))
    padded[:] = 0
    assert rows.any()
