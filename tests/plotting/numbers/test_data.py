import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy
from subspan.plotting.numbers import confusion, singular_values, tiles


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("n_features", [8, 60])
def test_singular_values_equal_those_of_the_whole_cluster(normalize, n_features):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, n_features)) * rng.uniform(1, 3, (90, 1))
    labels = rng.choice([-1, 4, 6], 90)
    found = singular_values(X, labels, normalize=normalize)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if normalize else X
    assert found.clusters.tolist() == [4, 6]
    for number, name in enumerate((4, 6)):
        members = rows[labels == name]
        expected = np.linalg.svd(members, compute_uv=False)
        shown = found.values.shape[1]
        np.testing.assert_allclose(found.values[number, : len(expected)], expected[:shown], atol=1e-6)
        energy = np.cumsum(expected**2) / (members**2).sum()
        np.testing.assert_allclose(found.energy[number, : len(energy)], energy[:shown], atol=1e-9)
        assert found.sizes[number] == len(members)


def test_dimension_of_subspaces_is_found():
    X, y = make_union_of_subspaces(3, 4, 30, 50, random_state=0)
    found = singular_values(X, y)
    assert found.dimensions(1 - 1e-9).tolist() == [4, 4, 4]
    assert found.values[:, 4:].max() < 1e-6


def test_more_directions_than_shown():
    found = singular_values(np.eye(20), np.zeros(20), n_values=5)
    assert found.energy[0].tolist() == pytest.approx([0.05, 0.1, 0.15, 0.2, 0.25])
    assert found.dimensions(0.2).tolist() == [4]
    assert found.dimensions(0.9).tolist() == [6]


def test_large_clusters_are_sampled_the_same_way_each_time():
    X, y = make_union_of_subspaces(2, 3, 20, 400, random_state=0)
    some, again = (singular_values(X, y, max_points=50) for _ in range(2))
    np.testing.assert_array_equal(some.values, again.values)
    whole = singular_values(X, y)
    assert some.sizes.tolist() == [400, 400]
    np.testing.assert_allclose(some.energy, whole.energy, atol=0.1)
    assert not np.array_equal(some.energy, whole.energy)


def test_labels_of_other_points_are_refused():
    with pytest.raises(InputError, match="labels has 2 labels, but X has 3 rows"):
        singular_values(np.ones((3, 2)), [0, 1])


def test_confusion_is_the_table_with_its_matching_on_the_diagonal():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 5, 200)
    predicted = np.where(rng.random(200) < 0.7, (true + 2) % 5, rng.integers(0, 5, 200))
    found = confusion(true, predicted)
    assert found.classes.tolist() == [0, 1, 2, 3, 4]
    assert found.clusters.tolist() == [2, 3, 4, 0, 1]
    renamed = np.argsort(found.clusters)[predicted]
    np.testing.assert_array_equal(found.table, confusion_matrix(true, renamed))
    assert found.accuracy == clustering_accuracy(true, predicted) == (renamed == true).mean()
    assert found.n_matched == 5


def test_unmatched_clusters_and_points_in_none_come_last():
    found = confusion(["a", "a", "a", "b", "b", "b"], [3, 3, 0, -1, 1, 1])
    assert found.clusters.tolist() == [3, 1, 0, -1]
    assert found.table.tolist() == [[2, 0, 1, 0], [0, 2, 0, 1]]
    assert (found.n_matched, found.accuracy) == (2, 4 / 6)


def test_classes_without_a_cluster_come_last():
    found = confusion([0, 1, 1, 2, 2], [7, 7, 7, 4, 4])
    assert found.classes.tolist() == [1, 2, 0]
    assert found.table.tolist() == [[2, 0], [0, 2], [1, 0]]


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_tiles_are_the_images_asked_for(shape, order):
    images = np.random.default_rng(0).integers(0, 256, (6, *shape)).astype(np.uint8)
    rows = np.array([image.ravel(order=order) for image in images])
    shown = tiles(rows, [4, 1, 4], shape, image_order=order)
    assert shown.shape == (3, *shape)
    for tile, row in zip(shown, (4, 1, 4), strict=True):
        image = images[row].astype(float)
        np.testing.assert_allclose(tile, (image - image.min()) / (image.max() - image.min()))


@pytest.mark.parametrize(
    ("image_shape", "sentence"),
    [
        ((3, 4), r"image_shape=\(3, 4\): has 12 values, but X has 10 columns"),
        ((10,), r"image_shape=\(10,\): must be \(height, width\)"),
        ((5, 1, 2), r"image_shape=\(5, 1, 2\): must be"),
    ],
)
def test_wrong_image_shapes_are_refused(image_shape, sentence):
    with pytest.raises(InputError, match=sentence):
        tiles(np.ones((2, 10)), [0], image_shape)


def test_wrong_order_of_pixels_is_refused():
    with pytest.raises(InputError, match="image_order='rows': must be 'C' or 'F'"):
        tiles(np.ones((2, 10)), [0], (2, 5), image_order="rows")
