"""Words follow numbers: each sign is shown on results made to have it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from subspan import S3COMPC
from subspan.handover import Certificate
from subspan.report import verdict as words
from subspan.report.calibration import GROUPS
from subspan.report.material import Material, gather
from subspan.report.verdict import findings, level_of
from subspan.tuning import Candidate, NumberOfClusters

K, SIZE = 4, 10


def result(**changes: object) -> Material:
    """Four full graphs, each with one weak edge to the next, as if they had been clustered."""
    own = csr_array(np.ones((SIZE, SIZE)) - np.eye(SIZE))
    affinity = csr_array(block_diag([own] * K)).tolil()
    for first in range(SIZE - 1, K * SIZE - 1, SIZE):
        affinity[first, first + 1] = affinity[first + 1, first] = 0.01
    model = S3COMPC(K, random_state=0)
    model.labels_ = np.repeat(np.arange(K), SIZE)
    model.affinity_ = model.representation_ = csr_array(affinity)
    model.embedding_ = np.eye(K)[model.labels_]
    model.n_clusters_ = K
    model.eigenvalues_ = np.array([1.0, 0.99, 0.98, 0.97, 0.4, 0.3])
    model.certificate_ = Certificate(True, 1e-9, 0.0, 40)
    model.changes_ = (1.0, 1e-4)
    model.counts_ = {"components": 1, "isolated_points": 0, "left_out": 0}
    model.stage_seconds_ = {"representation": 1.0}
    model.n_features_in_ = 3
    for name, value in changes.items():
        setattr(model, name, value)
    return gather(model)


def titles(material: Material, level: str) -> list[str]:
    return [finding.title for finding in findings(material) if finding.level == level]


def test_a_clean_result_is_in_order():
    material = result()
    assert titles(material, "look") == titles(material, "doubt") == []
    said = words.verdict(material, findings(material))
    assert said.startswith("S3COMP-C sorted 40 rows of 3 numbers into 4 clusters of 10 rows.")
    assert "spectrum speaks for 4 clusters" in said
    assert "To look at" not in said


@pytest.mark.parametrize(
    ("changes", "level", "title"),
    [
        ({"eigenvalues_": np.array([1, 0.99, 0.98, 0.4, 0.39, 0.3])}, "look", "drops after 3 eigenvalues"),
        ({"eigenvalues_": np.linspace(1, 0.9, 6)}, "note", "does not tell the number"),
        ({"eigenvalues_": np.linspace(1, 0.9, 4)}, "note", "no spectrum to judge by"),
        ({"certificate_": Certificate(False, 0.1, 0.2, 9)}, "doubt", "eigenvectors are in doubt"),
        ({"random_state": None}, "look", "No seed"),
        ({"changes_": (1.0, 0.5)}, "note", "not quite converged"),
        (
            {"labels_": np.array([3, *np.repeat([0, 1, 2, 3], [9, 10, 10, 10])])},
            "look",
            "Cluster 3 falls into pieces",
        ),
        ({"labels_": np.repeat([0, 1, 2, -1], 10)}, "look", "10 rows in no cluster"),
        ({"labels_": np.repeat([0, 1, 2, 3], [2, 2, 2, 34])}, "look", "Cluster 3 may mix rows"),
        ({"labels_": np.tile([0, 1, 2, 3], 10)}, "doubt", "of the graph's weight stays inside"),
        ({"n_clusters_": 5}, "look", "Only 4 of 5 clusters have rows"),
    ],
)
def test_signs_of_trouble_are_named(changes, level, title):
    material = result(**changes)
    assert any(title in found for found in titles(material, level))


@pytest.mark.parametrize(("n_components", "is_named"), [(None, True), ("auto", False)])
def test_nobody_is_told_to_set_what_is_set(n_components, is_named):
    after_three = np.array([1, 0.99, 0.98, 0.4, 0.39, 0.3])
    remedies = [each.remedy for each in findings(result(eigenvalues_=after_three, n_components=n_components))]
    assert any("If 3 clusters make sense" in remedy for remedy in remedies)
    assert any('n_components="auto"' in remedy for remedy in remedies) == is_named


@pytest.mark.parametrize(
    ("counts", "level", "title"),
    [
        ({"components": 4}, "good", "exactly as many pieces as there are clusters"),
        ({"components": 3}, "good", "falls into 3 pieces"),
        ({"components": 7, "left_out": 1}, "look", "7 pieces, more than 4"),
        ({"components": 7, "left_out": 20}, "doubt", "7 pieces, more than 4"),
        ({"isolated_points": 1}, "look", "1 row without any edge"),
        ({"isolated_points": 9}, "doubt", "9 rows without any edge"),
        ({"duplicate_rows": 5}, "note", "Rows equal to another: 5"),
        ({"empty_representations": 2}, "look", "Rows that nothing represents: 2"),
    ],
)
def test_counts_are_told(counts, level, title):
    plain = {"components": 1, "isolated_points": 0, "left_out": 0}
    material = result(counts_=plain | counts)
    assert any(title in found for found in titles(material, level))


@pytest.mark.parametrize(
    ("shared", "by_chance", "level", "title"),
    [
        (2.0, 0.3, "good", "The data show 4 clusters"),
        (0.3, 0.3, "look", "The data show 4 clusters. The evidence is weak"),
        (2.0, 0.9, "doubt", "The data show no clusters"),
    ],
)
def test_a_number_that_was_found_has_its_evidence(shared, by_chance, level, title):
    tried = tuple(Candidate(k, 0.9, bits, 0.0, 0.5) for k, bits in ((2, 0.1), (4, shared), (5, 0.1)))
    material = result(n_clusters_tried_=NumberOfClusters(tried, by_chance))
    assert title in titles(material, level)
    (sign,) = [finding for finding in findings(material) if finding.title == title]
    assert f"4 (evidence {shared:.2f}" in sign.text
    assert bool(sign.remedy) == (level != "good")


def test_a_number_that_was_given_has_no_evidence():
    named = titles(result(n_clusters_tried_=None), "good")
    assert named == titles(result(), "good")
    assert not [title for title in named if title.startswith("The data show")]


def test_share_of_the_weight_is_that_of_the_graph():
    material = result(labels_=np.tile([0, 1, 2, 3], 10))
    graph, labels = material.estimator.affinity_.toarray(), material.labels
    inside = graph[labels[:, None] == labels].sum() / graph.sum()
    assert f"Only {100 * inside:.1f}\u00a0%" in " ".join(titles(material, "doubt"))


def test_clusters_that_are_not_the_classes():
    material = gather(result().estimator, truth=np.tile([0, 1, 2, 3], 10))
    assert "Clusters and known classes differ: they agree on 30\u00a0% of the rows" in titles(
        material, "look"
    )
    assert "30\u00a0% of the rows are in the right cluster" in words.verdict(material, findings(material))


def with_points(labels: np.ndarray, truth: np.ndarray | None = None) -> Material:
    """Four lines in space, clustered as `labels` say."""
    directions = np.eye(4)[np.repeat(np.arange(K), SIZE)]
    X = directions * np.arange(1, K * SIZE + 1)[:, None] + 0.01 * np.random.default_rng(0).standard_normal(
        (40, 4)
    )
    return gather(result(labels_=labels).estimator, X, truth=truth)


def test_the_verdict_is_what_calibration_says_of_such_runs():
    right, wrong = np.repeat(np.arange(K), SIZE), np.tile(np.arange(K), SIZE)
    assert level_of(with_points(right)) == "good"
    assert level_of(with_points(wrong)) == "doubt"
    said = words.verdict(with_points(right), [])
    assert f"{GROUPS[0].in_ten} in 10 had at least 80% of their rows in the right cluster" in said
    assert level_of(result()) == "note"
    assert "No number of this run tells whether it is right" in words.verdict(result(), [])


def test_never_green_beside_a_poor_known_accuracy():
    right = np.repeat(np.arange(K), SIZE)
    assert level_of(with_points(right, truth=right)) == "good"
    assert level_of(with_points(right, truth=np.tile(np.arange(K), SIZE))) == "doubt"
    two_in_one = np.where(right == 3, 2, right)
    assert level_of(with_points(two_in_one, truth=right)) == "look"
    assert "Less than half is found of: 3." in words.verdict(with_points(two_in_one, right), [])


def test_rows_in_no_cluster_have_the_remedy_for_their_reason():
    labels = np.repeat([0, 1, 2, -1], 10)
    for reason, remedy in (
        ("left_out", "attach"),
        ("incomplete_rows", 'missing="mean"'),
        ("zero_rows", "zero"),
    ):
        found = findings(result(labels_=labels, counts_={"components": 3, "isolated_points": 0, reason: 10}))
        (sign,) = [each for each in found if each.title == "10 rows in no cluster"]
        assert remedy in sign.remedy


def test_every_sign_of_trouble_says_what_to_do():
    spoilt = result(
        labels_=np.tile([0, 1, 2, 3], 10),
        random_state=None,
        counts_={"components": 7, "left_out": 20, "isolated_points": 9},
    )
    for finding in findings(spoilt):
        assert finding.remedy or finding.level in ("good", "note"), finding.title
