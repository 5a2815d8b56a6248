"""Looks: errors stay within their bounds, and the best atom is always among the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import way_in
from points import KINDS, points

from subspan.kernels.pursuit import looks, residual_look, step
from subspan.kernels.pursuit.state import N_BLOCKED, N_CANDIDATES, N_TARGETS, RUNNING, State
from subspan.self_expression import engine
from subspan.self_expression.consensus import ConsensusSettings, ConsensusTask
from subspan.self_expression.kept import Kept
from subspan.sources import ArraySource

# Ways in from Python to parts of kernels.
begin, choose_atom, take_step, write_picks = (
    way_in(part) for part in (step.begin, step.choose_atom, step.take_step, step.write_picks)
)
look, look_in_8_bits, look_at_residual = (
    way_in(part) for part in (looks.look, looks.look_in_8_bits, looks.look_at_residual)
)
fill_panels, multiply_together = (
    way_in(part) for part in (residual_look.fill_panels, residual_look.multiply_together)
)

N, N_NONZERO = 80, 3
# All but one of a group of 64, about half, and only a few; points 70 and after are no atoms.
DICTIONARIES = [np.arange(63), np.arange(1, 70, 2), np.array([3, 40, 65])]


class Watch:
    """Stands in for `pursue`: takes the same steps, and compares every look with exact scores."""

    def __init__(self) -> None:
        # Error of each look, as a share of its bound.
        self.shares: list[float] = []
        # Candidates that each look left; none if it told nothing.
        self.n_left: list[int] = []
        self.n_with_targets = 0

    def __call__(self, problem, states, scratch, picks, events) -> None:
        only = State(*(array[:1] for array in states))
        state = State(*(array[0] for array in states))
        by_residual = len(problem.numbers.words) == 0
        states.counts[:] = 0
        for j in np.flatnonzero(problem.queries.active):
            for buffer in scratch:
                buffer[...] = 0
            if by_residual:
                fill_panels(problem, scratch)
            begin(j, problem, state, picks)
            while state.counts[RUNNING]:
                self.n_with_targets += state.counts[N_TARGETS] > 0
                if by_residual:
                    multiply_together(problem, only, scratch)
                self.compare(problem, state, scratch)
                take_step(problem, state, scratch, picks, events)
            write_picks(state, picks)

    def compare(self, problem, state, scratch) -> None:
        state.counts[N_CANDIDATES] = 0
        winner = choose_atom(problem, state, scratch)
        correlations, scores = exact_scores(problem, state)
        free = np.isfinite(scores)
        best = scores.max()
        if len(problem.numbers.words) > 0:
            unit, error = look_in_8_bits(problem, state, scratch)
            approximate = scratch.scores
        else:
            unit, error = look_at_residual(problem, state, scratch)
            approximate = scratch.product_scores
        if unit > 0:
            errors = np.abs(unit * approximate[: len(free)] - correlations)[free]
            self.shares.append(errors.max(initial=0.0) / error)
        look(problem, state, scratch)
        n = state.counts[N_CANDIDATES]
        self.n_left.append(n)
        if n == 0:
            return
        candidates = scratch.candidates[:n].copy()
        assert best > 0
        assert set(np.flatnonzero(scores >= best * (1 - 1e-12))) <= set(candidates)
        assert len(set(candidates)) == n
        assert free[candidates].all()
        assert choose_atom(problem, state, scratch) == winner


def exact_scores(problem, state) -> tuple[np.ndarray, np.ndarray]:
    """Weighted correlations of the atoms of a dictionary with the residual, and their scores."""
    atoms, dictionary, rules = problem.atoms, problem.dictionary, problem.rules
    weights = atoms.weights[dictionary.atoms]
    r = weights * (atoms.rows[dictionary.atoms].astype(np.float64) @ state.residual.astype(np.float64))
    c = np.zeros(len(r))
    n = state.counts[N_TARGETS]
    c[state.target_positions[:n]] = state.target_values[:n]
    c *= weights
    scores = r**2 + rules.cross * r * c + rules.square * c**2
    scores[state.blocked[: state.counts[N_BLOCKED]]] = -np.inf
    scores[dictionary.positions[dictionary.atoms] < 0] = -np.inf
    return r, scores


def watch(X: np.ndarray, kept: Kept, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Watch:
    watched = Watch()
    task = ConsensusTask(
        ArraySource(X), DICTIONARIES, ConsensusSettings(N_NONZERO, residual_tol=0.0, **settings), kept=kept
    )
    monkeypatch.setattr(engine, "pursue", watched)
    task(0)
    assert watched.n_left
    return watched


TYPES = ["float32", "float64"]
HOW = [
    ("float32", "all", "psi"),
    ("float32", "dictionaries", "greedy"),
    ("float64", "all", "greedy"),
    ("float64", "dictionaries", "psi"),
    ("float32", "shared", "psi"),
    ("float32", "none", "greedy"),
    ("float64", "none", "psi"),
]
BOTH_LOOKS = ["all", "none"]


@pytest.mark.parametrize(("dtype", "kept", "selection"), HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_atom_is_a_candidate(kind, dtype, kept, selection, monkeypatch):
    X = points(kind, N, 30, dtype)
    watched = watch(X, kept, monkeypatch, selection=selection, damping=0.4, max_iter=2)
    assert watched.n_with_targets > N
    assert max(watched.shares) <= 1


@pytest.mark.parametrize("n_features", [2, 9, 300])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kept", BOTH_LOOKS)
def test_in_any_dimension(n_features, dtype, kept, monkeypatch):
    X = points("unequal_lengths", N, n_features, dtype)
    watched = watch(X, kept, monkeypatch, damping=0.4, max_iter=2)
    assert max(watched.shares) <= 1


@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kept", BOTH_LOOKS)
def test_at_any_scale(dtype, selection, scale, kept, monkeypatch):
    X = (points("one_long_row", N, 30) * scale).astype(dtype)
    watched = watch(X, kept, monkeypatch, selection=selection, damping=0.4 * scale**2, max_iter=2)
    assert watched.n_with_targets > N
    assert max(watched.shares) <= 1


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kept", BOTH_LOOKS)
def test_residuals_of_next_to_nothing(dtype, scale, kept, monkeypatch):
    """Two atoms represent a point of the plane exactly, and pursuits go on."""
    X = (points("unequal_lengths", N, 2) * scale).astype(dtype)
    watched = watch(X, kept, monkeypatch, damping=1e-9 * scale**2)
    assert max(watched.shares) <= 1


@pytest.mark.parametrize("kept", BOTH_LOOKS)
def test_looks_say_something(kept, monkeypatch):
    """Bounds are not so wide, and most atoms of easy data are ruled out at once."""
    watched = watch(points("near_subspaces", N, 30), kept, monkeypatch, damping=0.4)
    assert np.median(watched.shares) > (0.1 if kept == "all" else 0)
    assert np.mean(np.array(watched.n_left) == 1) > 0.5
