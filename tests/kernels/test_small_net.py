"""Elastic nets over a working set against scikit-learn and their optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms
from sklearn.linear_model import ElasticNet

from subspan.kernels.small_net import descend, follow_path, minimise, newton
from subspan.kernels.working_set import Penalty, WorkingSet, new_working_set

FORMS = both_forms(minimise)
DESCEND, FOLLOW, NEWTON = (both_forms(part) for part in (descend, follow_path, newton))
L1, L2 = 0.08, 0.05


def problem(n_atoms: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A point, and atoms of unit length."""
    rng = np.random.default_rng(seed)
    atoms = rng.standard_normal((n_atoms, n_features))
    point = rng.standard_normal(n_features)
    return point / np.linalg.norm(point), atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def working_set(point: np.ndarray, atoms: np.ndarray, start: np.ndarray) -> WorkingSet:
    n = len(atoms)
    work = new_working_set(n + 3)
    for part in work:
        part[...] = 99
    work.gram[:n, :n] = atoms @ atoms.T
    work.values[:n] = start
    work.gradient[:n] = atoms @ (point - start @ atoms)
    return work


def solve(form: str, point: np.ndarray, atoms: np.ndarray, l2: float, start: np.ndarray) -> np.ndarray:
    n = len(atoms)
    work = working_set(point, atoms, start)
    FORMS[form](work, n, Penalty(L1, l2, 1e-10, 1e-13))
    found = work.values[:n].copy()
    # The gradient that is carried along is that of the solution.
    assert work.gradient[:n] == pytest.approx(atoms @ (point - found @ atoms), abs=1e-9)
    assert (work.values[n:] == 99).all()
    return found


