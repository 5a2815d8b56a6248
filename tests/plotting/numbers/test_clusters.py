import numpy as np
import pytest

from subspan.handover import InputError
from subspan.plotting.numbers.clusters import evenly, number_clusters, thinned


@pytest.mark.parametrize(
    ("labels", "names", "n_clusters"),
    [
        ([3, -1, 0, 3], [0, 3, -1], 2),
        (["b", "a", "b"], ["a", "b"], 2),
        (np.array(["a", -1, "b"], dtype=object), ["a", "b", -1], 2),
    ],
)
def test_points_in_no_cluster_come_last(labels, names, n_clusters):
    clusters = number_clusters(labels)
    assert clusters.names.tolist() == names
    assert clusters.n_clusters == n_clusters
    assert [clusters.names[number] for number in clusters.of_point] == list(labels)
    assert clusters.sizes.sum() == len(labels)


def test_order_keeps_the_rows_of_a_cluster_in_their_own_order():
    assert number_clusters([1, 0, 1, 0]).order.tolist() == [1, 3, 0, 2]


def test_no_cluster_at_all_is_refused():
    with pytest.raises(InputError, match="labels: all are -1, so there is no cluster to look at"):
        number_clusters([-1, -1])


def test_missing_labels_are_refused():
    with pytest.raises(InputError, match="labels: 1 labels are missing, the first at row 1"):
        number_clusters([0.0, np.nan])


@pytest.mark.parametrize("max_points", [5, 6, 20, 99])
def test_thinned_rows_are_few_and_of_every_cluster(max_points):
    labels = np.repeat([0, 1, 2, 3, -1], [1, 2, 60, 300, 5])
    np.random.default_rng(0).shuffle(labels)
    rows = thinned(number_clusters(labels), max_points)
    assert len(rows) <= max_points
    assert len(rows) > max_points - 5
    assert (np.diff(rows) > 0).all()
    assert set(labels[rows]) == {0, 1, 2, 3, -1}


def test_thinning_keeps_shares():
    labels = np.repeat([0, 1], [9000, 1000])
    rows = thinned(number_clusters(labels), 1000)
    assert np.bincount(labels[rows]).tolist() == pytest.approx([900, 100], abs=2)


def test_every_cluster_is_there_even_without_room():
    assert thinned(number_clusters([0, 1, 2, 2]), 1).tolist() == [0, 1, 2]


def test_evenly_takes_all_of_few():
    assert evenly(np.arange(3), 5).tolist() == [0, 1, 2]
