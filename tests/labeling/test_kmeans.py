import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from subspan.labeling import label_embedding


def test_separated_clusters_are_found():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 6, size=300)
    vectors = np.eye(6)[truth] + 0.05 * rng.standard_normal((300, 6))
    assert adjusted_rand_score(truth, label_embedding(vectors, 6)) == 1.0


def test_labels_depend_on_the_seed_only():
    vectors = np.random.default_rng(1).standard_normal((2000, 5))
    one = label_embedding(vectors, 8, seed=3, n_init=2)
    with threadpool_limits(2):
        two = label_embedding(vectors, 8, seed=3, n_init=2)
    assert one.dtype == np.int64
    assert np.array_equal(one, two)


def test_every_label_occurs_when_rows_differ_by_rounding_only():
    vectors = np.ones((9, 2))
    vectors[3:, 0] += 1e-16 * np.arange(6) * 4
    distinct = len(np.unique(vectors, axis=0))
    assert distinct >= 4
    for n_clusters in range(1, distinct + 1):
        labels = label_embedding(vectors, n_clusters)
        assert np.array_equal(np.unique(labels), np.arange(n_clusters))


def test_equal_rows_share_a_label_when_labels_are_filled_up():
    vectors = np.repeat(np.array([[0.0], [1.0], [1.0 + 1e-15], [1.0 + 2e-15]]), 3, axis=0)
    labels = label_embedding(vectors, 4)
    assert len(np.unique(labels)) == 4
    assert all(len(set(group)) == 1 for group in labels.reshape(4, 3).tolist())


def test_fewer_distinct_rows_than_clusters_gives_one_cluster_each():
    vectors = np.repeat(np.eye(3), 4, axis=0)
    labels = label_embedding(vectors, 5)
    assert adjusted_rand_score(np.repeat(np.arange(3), 4), labels) == 1.0


@pytest.mark.parametrize("n_clusters", [1, 7])
def test_one_cluster_and_one_point_per_cluster(n_clusters):
    labels = label_embedding(np.random.default_rng(2).standard_normal((7, 3)), n_clusters)
    assert len(set(labels.tolist())) == n_clusters


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_beside_the_sample_go_to_the_nearest_mean(monkeypatch, dtype):
    monkeypatch.setattr("subspan.labeling.kmeans.ROWS_PER_PRODUCT", 7)
    rng = np.random.default_rng(0)
    vectors = (
        rng.standard_normal((4, 3))[rng.integers(0, 4, 90)] + 0.3 * rng.standard_normal((90, 3))
    ).astype(dtype)
    sample = np.sort(rng.choice(90, 30, replace=False))
    labels = label_embedding(vectors, 4, seed=1, sample=sample)
    chosen = vectors[sample].astype(np.float64)
    of_sample = label_embedding(chosen, 4, seed=1)
    means = np.array([chosen[of_sample == c].mean(axis=0) for c in range(4)])
    assert np.array_equal(labels, cdist(vectors, means).argmin(axis=1))
    assert len(np.unique(labels)) == 4
