"""Ranking of numbers of clusters, and data without any."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.sources import ArraySource
from subspan.tuning.number_of_clusters import Candidate, NumberOfClusters, ranked, without_clusters


def candidate(n_clusters: int, shared: float, doubted: float = 0.0, agreement: float = 0.9) -> Candidate:
    return Candidate(n_clusters, agreement, shared, doubted, 0.5)


def test_shared_bits_count_and_doubt_costs_more():
    tried = (candidate(2, 1.0), candidate(4, 2.0), candidate(8, 3.0, 0.5))
    assert [each.n_clusters for each in ranked(tried)] == [4, 2, 8]
    assert str(NumberOfClusters(tried, 0.1)).startswith("The data show 4 clusters.")


def test_two_numbers_as_good_are_no_answer():
    found = NumberOfClusters((candidate(5, 2.0), candidate(6, 2.05), candidate(7, 1.0)), 0.1)
    assert found.n_clusters == 6
    assert found.rivals == (5,)
    assert str(found).startswith("The data do not say: 6 is as good as 5.")


def test_the_largest_number_tried_may_be_too_small():
    tried = tuple(candidate(number, number) for number in (3, 4, 5))
    more = "No more than 5 were tried."
    assert more in str(NumberOfClusters(tried, 0.1))
    assert more not in str(NumberOfClusters((*tried, candidate(6, 0.0)), 0.1))
    assert more not in str(NumberOfClusters(tried, 0.9))


def test_clusters_have_to_beat_chance():
    tried = (candidate(2, 1.0, agreement=0.4), candidate(3, 1.2, agreement=0.55))
    assert NumberOfClusters(tried, 0.4).n_clusters == 3
    nothing = NumberOfClusters(tried, 0.5)
    assert nothing.n_clusters == 1
    assert str(nothing).startswith("The data show no clusters.")


def test_numbers_in_great_doubt_are_not_believed():
    tried = (candidate(2, 0.5, 0.65, agreement=0.47), candidate(3, 0.5, 1.0, agreement=0.3))
    assert NumberOfClusters(tried, 0.3).n_clusters == 1
    assert NumberOfClusters((candidate(2, 0.5, 0.35, agreement=0.47),), 0.3).n_clusters == 2


@pytest.mark.parametrize(("doubted", "weak"), [(0.15, False), (0.2, True)])
def test_weak_evidence_is_said_to_be_weak(doubted, weak):
    """Of 1.2 shared bits 0.6 are left by the first doubt, and 0.4 by the second."""
    found = NumberOfClusters((candidate(2, 1.2, doubted), candidate(3, 0.5, doubted)), 0.1)
    assert found.weak == weak
    assert ("The evidence is weak." in str(found)) == weak
    assert found.n_clusters == 2


def test_no_clusters_have_no_weak_evidence():
    found = NumberOfClusters((candidate(2, 0.1),), 0.9)
    assert not found.weak
    assert found.verdict == "The data show no clusters."


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
