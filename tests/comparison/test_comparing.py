"""`compare` in Python, against the estimators themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans

from subspan import LSR, compare
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy

X, y = make_union_of_subspaces(3, 2, 10, 30, noise=0.3, random_state=0)


def test_estimators_and_names_side_by_side(tmp_path: Path) -> None:
    mine = LSR(7, regularization=0.5)
    methods = {"mine": mine, "ward": AgglomerativeClustering(), "k-means": "k-means"}
    found = compare(X, methods, truth=y, trials=2)
    expected = {
        "mine": [LSR(3, regularization=0.5, random_state=seed).fit(X).labels_ for seed in (0, 1)],
        "ward": 2 * [AgglomerativeClustering(3).fit_predict(X)],
        "k-means": [KMeans(3, n_init=10, random_state=seed).fit_predict(X) for seed in (0, 1)],
    }
    accuracies = {
        name: [clustering_accuracy(y, labels) for labels in both] for name, both in expected.items()
    }
    order = [outcome.name for outcome in found.outcomes]
    assert order == sorted(accuracies, key=lambda name: -np.mean(accuracies[name]))
    for outcome in found.outcomes:
        assert outcome.mean("accuracy") == pytest.approx(np.mean(accuracies[outcome.name]))
        assert outcome.spread("accuracy") == pytest.approx(np.std(accuracies[outcome.name], ddof=1))
        assert (found.labels[outcome.name] == expected[outcome.name][0]).all()
    # The estimator that was handed in is as it was.
    assert mine.get_params()["n_clusters"] == 7
    assert not hasattr(mine, "labels_")
    assert (0, 1) in found.table.best
    assert str(found).splitlines()[1].startswith(order[0])
    found.save(tmp_path / "table.tex")
    assert order[0] in (tmp_path / "table.tex").read_text()
    found.save(tmp_path / "all")
    assert {path.suffix for path in (tmp_path / "all").iterdir()} >= {".csv", ".md", ".tex"}


def test_several_numbers_without_a_truth() -> None:
    found = compare(X, ["lsr"], n_clusters=[2, 3], trials=1)
    assert [outcome.name for outcome in found.outcomes] == ["lsr, k=2", "lsr, k=3"]
    assert [len(set(labels.tolist())) for labels in found.labels.values()] == [2, 3]
    assert found.table.best == frozenset()


def test_a_contestant_that_fails_has_its_reason() -> None:
    class Wrong(KMeans):
        def fit_predict(self, X: object, y: object = None, sample_weight: object = None) -> list[int]:
            return [0]

    found = compare(X, {"wrong": Wrong(), "lsr": "lsr"}, truth=y, trials=1)
    assert found.outcomes[-1].refusal == "fit_predict returned labels of shape (1,) for 90 rows."
    assert [line[0] for line in found.table.lines] == ["lsr", "wrong"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "n_clusters: give it, or the true classes with truth."),
        ({"truth": y[:5]}, "truth: has 5 entries, but there are 90 rows."),
        ({"n_clusters": 3, "trials": 0}, "trials must be at least 1; got 0."),
        (
            {"n_clusters": 3, "methods": {"a": 3}},
            "methods: 'a' is 3, which is no estimator with fit_predict.",
        ),
        ({"n_clusters": 3, "methods": []}, "methods: there is none."),
        ({"n_clusters": 3, "methods": ["kmeans"]}, "There is no method 'kmeans'; did you mean 'k-means'?"),
    ],
)
def test_wrong_input_is_one_sentence(arguments: dict, words: str) -> None:
    with pytest.raises(InputError) as error:
        compare(X, **arguments)
    assert str(error.value) == words
