"""Where a step decides by a hair, or begins from what an earlier one left; the kernels as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import interpreted
from one_pursuit import KEPT, N_FEATURES, N, S, Steps, begin

from subspan.kernels.pursuit import step
from subspan.kernels.pursuit.state import (
    DEPENDENT,
    HAS_RESIDUAL,
    N_ATOMS,
    N_CANDIDATES,
    N_DROPPED,
    N_REFUSED,
    RUNNING,
    Rules,
)

extend_system, keeps_dropped, list_all, pick_dropped = (
    interpreted(each) for each in (step.extend_system, step.keeps_dropped, step.list_all, step.pick_dropped)
)
UNIT = np.eye(N, N_FEATURES)


def seen_from(query: int, steps: Steps) -> Steps:
    """The pursuit of another point, one that is dropped: then atom 0 may be picked."""
    begin(query, steps.problem, steps.state, steps.picks)
    return steps


@pytest.mark.parametrize(("tol", "runs"), [(8.9, 1), (9.0, 0), (9.1, 0)])
def test_a_query_at_its_tolerance_is_at_rest(tol: float, runs: int) -> None:
    assert Steps(X=3 * UNIT, squared_tol=tol).count(RUNNING) == runs


@pytest.mark.parametrize(("tol", "runs"), [(15.9, 1), (16.0, 0), (16.1, 0)])
def test_a_pursuit_at_its_tolerance_ends(tol: float, runs: int) -> None:
    X = 0.01 * np.random.default_rng(0).standard_normal((N, N_FEATURES))
    X[0], X[4] = [3, 4, 0, 0, 0], [100, 0, 0, 0, 0]
    steps = Steps(damping=0.0, X=X, squared_tol=tol)
    steps.step()
    assert (steps.count(N_ATOMS), steps.count(RUNNING)) == (1, runs)


def test_targets_of_an_earlier_query_are_forgotten() -> None:
    steps = Steps(targets={1: 0.5})
    steps.scratch.candidate_targets[:] = 9
    listed = list_all(steps.problem, steps.state, steps.scratch)
    assert steps.scratch.candidate_targets[:listed].tolist() == [0.5, 0, 0, 0, 0, 0, 0, 0]


def test_the_first_atom_is_one_of_them() -> None:
    steps = seen_from(2, Steps())
    listed = list_all(steps.problem, steps.state, steps.scratch)
    assert KEPT[steps.scratch.candidates[:listed]].tolist() == KEPT.tolist()
    # It wins by its score, by a tie, and loses by both.
    for second, numbers, winner in (
        (1, np.arange(N), 0),
        (2, np.arange(N), 0),
        (2, -np.arange(N), 4),
        (3, np.arange(N), 4),
    ):
        X = np.zeros((N, N_FEATURES))
        X[2], X[0], X[4] = UNIT[0], 2 * UNIT[0], second * UNIT[0]
        assert seen_from(2, Steps(X=X, numbers=numbers)).chosen()[0] == winner


@pytest.mark.parametrize("seed", range(6))
def test_the_number_of_a_row_decides_between_equals_only(seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((N, N_FEATURES))
    steps = Steps(X=X, numbers=np.arange(N)[::-1].copy())
    assert steps.chosen()[0] == steps.scores().argmax()


def test_a_target_on_the_first_atom_is_none_of_a_dropped_one() -> None:
    steps = Steps(from_dropped=True)
    queries = steps.problem.queries
    queries.target_atoms[2, :2], queries.target_values[2, :2], queries.target_counts[2] = (
        [0, 5],
        [0.9, 0.1],
        2,
    )
    seen_from(2, steps)
    pick_dropped(2, steps.problem, steps.state, steps.picks)
    assert steps.picks.atoms[2, 0] == 5


def test_of_equal_targets_the_first_is_picked() -> None:
    steps = Steps(from_dropped=True, targets={2: 0.5, 8: -0.5})
    pick_dropped(0, steps.problem, steps.state, steps.picks)
    assert steps.picks.atoms[0, 0] == 2


def test_a_dropped_atom_is_picked_where_all_others_are_at_right_angles() -> None:
    X = np.tile(UNIT[1], (N, 1))
    X[0] = UNIT[0]
    steps = Steps(X=X, from_dropped=True, targets={5: 0.9})
    steps.step()
    assert (steps.picks.atoms[0, 0], steps.count(N_DROPPED), steps.count(RUNNING)) == (5, 1, 1)


@pytest.mark.parametrize("target", [0.4, 1.0])
@pytest.mark.parametrize("norm", [1.5, 4.0])
def test_a_dropped_atom_is_kept_up_to_the_point_where_it_costs_as_much(norm: float, target: float) -> None:
    rules = Rules(S, 0.3, 0.0, 1e-16, 0.0, 0.0, from_dropped=True)
    # Where (r + damping c)^2 = damping c^2 (norm^2 + damping).
    even = np.sqrt(0.3 * target**2 * (norm**2 + 0.3)) - 0.3 * target
    assert keeps_dropped(even * (1 - 1e-9), target, norm, rules)
    assert not keeps_dropped(even * (1 + 1e-9), target, norm, rules)
    assert keeps_dropped(0.0, 0.0, norm, rules)


def test_a_target_of_one_is_a_target() -> None:
    X = np.tile(UNIT[4], (N, 1))
    X[0], X[4] = [1e-3, 1, 0, 0, 0], UNIT[0]
    steps = Steps(X=X, from_dropped=True, targets={4: 1.0, 5: 0.9})
    steps.step()
    assert (steps.count(N_ATOMS), steps.count(N_DROPPED)) == (0, 1)


def test_an_only_candidate_is_judged_by_what_is_left() -> None:
    X = np.tile(UNIT[4], (N, 1))
    X[0], X[3], X[4] = [1, 1e-3, 0, 0, 0], 10 * UNIT[0], [1, 1e-3, 1, 0, 0]
    steps = Steps(X=X, damping=0.1, from_dropped=True, targets={4: 0.9, 5: 0.9})
    steps.step()
    assert steps.state.atoms[0] == 3
    # Of the whole query this atom would explain a lot, of the rest hardly anything.
    place = int(np.searchsorted(KEPT, 4))
    steps.scratch.candidates[0], steps.scratch.candidate_targets[0] = place, 0.9
    steps.state.counts[N_CANDIDATES] = 1
    assert steps.count(HAS_RESIDUAL) == 0
    residual = X[0] - steps.state.values[0] * X[3]
    expected = keeps_dropped(float(residual @ X[4]), 0.9, float(np.linalg.norm(X[4])), steps.problem.rules)
    assert expected != keeps_dropped(
        float(X[0] @ X[4]), 0.9, float(np.linalg.norm(X[4])), steps.problem.rules
    )
    steps.step()
    assert steps.count(N_DROPPED) == int(expected)


@pytest.mark.parametrize(("share", "accepted"), [(0.079, False), (0.081, True)])
def test_an_atom_depends_on_others_by_the_share_that_is_left(share: float, accepted: bool) -> None:
    """8 units of rounding, with a second atom; the unit is 1 % here, lengths are 3."""
    X = np.tile(UNIT[4], (N, 1))
    X[3], X[4] = 3 * UNIT[0], 3 * np.array([np.sqrt(1 - share), np.sqrt(share), 0, 0, 0])
    steps = Steps(X=X, damping=0.0)
    rules = steps.problem.rules._replace(precision=0.01)
    atoms = steps.problem.atoms
    assert extend_system(3, 1.0, 0.0, atoms, rules, steps.state)
    assert extend_system(4, 1.0, 0.0, atoms, rules, steps.state) == accepted
    assert steps.count(N_ATOMS) == 1 + accepted


def test_a_dependent_atom_is_counted_and_refused() -> None:
    rng = np.random.default_rng(0)
    X = np.zeros((N, N_FEATURES))
    X[:, :2], X[0] = rng.standard_normal((N, 2)), rng.standard_normal(N_FEATURES)
    steps = Steps(X=X, damping=0.0)
    steps.step()
    steps.step()
    assert (steps.count(N_ATOMS), steps.events[DEPENDENT]) == (2, 0)
    # What is left is at right angles to the plane of all others, but for rounding.
    steps.step()
    assert (steps.count(N_ATOMS), steps.events[DEPENDENT], steps.count(N_REFUSED)) == (2, 1, 1)


def test_dropped_atoms_and_preserved_ones_are_counted_together() -> None:
    steps = Steps(from_dropped=True, targets={2: 0.1, 5: -0.9})
    for left in (1, 1):
        pick_dropped(0, steps.problem, steps.state, steps.picks)
        assert steps.count(RUNNING) == left
    steps.step()
    assert (steps.count(N_ATOMS), steps.count(N_DROPPED), steps.count(RUNNING)) == (1, 2, 0)
