"""Accuracy against a search over every possible matching."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspan.handover import InputError
from subspan.metrics import clustering_accuracy


def accuracy_by_brute_force(labels_true: list[object], labels_pred: list[object]) -> float:
    """Give the clusters the names of the classes in all ways; the shorter side is filled with dummies."""
    classes, clusters = sorted(set(labels_true)), sorted(set(labels_pred))
    names = classes + [f"no class {number}" for number in range(len(clusters) - len(classes))]
    best = 0
    for naming in permutations(names, len(clusters)):
        name_of = dict(zip(clusters, naming, strict=True))
        best = max(best, sum(name_of[p] == t for t, p in zip(labels_true, labels_pred, strict=True)))
    return best / len(labels_true)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=25))
def test_equals_the_best_of_all_matchings(pairs):
    labels_true, labels_pred = (list(side) for side in zip(*pairs, strict=True))
    assert clustering_accuracy(labels_true, labels_pred) == accuracy_by_brute_force(labels_true, labels_pred)


@pytest.mark.parametrize(
    ("labels_true", "labels_pred", "expected"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0),
        (["b", "b", "a"], [7, 7, 7], 2 / 3),
        ([0, 0, 0, 0], [0, 1, 2, 3], 1 / 4),
        ([0, 0, 0, 1], [5, 5, 6, 6], 3 / 4),
        ([True, False], ["x", "y"], 1.0),
        ([0.5, 0.5, 2.5], np.array([3, 3, 1], dtype=np.uint8), 1.0),
        # Greedy matching would take the cell with 3 points and end with 3 + 0 instead of 2 + 2.
        ([0, 0, 0, 0, 0, 1, 1], ["p", "p", "p", "q", "q", "p", "p"], 4 / 7),
    ],
)
def test_cases_counted_by_hand(labels_true, labels_pred, expected):
    assert clustering_accuracy(labels_true, labels_pred) == expected


def test_renaming_clusters_and_classes_changes_nothing():
    rng = np.random.default_rng(0)
    labels_true, labels_pred = rng.integers(6, size=200), rng.integers(9, size=200)
    renamed = clustering_accuracy(rng.permutation(6)[labels_true], rng.permutation(9)[labels_pred])
    assert renamed == clustering_accuracy(labels_true, labels_pred)


def test_points_without_a_cluster_are_never_right():
    assert clustering_accuracy([0, 0, 1], [-1, -1, 1]) == 1 / 3
    assert clustering_accuracy([-1, -1, 1], [-1, -1, 1]) == 1 / 3
    assert clustering_accuracy([-1, -1, 1], [0, 0, 1]) == 1.0
    assert clustering_accuracy([0, 1], [-1, -1]) == 0.0
    assert clustering_accuracy(["a", "a"], ["-1", "-1"]) == 1.0


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pl.Series, pd.Categorical])
def test_containers(container):
    assert clustering_accuracy(container(["u", "v", "v"]), container(["s", "r", "r"])) == 1.0


def test_objects_of_several_types():
    labels = np.array([1, "1", (2, 3), 1], dtype=object)
    assert clustering_accuracy(labels, [0, 1, 2, 0]) == 1.0
    assert clustering_accuracy(labels, [0, 0, 2, 0]) == 3 / 4


@pytest.mark.parametrize(
    ("labels_true", "labels_pred", "message"),
    [
        ([0, 1], [0, 1, 1], "labels_true has 2 labels, but labels_pred has 3"),
        ([], [], "labels_true is empty"),
        ([0], [], "labels_pred is empty"),
        ([[0], [1]], [0, 1], r"labels_true must be one-dimensional, got shape \(2, 1\)"),
        ([0, 1], 3, r"labels_pred must be one-dimensional, got shape \(\)"),
        ([0.0, np.nan, np.nan], [0, 1, 1], "labels_true: 2 labels are missing, the first at row 1"),
        ([0, 1], ["a", None], "labels_pred: 1 labels are missing, the first at row 1"),
        (
            pd.Series([pd.NA, 2], dtype="Int64"),
            [0, 1],
            "labels_true: 1 labels are missing, the first at row 0",
        ),
    ],
)
def test_bad_input(labels_true, labels_pred, message):
    with pytest.raises(InputError, match=message):
        clustering_accuracy(labels_true, labels_pred)
