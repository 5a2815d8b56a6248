"""Anchors cover the data and differ between sets; codes against scikit-learn's lasso."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.self_expression.anchors import anchor_codes, sample_anchors


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    X = make_union_of_subspaces(4, 3, 20, 50, noise=0.2, random_state=0)[0]
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("n_anchors", [1, 2, 37, 200])
def test_sets_have_distinct_sorted_anchors(n_anchors, points):
    for anchors in sample_anchors(points, n_anchors, 3):
        assert len(anchors) == n_anchors
        assert (np.diff(anchors) > 0).all()
        assert anchors[0] >= 0
        assert anchors[-1] < 200


def test_one_anchor_is_the_point_nearest_to_the_mean(points):
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert sample_anchors(points, 1, 1)[0].tolist() == [distances.argmin()]


def test_separate_groups_are_all_covered():
    rng = np.random.default_rng(0)
    centres = 10 * rng.standard_normal((8, 5))
    group = rng.permutation(np.repeat(np.arange(8), 25))
    points = centres[group] + 0.01 * rng.standard_normal((200, 5))
    covered = [len(set(group[anchors])) for anchors in sample_anchors(points, 16, 5, seed=1)]
    assert min(covered) == 8


def test_anchors_cover_better_than_random_points(points):
    def distance(anchors: np.ndarray) -> float:
        return float(np.linalg.norm(points[:, None] - points[anchors], axis=2).min(axis=1).mean())

    rng = np.random.default_rng(0)
    ours = [distance(anchors) for anchors in sample_anchors(points, 40, 5)]
    random = [distance(rng.choice(200, 40, replace=False)) for _ in range(5)]
    assert max(ours) < min(random)


def test_sets_differ_and_depend_on_seed_and_number_only(points):
    sets = sample_anchors(points, 40, 4, seed=3)
    assert len({tuple(anchors) for anchors in sets}) == 4
    again = sample_anchors(points, 40, 2, seed=3, threads=2)
    assert [a.tolist() for a in again] == [a.tolist() for a in sets[:2]]
    assert sets[0].tolist() != sample_anchors(points, 40, 1, seed=4)[0].tolist()


def test_copies_are_split_all_the_same():
    anchors = sample_anchors(np.ones((9, 2)), 5, 1)[0]
    assert len(set(anchors.tolist())) == 5


@pytest.mark.parametrize("n_anchors", [0, 201])
def test_impossible_numbers_are_refused(n_anchors, points):
    with pytest.raises(InputError, match=f"n_anchors={n_anchors} must lie between 1 and .* 200"):
        sample_anchors(points, n_anchors, 1)


@pytest.mark.parametrize("regularization", [2.0, 10.0])
def test_codes_against_scikit_learn(regularization, points):
    anchors = sample_anchors(points, 30, 1)[0]
    codes = anchor_codes(points, anchors, regularization=regularization).toarray()
    assert not codes[:, np.setdiff1d(np.arange(200), anchors)].any()
    assert not codes.diagonal().any()
    for j in (0, 1, int(anchors[0]), int(anchors[7])):
        others = anchors[anchors != j]
        penalty = np.abs(points[others] @ points[j]).max() / regularization
        model = Lasso(penalty / points.shape[1], fit_intercept=False, tol=1e-12, max_iter=10**5)
        expected = model.fit(points[others].T, points[j]).coef_
        assert codes[j, others] == pytest.approx(expected, abs=1e-5)
        assert expected.any()


def test_no_coefficient_at_a_regularization_of_one(points):
    codes = anchor_codes(points, sample_anchors(points, 30, 1)[0], regularization=1.0)
    assert codes.nnz == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_types_are_kept_and_threads_change_nothing(dtype, points):
    X = points.astype(dtype)
    anchors = sample_anchors(X, 30, 1)[0]
    one, two = (anchor_codes(X, anchors, regularization=10.0, threads=n) for n in (1, 2))
    assert one.dtype == dtype
    assert np.array_equal(one.toarray(), two.toarray())
    assert one.has_sorted_indices
