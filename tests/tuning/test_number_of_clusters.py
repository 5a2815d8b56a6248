"""Ranking of numbers of clusters, and data without any."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.sources import ArraySource
from subspan.tuning.number_of_clusters import Candidate, NumberOfClusters, ranked, without_clusters


def test_of_numbers_alike_the_larger_one_comes_first():
    tried = (
        Candidate(2, 1.0, 1.0),
        Candidate(3, 0.7, 0.5),
        Candidate(6, 0.9995, 1.0),
        Candidate(7, 0.9, 0.1),
    )
    assert [each.n_clusters for each in ranked(tried)] == [6, 2, 7, 3]


def test_clusters_have_to_beat_chance():
    tried = (Candidate(2, 0.4, 0.2), Candidate(3, 0.55, 0.3))
    assert NumberOfClusters(tried, 0.4).n_clusters == 3
    nothing = NumberOfClusters(tried, 0.5)
    assert nothing.n_clusters == 1
    assert str(nothing).startswith("The data show no clusters.")


def test_the_reference_lies_where_the_data_lie():
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.standard_normal((10, 2)))[0].T
    X = rng.standard_normal((500, 2)) * [3.0, 1.0] @ axes
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Z = without_clusters(ArraySource(X), 0).rows(0, 500)
    assert np.linalg.norm(Z, axis=1) == pytest.approx(np.ones(500))
    assert pytest.approx(Z @ axes.T @ axes, abs=1e-6) == Z
    leading = np.linalg.svd(Z)[2][0]
    assert abs(leading @ axes[0]) > 0.99
