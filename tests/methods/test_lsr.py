"""LSR as a user meets it, against ridge regressions and what the closed form implies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.linear_model import Ridge

from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning
from subspan.methods.lsr import LSR
from subspan.metrics import clustering_accuracy
from subspan.sources.checks import unit_rows


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 20, 25, noise=0.1, random_state=1)


def fitted(X: np.ndarray, **parameters) -> LSR:
    settings = {"regularization": 0.05, "n_init": 2, "random_state": 0} | parameters
    return LSR(4, **settings).fit(X)


def coefficients(X: np.ndarray, **parameters) -> np.ndarray:
    return fitted(X, **parameters).representation_.rows(0, len(X))


@pytest.mark.parametrize("regularization", [0.002, 0.05, 2.0])
def test_every_row_is_a_ridge_regression_on_the_others(points, regularization):
    X = unit_rows(points[0])
    C = coefficients(points[0], regularization=regularization)
    ridge = Ridge(alpha=regularization, fit_intercept=False, solver="svd")
    for j in range(0, len(X), 7):
        others = np.delete(np.arange(len(X)), j)
        assert C[j, others] == pytest.approx(ridge.fit(X[others].T, X[j]).coef_, abs=1e-10)
        assert C[j, j] == 0


def test_without_the_constraint_it_is_the_closed_form(points):
    X = points[0]
    G = X @ X.T
    C = np.linalg.solve(G + 0.3 * np.eye(len(X)), G)
    found = coefficients(X, regularization=0.3, zero_diagonal=False, normalize=False)
    assert found == pytest.approx(C * (1 - np.eye(len(X))), abs=1e-11)


def test_much_regularization_leaves_the_inner_products(points):
    X = unit_rows(points[0])
    found = coefficients(X, regularization=1e7)
    assert 1e7 * found == pytest.approx(X @ X.T * (1 - np.eye(len(X))), abs=1e-5)


@pytest.mark.parametrize("scale", ["max", "l2"])
def test_scaled_graphs_of_both_forms_are_the_same(points, scale):
    one, other = (fitted(points[0], zero_diagonal=form, scale=scale) for form in (True, False))
    assert one.affinity_ == pytest.approx(other.affinity_, abs=1e-12)
    plain = [fitted(points[0], zero_diagonal=form).affinity_ for form in (True, False)]
    assert np.abs(plain[0] - plain[1]).max() > 0.01


def test_orthogonal_subspaces_are_not_connected():
    X, y = make_union_of_subspaces(4, 3, 12, 25, orthogonal=True, random_state=0)
    model = fitted(X)
    C = model.representation_.rows(0, len(X))
    apart = y[:, None] != y
    assert np.abs(C[apart]).max() < 1e-12 < np.abs(C[~apart]).mean()
    assert clustering_accuracy(y, model.labels_) == 1.0


def test_rows_in_another_order(points):
    X, _ = points
    order = np.random.default_rng(0).permutation(len(X))
    assert coefficients(X[order]) == pytest.approx(coefficients(X)[np.ix_(order, order)], abs=1e-12)


def test_rotation_changes_nothing_and_signs_only_signs(points):
    X, _ = points
    C = coefficients(X)
    assert coefficients(X @ ortho_group.rvs(20, random_state=0)) == pytest.approx(C, abs=1e-12)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(X))
    flipped = fitted(X * signs[:, None])
    assert flipped.representation_.rows(0, len(X)) == pytest.approx(C * np.outer(signs, signs), abs=1e-12)
    assert flipped.affinity_ == pytest.approx(fitted(X).affinity_, abs=1e-12)


def test_lengths_matter_only_where_they_are_kept(points):
    X, _ = points
    lengths = np.random.default_rng(0).uniform(0.2, 5, (len(X), 1))
    assert coefficients(X * lengths) == pytest.approx(coefficients(X), abs=1e-12)
    # Nine times the weight for points three times as long: the same problem.
    short = coefficients(X * lengths, normalize=False)
    long = coefficients(3 * X * lengths, normalize=False, regularization=9 * 0.05)
    assert long == pytest.approx(short, abs=1e-12)
    assert np.abs(short - coefficients(X)).max() > 0.01


def test_copies_take_no_part(points):
    X, _ = points
    with pytest.warns(DataWarning, match="duplicate rows: 10"):
        model = fitted(np.vstack([X, 2 * X[:10]]))
    C = model.representation_.rows(0, len(X) + 10)
    assert C[:100, :100] == pytest.approx(coefficients(X), abs=1e-12)
    # A copy is represented as its original is, and represents nobody.
    assert np.array_equal(C[100:], C[:10])
    assert not C[:, 100:].any()


@pytest.mark.parametrize(
    ("parameters", "pattern"),
    [
        ({"regularization": 0}, r"regularization must .* got 0"),
        ({"zero_diagonal": 2}, r"zero_diagonal must .* got 2"),
    ],
)
def test_bad_parameters(parameters, pattern, points):
    with pytest.raises(ValueError, match=pattern):
        LSR(4, **parameters).fit(points[0])
