"""Pursuits of a tile against the algorithm written out, compiled and as plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from interpreted import both_forms
from oracles import Clarity, Pursuit, damped_omp
from points import points

from subspan.execution.tiles import norms_of
from subspan.kernels.pursuit.engine import pursue
from subspan.kernels.pursuit.state import (
    TWINS,
    Atoms,
    Dictionary,
    Picks,
    Problem,
    Queries,
    Reach,
    Rules,
    State,
    new_scratch,
    new_states,
)
from subspan.self_expression.engine import NO_BYTES, NO_NUMBERS, padded_features

FORMS = both_forms(pursue)
N, N_FEATURES, S = 40, 12, 4


@dataclass
class Tile:
    """All points as queries over one dictionary, those of the last quarter in none."""

    X: np.ndarray
    kept: np.ndarray
    damping: float
    targets: np.ndarray

    def problem(self, active: np.ndarray) -> Problem:
        rows = padded_features(self.X)
        counts = np.count_nonzero(self.targets, axis=1).astype(np.int32)
        atoms, values = np.full((N, N), -1, np.int32), np.full((N, N), np.nan)
        for j, n in enumerate(counts):
            atoms[j, :n] = np.flatnonzero(self.targets[j])
            values[j, :n] = self.targets[j, atoms[j, :n]]
        positions = np.full(N, -1, np.int32)
        positions[self.kept] = np.arange(len(self.kept))
        precision = float(np.finfo(self.X.dtype).eps)
        # The paper's psi: r^2 + 2 damping r c - damping c^2.
        rules = Rules(S, self.damping, 0.0, precision, 2 * self.damping, -self.damping, from_dropped=False)
        return Problem(
            Queries(rows, norms_of(rows), np.arange(N), active, atoms, values, counts),
            NO_BYTES,
            Atoms(rows, norms_of(rows), np.ones(N), np.arange(N)),
            Dictionary(self.kept.astype(np.int32), positions, np.empty(0, np.int16)),
            NO_NUMBERS,
            Reach(float(norms_of(rows).max()), float(np.finfo(np.float32).eps) * (N_FEATURES + 8)),
            rules,
        )

    def run(
        self, form: str, active: np.ndarray, states: State | None = None, n_together: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        problem = self.problem(active)
        states = states or fresh(self.X.dtype, n_together)
        picks = Picks(np.full((N, S), -1, np.int32), np.full((N, S), np.nan), np.full(N, -1, np.int32))
        events = np.zeros(2, np.int64)
        FORMS[form](problem, states, new_scratch(S, N, N, N_FEATURES, n_together), picks, events)
        assert np.array_equal(picks.counts >= 0, active)
        dense = np.zeros((N, N))
        for j in np.flatnonzero(active):
            dense[j, picks.atoms[j, : picks.counts[j]]] = picks.values[j, : picks.counts[j]]
        return dense, events


def fresh(dtype: np.dtype, n_together: int = 1) -> State:
    n_features = padded_features(np.zeros((1, N_FEATURES), dtype)).shape[1]
    return new_states(n_together, S, N, n_features, dtype)


def tile(damping: float, kind: str = "near_subspaces", dtype: str = "float64") -> Tile:
    rng = np.random.default_rng(1)
    targets = 0.3 * rng.standard_normal((N, N)) * (rng.random((N, N)) < 0.15) * (damping > 0)
    np.fill_diagonal(targets, 0)
    return Tile(points(kind, N, N_FEATURES, dtype), np.flatnonzero(np.arange(30) % 4), damping, targets)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["near_subspaces", "much_alike", "unequal_lengths"])
@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_algorithm_1(form, kind, damping):
    given = tile(damping, kind)
    found, events = given.run(form, np.ones(N, np.bool_))
    kept = np.isin(np.arange(N), given.kept)
    n_clear = 0
    for j in range(N):
        clarity = Clarity()
        wanted = damped_omp(given.X, kept, j, given.targets[j], Pursuit(S, damping, 0.0), clarity)
        if clarity.narrowest > 1e-9:
            n_clear += 1
            assert found[j] == pytest.approx(wanted, rel=1e-9, abs=1e-11)
    assert n_clear > 0.9 * N
    assert not events.any()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_queries_do_not_know_of_one_another(form, dtype):
    """Queries at rest are left alone, and what pursuits left in their buffers changes no bit."""
    given = tile(0.4, dtype=dtype)
    whole, _ = given.run(form, np.ones(N, np.bool_))
    some = np.arange(N) % 3 == 1
    used = fresh(given.X.dtype)
    for part in used:
        part[...] = 1
    found, _ = given.run(form, some, used)
    assert np.array_equal(found, np.where(some[:, None], whole, 0))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_together", [7, N])
def test_queries_together_or_one_after_the_other(form, dtype, n_together):
    given = tile(0.4, dtype=dtype)
    some = np.arange(N) % 5 != 2
    one_by_one, _ = given.run(form, some)
    together, _ = given.run(form, some, n_together=n_together)
    assert np.array_equal(together, one_by_one)


@pytest.mark.parametrize("form", FORMS)
def test_twins_are_passed_over_and_counted_and_a_plane_takes_two_atoms(form):
    given = tile(0.0)
    # All in a space of two dimensions; atoms 1 and 2 are one point.
    plane = np.random.default_rng(0).standard_normal((N, 2)) @ np.eye(2, N_FEATURES)
    plane[2] = plane[1]
    given.X = plane / np.linalg.norm(plane, axis=1, keepdims=True)
    found, events = given.run(form, np.ones(N, np.bool_))
    assert (np.count_nonzero(found, axis=1) <= 2).all()
    assert found @ given.X == pytest.approx(given.X, abs=1e-12)
    assert found[1, 2] == found[2, 1] == 0
    assert events[TWINS] == 2
