"""LRSC as a user meets it, against the singular value decomposition and limits that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods.lrsc import LRSC
from subspan.metrics import clustering_accuracy
from subspan.sources.checks import unit_rows


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 20, 25, noise=0.1, random_state=1)


def fitted(X: np.ndarray, **parameters) -> LRSC:
    settings = {"n_init": 2, "random_state": 0} | parameters
    return LRSC(4, **settings).fit(X)


def coefficients(X: np.ndarray, **parameters) -> np.ndarray:
    return fitted(X, **parameters).representation_.rows(0, len(X))


def without_diagonal(C: np.ndarray) -> np.ndarray:
    return C * (1 - np.eye(len(C)))


def closed_form(X: np.ndarray, tau: float) -> np.ndarray:
    """C = U (1 - 1 / (tau S^2)) U^T over the singular values above 1 / sqrt(tau)."""
    U, values, _ = np.linalg.svd(X, full_matrices=False)
    kept = values > tau**-0.5
    return without_diagonal((U[:, kept] * (1 - 1 / (tau * values[kept] ** 2))) @ U[:, kept].T)


@pytest.mark.parametrize("tau", [0.3, 2.0, 50.0])
def test_it_is_the_closed_form(points, tau):
    X = unit_rows(points[0])
    assert coefficients(points[0], tau=tau) == pytest.approx(closed_form(X, tau), abs=1e-12)


def test_values_above_a_tenth_of_the_largest_are_kept_by_default(points):
    X = unit_rows(points[0])
    tau = 100 / np.linalg.norm(X, 2) ** 2
    assert coefficients(X) == pytest.approx(closed_form(X, tau), abs=1e-12)


def test_dear_misfit_leaves_the_projection_onto_the_points():
    """The shape interaction matrix, which independent subspaces make block diagonal."""
    X, y = make_union_of_subspaces(4, 3, 20, 25, random_state=0)
    U = np.linalg.svd(X, full_matrices=False)[0][:, :12]
    found = coefficients(X, tau=1e10)
    assert found == pytest.approx(without_diagonal(U @ U.T), abs=1e-8)
    assert np.abs(found[y[:, None] != y]).max() < 1e-8


def test_dear_errors_leave_the_points_as_they_are(points):
    X, _ = points
    exact = coefficients(X, tau=3.0)
    assert coefficients(X, noise="dense", tau=3.0, alpha=1e9) == pytest.approx(exact, abs=1e-7)
    assert np.abs(coefficients(X, noise="dense", tau=3.0, alpha=0.5) - exact).max() > 1e-3


def test_dear_gross_errors_leave_the_noisy_case(points):
    X, _ = points
    dense, gross = (fitted(X, noise=noise, gamma=1e6, tau=3.0) for noise in ("dense", "gross"))
    one, other = (model.representation_.rows(0, len(X)) for model in (dense, gross))
    assert one == pytest.approx(other, abs=1e-12)
    assert (dense.n_iter_, gross.n_iter_) == (1, 2)


def test_gross_errors_are_told_from_points():
    X, y = make_union_of_subspaces(4, 2, 40, 50, random_state=0)
    rng = np.random.default_rng(0)
    corrupt = X + 2.0 * rng.choice([-1, 1], X.shape) * (rng.random(X.shape) < 0.01)
    settings = {"normalize": False, "tau": 1.0, "alpha": 0.5, "max_iter": 30}
    plain = fitted(corrupt, noise="dense", **settings)
    tolerant = fitted(corrupt, noise="gross", gamma=0.05, **settings)
    accuracies = [clustering_accuracy(y, model.labels_) for model in (plain, tolerant)]
    assert accuracies[1] > accuracies[0]
    assert tolerant.changes_[-1] < tolerant.changes_[0]


@pytest.mark.parametrize("noise", ["none", "dense", "gross"])
def test_rows_in_another_order_and_with_other_signs(points, noise):
    X, _ = points
    rng = np.random.default_rng(0)
    order, signs = rng.permutation(len(X)), rng.choice([-1.0, 1.0], len(X))
    parameters = {"noise": noise, "max_iter": 5, "gamma": 0.02}
    C = coefficients(X, **parameters)
    assert coefficients(X[order], **parameters) == pytest.approx(C[np.ix_(order, order)], abs=1e-10)
    flipped = coefficients(X * signs[:, None], **parameters)
    assert flipped == pytest.approx(C * np.outer(signs, signs), abs=1e-10)
    assert np.array_equal(C, C.T)


@pytest.mark.parametrize("noise", ["none", "dense"])
def test_rotation_changes_nothing(points, noise):
    X, _ = points
    rotated = coefficients(X @ ortho_group.rvs(20, random_state=0), noise=noise)
    assert rotated == pytest.approx(coefficients(X, noise=noise), abs=1e-10)


def test_rotation_does_matter_to_errors_in_single_entries(points):
    """Gross errors are sparse in the coordinates there are: the one form that is not invariant."""
    X, _ = points
    parameters = {"noise": "gross", "gamma": 0.02, "max_iter": 10}
    rotated = coefficients(X @ ortho_group.rvs(20, random_state=0), **parameters)
    assert np.abs(rotated - coefficients(X, **parameters)).max() > 1e-4


def test_lengths_matter_only_where_they_are_kept(points):
    X, _ = points
    lengths = np.random.default_rng(0).uniform(0.2, 5, (len(X), 1))
    assert coefficients(X * lengths) == pytest.approx(coefficients(X), abs=1e-12)
    # A ninth of the weight for points three times as long: the same problem.
    short = coefficients(X * lengths, normalize=False, tau=0.9)
    long = coefficients(3 * X * lengths, normalize=False, tau=0.1)
    assert long == pytest.approx(short, abs=1e-12)


def test_points_that_nothing_represents():
    with pytest.raises(InputError, match="The affinity is all zero"):
        LRSC(2, tau=1e-9).fit(np.random.default_rng(0).standard_normal((20, 5)))


@pytest.mark.parametrize(
    ("parameters", "pattern"),
    [
        ({"tau": -1.0}, r"tau must .* got -1.0"),
        ({"alpha": 0.0}, r"alpha must .* got 0.0"),
        ({"gamma": np.nan}, r"gamma must .* got nan"),
        ({"noise": "some"}, r"noise must .* got 'some'"),
    ],
)
def test_bad_parameters(parameters, pattern, points):
    with pytest.raises(ValueError, match=pattern):
        LRSC(4, **parameters).fit(points[0])
