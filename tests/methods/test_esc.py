"""ESC: its graph and attributes, the same answer from every number of threads, clear refusals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods.esc import ESC
from subspan.metrics import clustering_accuracy

pytestmark = pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 30, 60, noise=0.1, random_state=3)


def test_finds_the_subspaces_and_keeps_the_exemplars(points):
    X, y = points
    fitted = ESC(4, n_exemplars=40, random_state=0).fit(X)
    assert clustering_accuracy(y, fitted.labels_) == 1.0
    assert len(set(fitted.exemplars_.tolist())) == 40
    assert set(fitted.representation_.indices) == set(fitted.exemplars_)
    own = fitted.representation_[fitted.exemplars_][:, fitted.exemplars_].toarray()
    assert own == pytest.approx(np.eye(40) * (1 - 1 / 200))


def test_graph_links_the_nearest_coefficients(points):
    fitted = ESC(4, n_exemplars=40, n_neighbors=5, random_state=0).fit(points[0])
    rows = fitted.representation_.toarray()
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    nearest = kneighbors_graph(rows, 5).toarray()
    expected = (nearest + nearest.T) / 2
    # Points with fewer neighbours less than a right angle apart have no others.
    expected[rows @ rows.T <= 1e-12] = 0
    similar = ((rows @ rows.T > 1e-12).sum(axis=1) > 5).all()
    assert similar
    np.testing.assert_allclose(fitted.affinity_.toarray(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_change_nothing(points, dtype):
    X = points[0].astype(dtype)
    one, two = (ESC(4, n_exemplars=60, random_state=1, n_jobs=n).fit(X) for n in (1, 2))
    assert one.representation_.dtype == one.affinity_.dtype == dtype
    assert np.array_equal(one.exemplars_, two.exemplars_)
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.representation_.data, two.representation_.data)
    assert np.array_equal(one.affinity_.indices, two.affinity_.indices)


def test_copies_and_zero_rows(points):
    X, y = points
    rows = np.vstack([np.zeros((1, 30)), X, 2 * X[:50]])
    fitted = ESC(4, n_exemplars=40, zero_rows="label", random_state=0).fit(rows)
    plain = ESC(4, n_exemplars=40, random_state=0).fit(X)
    assert np.array_equal(fitted.exemplars_, plain.exemplars_ + 1)
    assert fitted.labels_[0] == -1
    assert clustering_accuracy(y, fitted.labels_[1:241]) == 1.0
    assert np.array_equal(fitted.labels_[1:51], fitted.labels_[241:])


def test_raw_rows(points):
    X, y = points
    lengths = np.random.default_rng(0).uniform(0.5, 2, len(X))[:, None]
    fitted = ESC(4, n_exemplars=60, normalize=False, random_state=0).fit(X * lengths)
    assert clustering_accuracy(y, fitted.labels_) >= 0.99


def test_defaults_work_on_ten_points():
    X, y = make_union_of_subspaces(2, 2, 6, 5, random_state=0)
    fitted = ESC(2, random_state=0).fit(X)
    assert len(fitted.exemplars_) == 5
    assert clustering_accuracy(y, fitted.labels_) == 1.0


def test_coefficients_handed_in(points):
    X, _ = points
    fitted = ESC(4, n_exemplars=40, random_state=0).fit(X)
    again = ESC(4, affinity="precomputed_representation", random_state=0).fit(fitted.representation_)
    assert np.array_equal(again.affinity_.toarray(), fitted.affinity_.toarray())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_exemplars": 0}, r"n_exemplars must .* got 0"),
        ({"n_exemplars": 241}, "n_exemplars=241 must lie between 1 and the number of distinct rows, 240"),
        ({"n_neighbors": 0}, r"n_neighbors must .* got 0"),
        ({"regularization": 0.0}, r"regularization must .* got 0.0"),
        ({"regularization": np.inf}, r"regularization must .* got inf"),
        ({"regularization": 0.5}, "The affinity is all zero"),
        ({"memory_budget": "1kB"}, "^memory_budget: 0 MB is too little; 10 MB would do; use fewer exemplars"),
    ],
)
def test_bad_parameters(points, parameters, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        ESC(4, random_state=0, **parameters).fit(points[0])
    assert "\n" not in str(caught.value)


def test_refusals_are_of_one_kind(points):
    with pytest.raises(InputError):
        ESC(4, n_exemplars=241).fit(points[0])
