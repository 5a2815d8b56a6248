import numpy as np
import pytest

from subspan.handover import InputError
from subspan.labeling import attach_left_out
from subspan.sources import ArraySource


def slow_attach(X, labels, groups):
    lengths = np.linalg.norm(X, axis=1)
    unit = X / np.where(lengths == 0, 1, lengths)[:, None]
    names = sorted(set(labels[labels != -1].tolist()))
    cosines = np.abs(unit @ unit.T)
    result = labels.copy()
    for point in np.flatnonzero(labels == -1):
        alone = groups[point] == -1
        members = [point] if alone else np.flatnonzero((groups == groups[point]) & (labels == -1))
        sums = [sum(cosines[member, labels == name].max() for member in members) for name in names]
        result[point] = names[int(np.argmax(sums))]
    return result


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_the_slow_version(seed, dtype):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((700, 6)) * rng.uniform(0.1, 10, size=(700, 1))).astype(dtype)
    labels = rng.choice([-1, 0, 1, 4, 9], size=700)
    groups = np.where(rng.random(700) < 0.5, -1, rng.integers(0, 20, size=700))
    # Several products, so that the labels of one product are not those of the next.
    attached = attach_left_out(ArraySource(X), labels, groups, labelled_per_product=128)
    assert np.array_equal(attached, slow_attach(X, labels, groups))


def test_opposite_direction_counts_and_length_does_not():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1e-200, 1e-201], [1e200, 9e200]])
    attached = attach_left_out(ArraySource(X), np.array([5, 3, -1, -1]), np.full(4, -1))
    assert attached.tolist() == [5, 3, 5, 3]


def test_ties_and_zero_rows_go_to_the_lowest_label():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    attached = attach_left_out(ArraySource(X), np.array([1, 0, -1, -1]), np.full(4, -1))
    assert attached.tolist() == [1, 0, 0, 0]


def test_a_group_moves_together():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.8], [0.3, 1.0]])
    labels = np.array([0, 1, -1, -1])
    assert attach_left_out(ArraySource(X), labels, np.array([-1, -1, -1, -1])).tolist() == [0, 1, 0, 1]
    assert attach_left_out(ArraySource(X), labels, np.array([0, 0, 7, 7])).tolist() == [0, 1, 1, 1]


def test_nothing_left_out_changes_nothing():
    labels = np.array([1, 0, 1])
    attached = attach_left_out(ArraySource(np.eye(3)), labels, np.full(3, -1))
    assert attached.tolist() == [1, 0, 1]
    assert attached is not labels


def test_no_label_at_all_is_refused():
    with pytest.raises(InputError, match="every point has label -1"):
        attach_left_out(ArraySource(np.eye(3)), np.full(3, -1), np.full(3, -1))
