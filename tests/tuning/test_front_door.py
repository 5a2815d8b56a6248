"""The front door: labels, confidence and the number of clusters from nothing but the data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from subspan import SubspaceClustering
from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning, InputError
from subspan.metrics import clustering_accuracy
from subspan.tuning import estimate_n_clusters


@pytest.fixture(scope="module")
def union() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 20, 30, noise=0.05, random_state=0)


@pytest.fixture(scope="module")
def fitted(union) -> SubspaceClustering:
    return SubspaceClustering(4, random_state=0).fit(union[0])


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@parametrize_with_checks([SubspaceClustering(3, zero_rows="label", random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_it_finds_the_clusters_and_is_sure(union, fitted):
    assert clustering_accuracy(union[1], fitted.labels_) == 1
    assert fitted.confidence_.shape == fitted.labels_.shape
    assert fitted.confidence_.min() > 0.5
    assert fitted.n_clusters_ == 4
    assert fitted.n_clusters_tried_ is None


def test_the_table_of_members(fitted):
    assert len(fitted.members_) == 18
    assert {row["family"] for row in fitted.members_} == {"pursuit", "ridge"}
    assert sum(row["weight"] for row in fitted.members_) == pytest.approx(1)
    assert all(sum(row["sizes"]) <= 120 and 0 <= row["agreement"] <= 1 for row in fitted.members_)


def test_the_joined_graph_is_kept_with_its_spectrum(fitted):
    W = (fitted.affinity_.left @ fitted.affinity_.right.T).toarray()
    assert W.sum(axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    values = np.linalg.eigvalsh(W)[::-1]
    assert fitted.eigenvalues_ == pytest.approx(values[: len(fitted.eigenvalues_)], abs=1e-5)


def test_digits_from_nothing_but_the_number():
    X, y = load_digits(return_X_y=True)
    assert clustering_accuracy(y, SubspaceClustering(10, random_state=0).fit_predict(X)) > 0.94


@pytest.mark.parametrize("n_clusters", [2, 7])
def test_the_number_of_clusters_is_found(n_clusters):
    X, y = make_union_of_subspaces(n_clusters, 4, 30, 30, noise=0.05, random_state=n_clusters)
    model = SubspaceClustering(random_state=0).fit(X)
    assert model.n_clusters_ == n_clusters
    assert clustering_accuracy(y, model.labels_) == 1
    assert f"The data show {n_clusters} clusters." in str(model.n_clusters_tried_)


@pytest.mark.parametrize("dimension", [3, 12])
def test_one_cloud_shows_no_clusters(dimension):
    rng = np.random.default_rng(dimension)
    X = rng.standard_normal((120, dimension)) @ rng.standard_normal((dimension, 20))
    with pytest.warns(DataWarning, match=r"The data show no clusters"):
        model = SubspaceClustering(random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert (model.labels_ == 0).all()


def test_weak_evidence_is_a_warning():
    """Noise as long as the points: right, and hard to see."""
    X, _ = make_union_of_subspaces(2, 4, 30, 30, noise=1.0, random_state=0)
    with pytest.warns(DataWarning, match=r"The data show 2 clusters. The evidence is weak."):
        model = SubspaceClustering((2, 5), random_state=0).fit(X)
    assert model.n_clusters_ == 2


def test_evidence_by_itself(union):
    found = estimate_n_clusters(union[0], random_state=0)
    assert found.n_clusters == found.best[0].n_clusters == 4
    assert [each.n_clusters for each in found.tried] == list(range(2, 13))
    assert found.by_chance < found.best[0].agreement


def test_copies_and_zero_rows_follow(union, fitted):
    X = np.vstack([union[0], union[0][:5], np.zeros((2, 20))])
    with pytest.warns(DataWarning, match="duplicate rows: 5"):
        model = SubspaceClustering(4, zero_rows="label", random_state=0).fit(X)
    assert np.array_equal(model.labels_[:120], fitted.labels_)
    assert np.array_equal(model.labels_[120:125], model.labels_[:5])
    assert (model.labels_[125:] == -1).all()
    assert (model.confidence_[125:] == 0).all()


def test_threads_and_a_work_directory_change_no_bit(union, fitted, tmp_path):
    again = SubspaceClustering(4, random_state=0, n_jobs=1).fit(union[0])
    stored = SubspaceClustering(4, random_state=0, work_dir=tmp_path).fit(union[0])
    resumed = SubspaceClustering(4, random_state=0, work_dir=tmp_path).fit(union[0])
    for other in (again, stored, resumed):
        assert np.array_equal(other.labels_, fitted.labels_)
        assert np.array_equal(other.confidence_, fitted.confidence_)


def test_a_graph_that_is_handed_in_needs_a_number():
    W = np.kron(np.eye(3), np.ones((5, 5)))
    labels = SubspaceClustering(3, affinity="precomputed", random_state=0).fit_predict(W)
    assert labels.tolist() == np.repeat([0, 1, 2], 5).tolist()
    with pytest.raises(InputError, match="n_clusters='auto': a graph that is handed in needs a number"):
        SubspaceClustering(affinity="precomputed").fit(W)
    with pytest.raises(InputError, match=r"n_clusters=\(2, 4\): a graph that is handed in needs a number"):
        SubspaceClustering((2, 4), affinity="precomputed").fit(W)


def test_numbers_of_clusters_may_be_named(union):
    X, _ = union
    model = SubspaceClustering((3, 6), random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert np.array_equal(model.labels_, SubspaceClustering(4, random_state=0).fit_predict(X))
    found = estimate_n_clusters(X, (3, 6), random_state=0)
    assert found == model.n_clusters_tried_
    assert [each.n_clusters for each in found.tried] == [3, 4, 5, 6]


def test_numbers_need_points(union):
    with pytest.raises(InputError, match=r"n_clusters=\(2, 50\): 120 points are enough to try up to 40"):
        SubspaceClustering((2, 50)).fit(union[0])
    for wrong in ((1, 3), (4, 3), (2, 3, 4), (2.0, 3), "2:3"):
        with pytest.raises(InputError, match=r"n_clusters must be .*a pair such as \(2, 20\)"):
            SubspaceClustering(wrong).fit(union[0])


@pytest.mark.parametrize("n_points", [2, 3, 4, 5])
def test_few_points_have_an_answer(n_points):
    X = np.random.default_rng(0).standard_normal((n_points, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert SubspaceClustering(random_state=0).fit(X).n_clusters_ in (1, 2)