def violation(point: np.ndarray, atoms: np.ndarray, l2: float, values: np.ndarray) -> float:
    """Of the optimality conditions."""
    slope = atoms @ (point - values @ atoms) - l2 * values
    used = values != 0
    inside = np.abs(slope[used] - L1 * np.sign(values[used]))
    return float(max(inside.max(initial=0), np.abs(slope[~used]).max(initial=0) - L1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("l2", [0.0, L2])
@pytest.mark.parametrize(("n_atoms", "n_features"), [(1, 5), (6, 20), (25, 8)])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_elastic_net_of_scikit_learn(form, l2, n_atoms, n_features, seed):
    point, atoms = problem(n_atoms, n_features, seed)
    found = solve(form, point, atoms, l2, np.zeros(n_atoms))
    # Theirs divides the misfit by the number of features, and splits one weight by a ratio.
    theirs = ElasticNet(
        alpha=(L1 + l2) / n_features, l1_ratio=L1 / (L1 + l2), fit_intercept=False, tol=1e-12, max_iter=10**5
    ).fit(atoms.T, point)
    assert found == pytest.approx(theirs.coef_, abs=1e-6)
    assert violation(point, atoms, l2, found) < 1e-9


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("l2", [0.0, L2])
def test_where_it_starts_does_not_matter(form, l2):
    point, atoms = problem(12, 20, 0)
    cold = solve(form, point, atoms, l2, np.zeros(12))
    rng = np.random.default_rng(1)
    starts = [cold, -cold, rng.standard_normal(12), np.where(np.arange(12) < 6, cold, 0)]
    for start in starts:
        assert solve(form, point, atoms, l2, start) == pytest.approx(cold, abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("l2", [0.0, L2])
def test_copies_and_dependent_atoms(form, l2):
    """Which of them take part is open without a square; what they add up to is not."""
    point, atoms = problem(9, 20, 2)
    twice = np.vstack([atoms, atoms, -atoms[:4], atoms[:1] / 2 + atoms[1:2] / 2])
    found = solve(form, point, twice, l2, np.zeros(len(twice)))
    assert violation(point, twice, l2, found) < 1e-9
    if l2:
        assert found[:9] == pytest.approx(found[9:18], abs=1e-9)
        assert found[:4] == pytest.approx(-found[18:22], abs=1e-9)
    else:
        once = solve(form, point, atoms, l2, np.zeros(9))
        assert found @ twice == pytest.approx(once @ atoms, abs=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_a_penalty_that_nothing_outweighs_leaves_nothing(form):
    point, atoms = problem(10, 20, 0)
    faint = L1 * point / np.abs(atoms @ point).max()
    start = np.random.default_rng(0).standard_normal(10)
    assert not solve(form, 0.999 * faint, atoms, L2, start).any()
    assert np.count_nonzero(solve(form, 1.001 * faint, atoms, L2, start)) == 1


@pytest.mark.parametrize("form", FORMS)
def test_orthogonal_atoms_are_shrunk_one_by_one(form):
    point = problem(1, 8, 3)[0]
    found = solve(form, point, np.eye(8), L2, np.zeros(8))
    assert found == pytest.approx(np.sign(point) * np.maximum(np.abs(point) - L1, 0) / (1 + L2), abs=1e-12)


class TestParts:
    """Each on its own: what one of them gets wrong, the others would mend."""

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("l2", [0.0, L2])
    def test_a_pass_of_descent_sets_each_coefficient_to_its_minimiser(self, form, l2):
        point, atoms = problem(10, 20, 0)
        values = np.random.default_rng(1).standard_normal(10)
        work = working_set(point, 2 * atoms, values)
        DESCEND[form](work, 10, Penalty(L1, l2, 1e-10, 1e-13))
        for i, atom in enumerate(2 * atoms):
            rest = point - values @ (2 * atoms) + values[i] * atom
            values[i] = np.sign(atom @ rest) * max(abs(atom @ rest) - L1, 0) / (atom @ atom + l2)
        assert work.values[:10] == pytest.approx(values, abs=1e-12)
        assert work.gradient[:10] == pytest.approx(2 * atoms @ (point - values @ (2 * atoms)), abs=1e-12)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("l2", [0.0, L2])
    @pytest.mark.parametrize("n_known", [0, 10])
    def test_a_path_ends_at_the_solution(self, form, l2, n_known):
        """From nothing, and from the solution over fewer atoms, of which some have to leave."""
        penalty = Penalty(L1, l2, 1e-10, 1e-13)
        n_left = 0
        for seed in range(10):
            point, atoms = problem(20, 12, seed)
            start = np.zeros(20)
            if n_known:
                start[:n_known] = solve("interpreted", point, atoms[:n_known], l2, np.zeros(n_known))
            work = working_set(point, atoms, start)
            FOLLOW[form](work, 20, penalty)
            assert violation(point, atoms, l2, work.values[:20]) < 1e-9
            n_left += np.count_nonzero((start != 0) & (work.values[:20] == 0))
        assert (n_left > 0) == (n_known > 0)

    @pytest.mark.parametrize("form", FORMS)
    def test_a_newton_step_on_the_right_signs_is_the_last(self, form):
        point, atoms = problem(12, 20, 0)
        exact = solve("interpreted", point, atoms, L2, np.zeros(12))
        work = working_set(point, atoms, exact * np.random.default_rng(0).uniform(0.9, 1.1, 12))
        assert not NEWTON[form](work, 12, Penalty(L1, L2, 1e-10, 1e-13))
        assert work.values[:12] == pytest.approx(exact, abs=1e-12)

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("seed", range(5))
    def test_dependent_atoms_leave_without_a_loss(self, form, seed):
        """Seven atoms in three dimensions: at most three may stay, and the objective must not rise."""
        point, atoms = problem(7, 3, seed)
        start = np.random.default_rng(seed).standard_normal(7)
        work = working_set(point, atoms, start)
        costs = [objective(point, atoms, start)]
        while NEWTON[form](work, 7, Penalty(L1, 0.0, 1e-10, 1e-13)):
            costs.append(objective(point, atoms, work.values[:7]))
        costs.append(objective(point, atoms, work.values[:7]))
        assert np.count_nonzero(work.values[:7]) <= 3
        assert len(costs) > 5
        assert max(np.diff(costs)) < 1e-12


def objective(point: np.ndarray, atoms: np.ndarray, values: np.ndarray) -> float:
    return float(((point - values @ atoms) ** 2).sum() / 2 + L1 * np.abs(values).sum())
