"""Each flaw of the data is seen, and has its remedy."""

from __future__ import annotations

import numpy as np
import pytest

from subspan import diagnose
from subspan.datasets import make_union_of_subspaces


@pytest.fixture
def points():
    return make_union_of_subspaces(3, 2, 12, 60, random_state=0)[0]


def titles(X):
    return [sign.title for sign in diagnose(X).signs if sign.level != "good"]


def test_clean_data_have_nothing_to_look_at(points):
    assert titles(points) == []
    facts = diagnose(points).facts
    assert facts["dimension"] == 2
    assert facts["rows_per_cluster_needed"] == 8


@pytest.mark.parametrize(
    ("spoil", "title"),
    [
        (lambda X: np.where(np.arange(180)[:, None] == 3, np.nan, X), "12 values are missing or not finite"),
        (lambda X: X * np.where(np.arange(12) == 5, 1e4, 1), "Columns have very different scales"),
        (lambda X: np.column_stack([X, np.full(180, 7.0)]), "1 of 13 columns is constant"),
        (lambda X: np.vstack([X, X[:60]]), "25.0% of the rows are copies of another"),
        (lambda X: X + 10, "All rows point in much the same direction"),
        (lambda X: np.vstack([X[0] * 1e4, X]), "Some rows are far longer than others"),
    ],
)
def test_a_flaw_is_seen_and_has_a_remedy(points, spoil, title):
    found = diagnose(spoil(points))
    sign = next(each for each in found.signs if each.title == title)
    assert sign.remedy
    assert sign.level in ("look", "note")
