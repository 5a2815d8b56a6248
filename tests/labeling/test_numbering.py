import numpy as np
import pytest

from subspan.labeling import canonical_labels


def slow_numbering(labels):
    seen = {-1: -1}
    for label in labels.tolist():
        seen.setdefault(label, len(seen) - 1)
    return [seen[label] for label in labels.tolist()]


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_numbered_by_their_first_point(seed):
    labels = np.random.default_rng(seed).integers(-1, 12, size=60)
    assert canonical_labels(labels).tolist() == slow_numbering(labels)


def test_renaming_clusters_changes_nothing():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 7, size=50)
    renamed = rng.permutation(7)[labels]
    assert np.array_equal(canonical_labels(renamed), canonical_labels(labels))


@pytest.mark.parametrize("labels", [[], [-1, -1], [5]])
def test_corner_cases(labels):
    assert canonical_labels(np.array(labels, dtype=np.int32)).tolist() == slow_numbering(np.array(labels))
