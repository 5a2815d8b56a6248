"""What speaks for numbers of clusters, and for settings, as it is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.plotting.numbers import number_evidence, setting_scores
from subspan.tuning import Candidate, NumberOfClusters

FOUND = NumberOfClusters(
    tuple(
        Candidate(k, 0.9, shared, doubted, 0.5)
        for k, shared, doubted in [(4, 1, 0.1), (5, 2, 0.2), (6, 2, 0)]
    ),
    by_chance=0.2,
)


def row(n_neighbors: int, agreement: float, **more: object) -> dict[str, object]:
    return {"n_neighbors": n_neighbors, **more, "agreement": agreement, "gap": 0.1, "left_out": 2}


def test_evidence_is_what_is_shared_less_what_doubt_costs() -> None:
    seen = number_evidence(FOUND)
    assert seen.tried.tolist() == [4, 5, 6]
    assert seen.shared.tolist() == [1, 2, 2]
    assert seen.evidence == pytest.approx(seen.shared - seen.cost_of_doubt)
    assert seen.evidence.tolist() == [each.evidence for each in FOUND.tried]
    assert seen.tried[seen.best].tolist() == [each.n_clusters for each in FOUND.best] == [6, 5, 4]
    assert (seen.n_clusters, seen.verdict) == (6, FOUND.verdict)


def test_evidence_of_something_else_is_refused() -> None:
    for wrong in (None, 5, [1.0, 2.0]):
        with pytest.raises(InputError, match="found must be what estimate_n_clusters returned"):
            number_evidence(wrong)


def test_settings_are_named_by_what_differs() -> None:
    scores = setting_scores([row(n, n / 10, scale="l2") for n in (3, 9, 5)])
    assert scores.names == ("n_neighbors=9", "n_neighbors=5", "n_neighbors=3")
    assert scores.agreement.tolist() == [0.9, 0.5, 0.3]
    assert setting_scores([row(3, 0.5, scale="l2")]).names == ("n_neighbors=3, scale=l2",)
    both = setting_scores([row(3, 0.5, scale="l2"), row(4, 0.4, scale=None)])
    assert both.names == ("n_neighbors=3, scale=l2", "n_neighbors=4, scale=None")


def test_only_the_best_are_shown() -> None:
    scores = setting_scores([row(n, n / 100) for n in range(50)], most=7)
    assert scores.agreement == pytest.approx(np.arange(49, 42, -1) / 100)
    assert (len(scores.names), scores.n_settings) == (7, 50)


def test_rows_of_something_else_are_refused() -> None:
    for wrong in ([], [{"n_neighbors": 3}]):
        with pytest.raises(InputError, match=r"^rows must be what subspan\.tuning\.search returned"):
            setting_scores(wrong)
