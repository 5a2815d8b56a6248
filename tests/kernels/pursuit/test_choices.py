"""Which atom a step picks, and when a pursuit ends, against NumPy; the kernels as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import interpreted
from one_pursuit import KEPT, N_FEATURES, N, S, Steps, begin

from subspan.kernels.pursuit import step
from subspan.kernels.pursuit.state import (
    N_ATOMS,
    N_BLOCKED,
    N_DROPPED,
    N_REFUSED,
    N_TARGETS,
    QUERY,
    RUNNING,
    TWINS,
    Rules,
)

block, list_all, pick_dropped, keeps_dropped, refuse, write_picks = (
    interpreted(getattr(step, name))
    for name in ("block", "list_all", "pick_dropped", "keeps_dropped", "refuse", "write_picks")
)


def test_the_score_is_the_polynomial_of_its_rules():
    rules = Rules(S, 0.5, 0.0, 1e-16, cross=7.0, square=-3.0, from_dropped=False)
    score = interpreted(step.score)
    assert score(2.0, 5.0, 3.0, rules) == 9 * (4 + 7 * 2 * 5 - 3 * 25)


def test_a_pursuit_ends_at_the_tolerance_or_at_rounding():
    floor = interpreted(step.residual_floor)
    rules = Rules(S, 0.5, 1e-4, 1e-6, 0.0, 0.0, from_dropped=False)
    assert floor(1.0, rules) == 1e-4
    assert floor(100.0, rules) == pytest.approx(4e-6 * 1e4)


def test_a_query_begins_without_atoms_and_without_itself():
    steps = Steps(targets={1: 0.5, 5: 0.7, 9: -0.2})
    assert steps.count(RUNNING) == 1
    assert steps.count(QUERY) == steps.count(N_ATOMS) == steps.picks.counts[0] == 0
    # The target of a dropped atom is none of the dictionary's.
    n = steps.count(N_TARGETS)
    assert KEPT[steps.state.target_positions[:n]].tolist() == [1, 9]
    assert steps.state.target_values[:n].tolist() == [0.5, -0.2]
    assert steps.state.target_free[:n].all()
    assert steps.state.blocked[: steps.count(N_BLOCKED)].tolist() == [0]


def test_a_query_that_is_dropped_blocks_nothing_and_a_zero_one_is_at_rest():
    steps = Steps()
    begin(2, steps.problem, steps.state, steps.picks)
    assert (steps.count(QUERY), steps.count(N_BLOCKED), steps.count(RUNNING)) == (2, 0, 1)
    X = np.random.default_rng(1).standard_normal((N, N_FEATURES))
    X[0] = 0
    assert Steps(X=X).count(RUNNING) == 0
    # At the tolerance itself a pursuit is at its end.
    X[0] = [2.0, 0, 0, 0, 0]
    assert [Steps(X=X, squared_tol=tol).count(RUNNING) for tol in (3.9, 4.0, 4.1)] == [1, 0, 0]


def test_a_blocked_atom_loses_its_target_too():
    steps = Steps(targets={1: 0.5, 9: -0.2})
    block(int(np.searchsorted(KEPT, 9)), steps.state)
    assert steps.state.target_free[:2].tolist() == [True, False]
    listed = list_all(steps.problem, steps.state, steps.scratch)
    assert KEPT[steps.scratch.candidates[:listed]].tolist() == [1, 3, 4, 6, 7, 10, 11]
    assert steps.scratch.candidate_targets[:listed].tolist() == [0.5, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_score_is_picked(seed):
    rng = np.random.default_rng(seed)
    targets = {int(atom): float(rng.normal()) for atom in np.sort(rng.choice(KEPT[1:], 3, replace=False))}
    steps = Steps(weights=rng.uniform(0.5, 2, N), targets=targets, X=rng.standard_normal((N, N_FEATURES)))
    best = int(steps.scores().argmax())
    assert steps.chosen() == (best, targets.get(best, 0.0))


@pytest.mark.parametrize(("numbers", "winner"), [(np.arange(N), 4), (np.arange(N)[::-1].copy(), 9)])
def test_ties_go_to_the_lowest_row(numbers, winner):
    X = np.eye(N, N_FEATURES)
    X[0] = [0, 0, 1, 0, 0]
    X[[4, 7, 9]] = [0, 0, 2, 0, 0]
    assert Steps(X=X, numbers=numbers).chosen()[0] == winner


def test_atoms_at_right_angles_without_a_target_are_not_picked():
    X = np.zeros((N, N_FEATURES))
    X[:, 1] = 1
    X[0] = np.eye(N_FEATURES)[0]
    assert Steps(X=X).chosen()[0] == -1
    # The target alone counts: its score is negative, and the others have none.
    assert Steps(X=X, targets={4: 0.5}).chosen() == (4, 0.5)
    steps = Steps(X=X)
    steps.step()
    assert steps.count(RUNNING) == 0
    assert steps.picks.counts[0] == 0


@pytest.mark.parametrize("damping", [0.1, 2.0])
def test_a_dropped_atom_is_kept_if_its_target_costs_more_than_is_gained(damping):
    rules = Rules(S, damping, 0.0, 1e-16, 0.0, 0.0, from_dropped=True)
    r, c, norm = 0.7, 0.4, 1.5
    # Least of ||r - b x||^2 + damping (b - c)^2 over b, against b = 0; and c^2 without it.
    b = (r + damping * c) / (norm**2 + damping)
    saved = damping * c**2 - ((b * norm) ** 2 - 2 * b * r + damping * (b - c) ** 2)
    assert keeps_dropped(r, c, norm, rules) == (damping * c**2 >= saved)
    assert keeps_dropped(0.0, c, norm, rules)
    assert not keeps_dropped(10.0, c, norm, rules)


def test_dropped_atoms_are_picked_by_the_size_of_their_targets():
    steps = Steps(from_dropped=True, targets={2: 0.1, 3: 5.0, 5: -0.9, 8: 0.4})
    for expected in ([5], [5, 8], [5, 8, 2]):
        assert steps.count(RUNNING)
        pick_dropped(0, steps.problem, steps.state, steps.picks)
        n = steps.picks.counts[0]
        assert steps.picks.atoms[0, :n].tolist() == expected
    assert steps.picks.values[0].tolist() == [-0.9, 0.4, 0.1]
    assert (steps.count(RUNNING), steps.count(N_DROPPED)) == (0, 3)


def test_a_step_without_a_dropped_atom_counts_too():
    steps = Steps(from_dropped=True)
    for left in (1, 1, 0):
        pick_dropped(0, steps.problem, steps.state, steps.picks)
        assert steps.count(RUNNING) == left
    assert steps.picks.counts[0] == 0


def test_a_step_prefers_a_dropped_atom_or_takes_the_preserved_one():
    """With a target that costs next to nothing to leave, and with one that does."""
    steps = Steps(from_dropped=True, targets={1: 1e-9, 5: 0.9})
    best = int(steps.scores().argmax())
    steps.step()
    assert steps.picks.counts[0] == 0
    assert steps.state.atoms[0] == best
    X = np.eye(N, N_FEATURES)
    X[0] = [1e-3, 1, 0, 0, 0]
    X[1:] = np.eye(N_FEATURES)[4]
    X[4] = [1, 0, 0, 0, 0]
    steps = Steps(X=X, from_dropped=True, targets={4: 1e-2, 5: 0.9})
    steps.step()
    assert (steps.picks.atoms[0, 0], steps.count(N_ATOMS), steps.count(N_DROPPED)) == (5, 0, 1)


def test_as_many_refusals_as_atoms_are_borne():
    steps = Steps()
    running = []
    for _ in range(S + 1):
        refuse(steps.problem.rules, steps.state)
        running.append(steps.count(RUNNING))
    assert running == [1, 1, 1, 0]


def test_a_pursuit_is_the_least_squares_over_its_atoms():
    steps = Steps(damping=0.0)
    taken = []
    while steps.count(RUNNING):
        steps.step()
        taken.append(steps.count(N_ATOMS))
    assert taken == [1, 2, 3]
    write_picks(steps.state, steps.picks)
    atoms = steps.picks.atoms[0]
    assert 0 not in atoms
    wanted, *_ = np.linalg.lstsq(steps.X[atoms].T, steps.X[0], rcond=None)
    assert steps.picks.values[0] == pytest.approx(wanted)
    assert steps.picks.counts[0] == 3


@pytest.mark.parametrize(("damping", "twins"), [(0.0, 1), (0.5, 0)])
def test_a_copy_is_refused_only_without_damping_and_only_at_first(damping, twins):
    X = np.random.default_rng(1).standard_normal((N, N_FEATURES))
    X[4] = -3 * X[0]
    steps = Steps(damping=damping, X=X)
    steps.step()
    assert (steps.events[TWINS], steps.count(N_REFUSED)) == (twins, twins)
    assert steps.count(N_ATOMS) == 1 - twins
    assert steps.count(RUNNING) == (1 if damping == 0 or steps.count(N_ATOMS) < S else 0)


def test_a_pursuit_ends_once_nothing_is_left():
    X = np.random.default_rng(1).standard_normal((N, N_FEATURES))
    X[0] = 3 * X[4] / np.linalg.norm(X[4])
    X[4] = X[0] + 1e-4 * X[7]
    steps = Steps(damping=0.0, X=X, squared_tol=1e-6)
    steps.step()
    assert (steps.count(N_ATOMS), steps.count(RUNNING)) == (1, 0)
    assert KEPT[0] == 0
    assert steps.state.atoms[0] == 4
