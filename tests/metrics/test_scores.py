"""Several numbers about labels, against scikit-learn and counts by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from subspan.metrics import clustering_accuracy
from subspan.metrics.scores import scores


@pytest.mark.parametrize("seed", range(3))
def test_each_number_is_what_it_is_called(seed):
    rng = np.random.default_rng(seed)
    found, true = rng.integers(-1, 4, 60), rng.choice(["ant", "bee", "cat"], 60)
    facts = scores(found, true)
    assert facts["n_points"] == 60
    assert facts["accuracy"] == clustering_accuracy(true, found)
    assert facts["nmi"] == normalized_mutual_info_score(true, found)
    assert facts["ari"] == adjusted_rand_score(true, found)
    counted = Counter(map(str, found.tolist()))
    assert facts["unlabelled"] == counted.pop("-1", 0)
    assert facts["cluster_sizes"] == counted
    assert facts["class_sizes"] == Counter(true.tolist())


def test_without_unlabelled_points_there_are_none():
    facts = scores(np.array([0, 1, 1]), np.array([5, 6, 6]))
    assert (facts["unlabelled"], facts["accuracy"]) == (0, 1.0)
    assert facts["cluster_sizes"] == {"0": 1, "1": 2}
    assert facts["class_sizes"] == {"5": 1, "6": 2}
