"""Looks: errors stay within their bounds, and the best atom is always among the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from points import KINDS, points

from subspan.kernels.jit import kernel
from subspan.kernels.pursuit import looks, step
from subspan.kernels.pursuit.state import EVERY_ATOM, N_BLOCKED, N_CANDIDATES, N_TARGETS, RUNNING, State
from subspan.self_expression import engine
from subspan.self_expression.consensus import ConsensusSettings, ConsensusTask
from subspan.self_expression.engine import Kept
from subspan.sources import ArraySource

# Ways in from Python to parts of kernels.
begin, choose_atom, take_step, write_picks = (
    kernel(part.py_func) for part in (step.begin, step.choose_atom, step.take_step, step.write_picks)
)
look, look_in_8_bits, look_at_residual = (
    kernel(part.py_func) for part in (looks.look, looks.look_in_8_bits, looks.look_at_residual)
)

N, N_NONZERO = 80, 3
# All but one of a group of 64, about half, and only a few; points 70 and after are no atoms.
DICTIONARIES = [np.arange(63), np.arange(1, 70, 2), np.array([3, 40, 65])]


class Watch:
    """Stands in for `pursue`: takes the same steps, and compares every look with exact scores."""

    def __init__(self) -> None:
        # Error of each look, as a share of its bound.
        self.shares: dict[str, list[float]] = {"8 bits": [], "residual": []}
        # Candidates that each look left.
        self.n_left: dict[str, list[int]] = {"8 bits": [], "residual": []}
        self.n_with_targets = 0

    def __call__(self, problem, states, scratch, picks, events) -> None:
        state = State(*(array[0] for array in states))
        for j in np.flatnonzero(problem.queries.active):
            for buffer in scratch:
                buffer[...] = 0
            begin(j, problem, state, picks)
            while state.counts[RUNNING]:
                self.n_with_targets += state.counts[N_TARGETS] > 0
                self.compare(problem, state, scratch)
                take_step(problem, state, picks, events)
            write_picks(state, picks)

    def compare(self, problem, state, scratch) -> None:
        state.counts[N_CANDIDATES] = EVERY_ATOM
        winner = choose_atom(problem, state)
        correlations, scores = exact_scores(problem, state)
        free = np.isfinite(scores)
        best = scores.max()
        nothing = problem._replace(numbers=problem.numbers._replace(words=problem.numbers.words[:0]))
        for name, given in (("residual", nothing), ("8 bits", problem)):
            if name == "8 bits":
                found = look_in_8_bits(problem, state, scratch)
                approximate = scratch.scores
            else:
                found = look_at_residual(problem, state, scratch)
                approximate = scratch.product_scores
            unit, error = found
            if unit > 0:
                errors = np.abs(unit * approximate[: len(free)] - correlations)[free]
                self.shares[name].append(errors.max(initial=0.0) / error)
            look(given, state, scratch)
            n = state.counts[N_CANDIDATES]
            self.n_left[name].append(n)
            if n == EVERY_ATOM:
                continue
            candidates = state.candidates[:n]
            assert best > 0
            assert set(np.flatnonzero(scores >= best * (1 - 1e-12))) <= set(candidates)
            assert len(set(candidates)) == n
            assert free[candidates].all()
            assert choose_atom(problem, state) == winner


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
    assert watched.n_left["8 bits"]
    return watched


TYPES = ["float32", "float64"]
HOW = [
    ("float32", "all", "psi"),
    ("float32", "dictionaries", "greedy"),
    ("float64", "all", "greedy"),
    ("float64", "dictionaries", "psi"),
    ("float32", "shared", "psi"),
]


@pytest.mark.parametrize(("dtype", "kept", "selection"), HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_atom_is_a_candidate(kind, dtype, kept, selection, monkeypatch):
    X = points(kind, N, 30, dtype)
    watched = watch(X, kept, monkeypatch, selection=selection, damping=0.4, max_iter=2)
    assert watched.n_with_targets > N
    for shares in watched.shares.values():
        assert max(shares) <= 1


@pytest.mark.parametrize("n_features", [2, 9, 300])
@pytest.mark.parametrize("dtype", TYPES)
def test_in_any_dimension(n_features, dtype, monkeypatch):
    X = points("unequal_lengths", N, n_features, dtype)
    watched = watch(X, "all", monkeypatch, damping=0.4, max_iter=2)
    for shares in watched.shares.values():
        assert max(shares) <= 1


@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("selection", ["psi", "greedy"])
@pytest.mark.parametrize("dtype", TYPES)
def test_at_any_scale(dtype, selection, scale, monkeypatch):
    X = (points("one_long_row", N, 30) * scale).astype(dtype)
    watched = watch(X, "all", monkeypatch, selection=selection, damping=0.4 * scale**2, max_iter=2)
    assert watched.n_with_targets > N
    for shares in watched.shares.values():
        assert max(shares) <= 1


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("dtype", TYPES)
def test_residuals_of_next_to_nothing(dtype, scale, monkeypatch):
    """Two atoms represent a point of the plane exactly, and pursuits go on."""
    X = (points("unequal_lengths", N, 2) * scale).astype(dtype)
    watched = watch(X, "all", monkeypatch, damping=1e-9 * scale**2)
    for shares in watched.shares.values():
        assert max(shares) <= 1


def test_looks_say_something(monkeypatch):
    """Bounds are not so wide, and most atoms of easy data are ruled out at once."""
    watched = watch(points("near_subspaces", N, 30), "all", monkeypatch, damping=0.4)
    assert np.median(watched.shares["8 bits"]) > 0.1
    for left in watched.n_left.values():
        assert np.mean(np.array(left) == 1) > 0.5
