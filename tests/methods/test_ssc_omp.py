"""SSC-OMP as a user meets it, against scikit-learn's pursuit and what pursuits must satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.cluster import SpectralClustering
from sklearn.linear_model import orthogonal_mp

from subspan import SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning
from subspan.metrics import clustering_accuracy
from subspan.sources.checks import unit_rows

# Few atoms leave a graph in pieces, which is what the estimator then warns of.
pytestmark = pytest.mark.filterwarnings("ignore:SSCOMP. components:subspan.handover.DataWarning")


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 4, 20, 40, noise=0.2, random_state=1)


def fitted(X: np.ndarray, **parameters) -> SSCOMP:
    settings = {"n_nonzero": 4, "residual_tol": 0.0, "n_init": 2, "random_state": 0} | parameters
    return SSCOMP(4, **settings).fit(X)


def coefficients(X: np.ndarray, **parameters) -> np.ndarray:
    return fitted(X, **parameters).representation_.toarray()


@pytest.mark.parametrize("n_nonzero", [1, 4, 9])
@pytest.mark.parametrize("normalize", [True, False])
def test_every_row_is_the_pursuit_of_scikit_learn(points, n_nonzero, normalize):
    X = points[0]
    C = coefficients(X, n_nonzero=n_nonzero, normalize=normalize)
    rows = unit_rows(X) if normalize else X
    for j in range(0, len(X), 5):
        others = np.delete(np.arange(len(X)), j)
        expected = orthogonal_mp(rows[others].T, rows[j], n_nonzero_coefs=n_nonzero)
        assert C[j, others] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("residual_tol", [0.2, 0.5])
def test_a_pursuit_ends_where_that_of_scikit_learn_does(points, residual_tol):
    X = unit_rows(points[0])
    C = coefficients(X, n_nonzero=12, residual_tol=residual_tol)
    lengths = np.count_nonzero(C, axis=1)
    assert lengths.min() < lengths.max() < 12
    for j in range(0, len(X), 5):
        others = np.delete(np.arange(len(X)), j)
        expected = orthogonal_mp(X[others].T, X[j], tol=residual_tol**2)
        assert C[j, others] == pytest.approx(expected, abs=1e-9)


def test_what_is_left_of_a_point_is_orthogonal_to_its_atoms(points):
    X = unit_rows(points[0])
    C = coefficients(X)
    left = X - C @ X
    assert np.abs((left @ X.T)[C != 0]).max() < 1e-12
    assert (np.count_nonzero(C, axis=1) == 4).all()


def test_each_atom_more_leaves_less(points):
    X = unit_rows(points[0])
    misfits = np.array([((X - coefficients(X, n_nonzero=n) @ X) ** 2).sum(axis=1) for n in range(1, 7)])
    assert (np.diff(misfits, axis=0) < 0).all()


def test_a_subspace_takes_as_many_atoms_as_it_has_dimensions():
    X, y = make_union_of_subspaces(3, 2, 30, 40, random_state=0)
    model = SSCOMP(3, n_nonzero=8, residual_tol=1e-7, random_state=0).fit(X)
    C = model.representation_.toarray()
    inside = ~(C * (y[:, None] != y)).any(axis=1)
    assert inside.mean() > 0.9
    assert (np.count_nonzero(C[inside], axis=1) == 2).all()
    assert C[inside] @ X == pytest.approx(X[inside], abs=1e-9)


@pytest.mark.filterwarnings("ignore:SSCOMP. n_nonzero in excess:subspan.handover.DataWarning")
def test_no_more_atoms_than_features_are_asked_for():
    X = make_union_of_subspaces(2, 3, 5, 40, noise=0.5, random_state=0)[0]
    five, many = (
        SSCOMP(2, n_nonzero=n_nonzero, residual_tol=0.0, n_init=2, random_state=0).fit(X).representation_
        for n_nonzero in (5, 50)
    )
    assert np.array_equal(five.toarray(), many.toarray())


def test_single_precision_finds_nearly_the_same(points):
    X = points[0].astype(np.float32)
    single, double = coefficients(X), coefficients(X.astype(np.float64))
    same = ((single != 0) == (double != 0)).all(axis=1)
    assert same.mean() > 0.97
    assert single[same] == pytest.approx(double[same], abs=1e-4)


def test_rows_in_another_order(points):
    X, _ = points
    order = np.random.default_rng(0).permutation(len(X))
    assert coefficients(X[order]) == pytest.approx(coefficients(X)[np.ix_(order, order)], abs=1e-12)


def test_rotation_changes_nothing_and_signs_only_signs(points):
    X, _ = points
    C = coefficients(X)
    assert coefficients(X @ ortho_group.rvs(20, random_state=0)) == pytest.approx(C, abs=1e-11)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(X))
    assert np.array_equal(coefficients(X * signs[:, None]), C * np.outer(signs, signs))


def test_a_feature_that_says_nothing_changes_nothing(points):
    X, _ = points
    wider = np.hstack([X[:, :7], np.zeros((len(X), 5)), X[:, 7:]])
    assert coefficients(wider) == pytest.approx(coefficients(X), abs=1e-12)


def test_lengths_that_are_kept_favour_long_atoms(points):
    """Scores are inner products: a point as long as all others together is everybody's first atom."""
    X = unit_rows(points[0])
    X[17] *= 100
    C = coefficients(X, n_nonzero=1, normalize=False)
    close = np.abs(X @ X[17]) > np.abs(X @ X.T - np.diag((X**2).sum(axis=1)))[:, :17].max(axis=1)
    close[17] = False
    assert close.mean() > 0.8
    assert (C[close, 17] != 0).mean() > 0.95


def test_copies_take_no_part(points):
    X, _ = points
    with pytest.warns(DataWarning, match="duplicate rows: 12"):
        several = coefficients(np.vstack([X, 4 * X[:12]]))
    assert np.array_equal(several[:160, :160], coefficients(X))
    assert not several[:, 160:].any()
    assert np.array_equal(several[160:], several[:12])


@pytest.mark.parametrize("scale", ["max", "l2"])
def test_scale_makes_rows_alike_before_the_graph(points, scale):
    model = fitted(points[0], scale=scale)
    magnitudes = np.abs(model.representation_.toarray())
    size = magnitudes.max(axis=1) if scale == "max" else np.linalg.norm(magnitudes, axis=1)
    magnitudes /= size[:, None]
    assert model.affinity_.toarray() == pytest.approx((magnitudes + magnitudes.T) / 2, abs=1e-12)


def test_the_graph_is_cut_as_scikit_learn_cuts_it():
    X, y = make_union_of_subspaces(4, 3, 30, 60, noise=0.05, random_state=0)
    model = fitted(X, n_nonzero=3, n_init=10)
    theirs = SpectralClustering(
        4, affinity="precomputed", assign_labels="kmeans", eigen_solver="arpack", random_state=0
    ).fit_predict(model.affinity_.toarray())
    assert clustering_accuracy(theirs, model.labels_) > 0.97
    assert clustering_accuracy(y, model.labels_) > 0.97


@pytest.mark.parametrize(
    ("parameters", "pattern"),
    [
        ({"n_nonzero": 0}, r"n_nonzero must .* got 0"),
        ({"n_nonzero": 2.5}, r"n_nonzero must .* got 2.5"),
        ({"residual_tol": -1e-9}, r"residual_tol must .* got -1e-09"),
    ],
)
def test_bad_parameters(parameters, pattern, points):
    with pytest.raises(ValueError, match=pattern):
        SSCOMP(4, **parameters).fit(points[0])
