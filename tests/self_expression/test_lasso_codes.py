"""Elastic-net codes over a fixed dictionary against scikit-learn and the optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet

from subspan.execution.tiles import gram_matrix, squared_norms
from subspan.handover import InputError
from subspan.self_expression.lasso_codes import (
    CodingProblem,
    WorkingSets,
    elastic_net_codes_with_cost,
    tile_codes,
)


def elastic_net_codes(*arguments, **settings):
    return elastic_net_codes_with_cost(*arguments, **settings)[0]


def random_rows(n: int, n_features: int, seed: int = 0, dtype: str = "float64") -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, n_features))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(dtype)


def objective(points, atoms, codes, l1, l2):
    misfit = ((points - codes @ atoms) ** 2).sum(axis=1)
    return misfit / 2 + l1 * np.abs(codes).sum(axis=1) + l2 / 2 * (codes**2).sum(axis=1)


def worst_violation(points, atoms, codes, l1, l2):
    gradient = (points - codes @ atoms) @ atoms.T - l2 * codes
    used = np.abs(gradient - l1 * np.sign(codes))
    return np.where(codes != 0, used, np.abs(gradient) - l1).max()


@pytest.mark.parametrize("l1", [0.3, 0.03, 0.003])
@pytest.mark.parametrize("l2", [0.0, 0.02])
def test_codes_are_those_of_scikit_learn(l1, l2):
    points, atoms = random_rows(20, 12), random_rows(40, 12, seed=1)
    codes = elastic_net_codes(points, atoms, l1=l1, l2=l2).toarray()
    peer = ElasticNet(
        alpha=(l1 + l2) / 12, l1_ratio=l1 / (l1 + l2), fit_intercept=False, tol=1e-13, max_iter=10**6
    )
    expected = np.array([peer.fit(atoms.T, point).coef_ for point in points])
    assert codes == pytest.approx(expected, abs=1e-5)
    assert (
        objective(points, atoms, codes, l1, l2) <= objective(points, atoms, expected, l1, l2) + 1e-12
    ).all()


@pytest.mark.parametrize(("dtype", "tol"), [("float32", 1e-6), ("float64", 1e-13)])
@pytest.mark.parametrize(("n_features", "n_atoms"), [(30, 20), (6, 300)])
@pytest.mark.parametrize("l2", [0.0, 0.01])
def test_optimality_conditions_hold(dtype, tol, n_features, n_atoms, l2):
    points, atoms = random_rows(150, n_features, 0, dtype), random_rows(n_atoms, n_features, 1, dtype)
    codes, cost = elastic_net_codes_with_cost(points, atoms, l1=0.01, l2=l2)
    assert codes.shape == (150, n_atoms)
    assert codes.dtype == dtype
    assert codes.has_sorted_indices
    points, atoms, codes = (a.astype("float64") for a in (points, atoms, codes.toarray()))
    assert worst_violation(points, atoms, codes, 0.01, l2) < tol
    assert cost == pytest.approx(objective(points, atoms, codes, 0.01, l2), abs=tol)


def test_no_atom_represents_itself():
    points = random_rows(60, 10)
    own = np.arange(60)
    own[30:] = -1
    codes = elastic_net_codes(points, points, l1=0.05, own_atom=own).toarray()
    assert not codes.diagonal()[:30].any()
    assert codes.diagonal()[30:] == pytest.approx(0.95)
    others = elastic_net_codes(points[:1], points[1:], l1=0.05).toarray()
    assert codes[0, 1:] == pytest.approx(others[0])


def test_every_point_has_its_own_weights():
    points, atoms = random_rows(3, 10), random_rows(20, 10, seed=1)
    l1, l2 = np.array([0.1, 0.02, 5.0]), np.array([0.0, 0.1, 0.0])
    codes, cost = elastic_net_codes_with_cost(points, atoms, l1=l1, l2=l2)
    for j in range(2):
        alone = elastic_net_codes(points[j : j + 1], atoms, l1=l1[j], l2=l2[j])
        assert codes.toarray()[j] == pytest.approx(alone.toarray()[0])
    # A weight above all correlations leaves nothing.
    assert not codes.toarray()[2].any()
    assert cost[2] == pytest.approx(0.5)


@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_copies_and_dependent_atoms(l2):
    atoms = random_rows(12, 4)
    # Copies, mirror images, and combinations of others.
    atoms = np.concatenate([atoms, atoms[:5], -atoms[3:9], (atoms[:4] + atoms[4:8]) / 2])
    points = random_rows(30, 4, seed=1)
    codes = elastic_net_codes(points, atoms, l1=0.01, l2=l2).toarray()
    assert worst_violation(points, atoms, codes, 0.01, l2) < 1e-9


def test_working_sets_grow_beyond_their_first_room():
    points, atoms = random_rows(5, 60), random_rows(200, 60, seed=1)
    roomy = elastic_net_codes(points, atoms, l1=1e-4, l2=0.1)
    assert np.diff(roomy.indptr).max() > 100
    narrow = elastic_net_codes(points, atoms, l1=1e-4, l2=0.1, sizes=WorkingSets(candidates=15, room=20))
    assert narrow.toarray() == pytest.approx(roomy.toarray())


def test_codes_resume_from_a_smaller_dictionary():
    points, atoms = random_rows(128, 10), random_rows(128, 10, seed=1)
    ones = np.ones(128)
    problem = CodingProblem(
        correlations=points @ atoms.T,
        n_atoms=50,
        squared_norms=squared_norms(points),
        own_atom=np.full(128, -1),
        l1=0.05 * ones,
        l2=0 * ones,
        tol=1e-9 * ones,
    )
    gram = gram_matrix(atoms, 1)
    smaller = tile_codes(problem, gram)
    assert smaller.atoms.max() < 50
    before = smaller.cost.copy()
    smaller.finished[:] = False
    whole = CodingProblem(**(vars(problem) | {"n_atoms": 128}))
    resumed = tile_codes(whole, gram, smaller)
    assert resumed.cost == pytest.approx(tile_codes(whole, gram).cost)
    assert (resumed.cost < before).any()


def test_threads_change_nothing():
    points, atoms = random_rows(300, 30, 0, "float32"), random_rows(150, 30, 1, "float32")
    one = elastic_net_codes(points, atoms, l1=0.01)
    two = elastic_net_codes(points, atoms, l1=0.01, threads=2)
    assert np.array_equal(one.toarray(), two.toarray())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"l1": 0.0}, "l1 must be finite and positive, but is 0"),
        ({"l1": np.array([1.0, np.nan])}, "l1 must be finite and positive, but is nan"),
        ({"l1": 1.0, "l2": -1.0}, "l2 must be finite and not negative, but is -1"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        elastic_net_codes(np.eye(2), np.eye(2), **weights)
