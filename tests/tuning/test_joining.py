"""Many partitions joined into one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, mutual_info_score

from subspan.handover import InputError
from subspan.labeling import canonical_labels, label_embedding
from subspan.tuning.joining import (
    confidence,
    joined_embedding,
    joined_graph,
    mutual_agreement,
    mutual_information,
    weigh,
)

TRUTH = np.repeat(np.arange(5), 30)


def noisy(share: float, seed: int) -> np.ndarray:
    """The truth with a share of the points relabelled at random."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(len(TRUTH)) < share
    return np.where(wrong, rng.integers(0, 5, len(TRUTH)), TRUTH)


class Joined(NamedTuple):
    labels: np.ndarray
    spectrum: np.ndarray


def join_partitions(partitions, weights, n_clusters, seed=0) -> Joined:
    """The labels that the front door makes of partitions."""
    embedding = joined_embedding(joined_graph(partitions, weights), n_clusters)
    labels = label_embedding(embedding.vectors, n_clusters, seed=seed)
    return Joined(canonical_labels(labels), embedding.eigenvalues)


def members(n: int, share: float, first: int = 0) -> list[np.ndarray]:
    return [noisy(share, first + seed) for seed in range(n)]


def test_many_poor_partitions_make_a_good_one():
    partitions = members(15, 0.4)
    joined = join_partitions(partitions, None, 5)
    assert max(adjusted_rand_score(TRUTH, labels) for labels in partitions) < 0.5
    assert adjusted_rand_score(TRUTH, joined.labels) > 0.95


def test_identical_partitions_give_themselves_back():
    joined = join_partitions([TRUTH] * 4, None, 5)
    assert np.array_equal(joined.labels, TRUTH)
    np.testing.assert_allclose(joined.spectrum[:5], 1)
    np.testing.assert_allclose(joined.spectrum[5:], 0, atol=1e-12)


def test_the_numbering_of_clusters_does_not_matter():
    partitions = members(6, 0.2)
    renamed = [np.random.default_rng(9).permutation(5)[labels] * 7 for labels in partitions]
    families = ["a", "b"] * 3
    one, other = (join_partitions(given, weigh(given, families), 5) for given in (partitions, renamed))
    np.testing.assert_allclose(weigh(partitions, families), weigh(renamed, families))
    np.testing.assert_allclose(one.spectrum, other.spectrum, atol=1e-12)
    assert np.array_equal(one.labels, other.labels)
    np.testing.assert_allclose(
        confidence(partitions, None, one.labels), confidence(renamed, None, one.labels), atol=1e-12
    )


def test_one_bad_member_among_many_does_not_matter():
    good, bad = members(8, 0.1), noisy(1.0, 99)
    joined = join_partitions([*good, bad], None, 5)
    assert adjusted_rand_score(TRUTH, joined.labels) > 0.98
    weights = weigh([*good, bad], ["a"] * 9)
    assert weights[-1] < 0.01 * weights[:-1].min()


def test_same_input_same_output():
    partitions = members(6, 0.5)
    first, second = (join_partitions(partitions, None, 5, seed=3) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)
    assert np.array_equal(first.spectrum, second.spectrum)


def test_only_the_ratios_of_weights_matter():
    partitions, weights = members(5, 0.3), np.array([1.0, 2.0, 0.0, 4.0, 1.0])
    one, other = (joined_graph(partitions, scale * weights) for scale in (1.0, 1e3))
    np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-12)


def test_joined_graph_is_the_mean_of_projections():
    partitions, weights = members(4, 0.3), np.array([1.0, 2.0, 3.0, 4.0])
    same = [(labels[:, None] == labels) / np.bincount(labels)[labels] for labels in partitions]
    expected = np.average(same, axis=0, weights=weights)
    graph = joined_graph(partitions, weights)
    np.testing.assert_allclose((graph @ graph.T).toarray(), expected, atol=1e-12)
    joined = join_partitions(partitions, weights, 5)
    values = np.linalg.eigvalsh(expected)[::-1]
    np.testing.assert_allclose(joined.spectrum, values[: len(joined.spectrum)], atol=1e-10)


def test_members_without_an_opinion_leave_it_to_the_others():
    partitions = members(7, 0.1)
    for number, labels in enumerate(partitions[:6]):
        labels[number::6] = -1
    joined = join_partitions(partitions, None, 5)
    assert adjusted_rand_score(TRUTH, joined.labels) > 0.95
    assert joined.spectrum[0] == pytest.approx(1)
    nobody = [np.append(labels, -1) for labels in partitions]
    labels = join_partitions(nobody, None, 5).labels
    assert confidence(nobody, None, labels)[-1] == 0


def test_a_member_without_weight_has_no_say_in_the_components():
    split = np.repeat([0, 1], [4, 2])
    graph = joined_graph([np.zeros(6, int), split], np.array([0.0, 1.0]))
    found = joined_embedding(graph, 2)
    assert found.components.tolist() == split.tolist()
    assert found.eigenvalues.tolist() == pytest.approx([1, 1])


def test_rows_are_those_of_the_leading_eigenvectors():
    graph = joined_graph(members(6, 0.3))
    found = joined_embedding(graph, 5)
    assert found.certificate.converged
    values, vectors = np.linalg.eigh((graph @ graph.T).toarray())
    # Each by the root of its eigenvalue.
    leading = vectors[:, -5:] * np.sqrt(values[-5:])
    rows = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    # Inner products, because the signs of eigenvectors are arbitrary.
    np.testing.assert_allclose(found.vectors @ found.vectors.T, rows @ rows.T, atol=1e-6)


def test_a_sample_of_the_points_can_stand_for_all():
    partitions = [np.append(labels, -1) for labels in members(4, 0.1)]
    found = joined_embedding(joined_graph(partitions), 5, sample=np.array([3, 70, 150]))
    assert found.sample.tolist() == [3, 70]


def test_confidence_is_a_share_and_low_where_labels_are_wrong():
    partitions = members(9, 0.45)
    labels = join_partitions(partitions, None, 5).labels
    sure = confidence(partitions, None, labels)
    assert sure.min() >= 0
    assert sure.max() <= 1
    moved = labels.copy()
    moved[::10] = (moved[::10] + 1) % 5
    assert confidence(partitions, None, moved)[::10].max() < np.median(sure)
    assert (confidence([TRUTH] * 3, None, TRUTH) == 1).all()


def test_the_family_that_agrees_is_trusted():
    partitions = members(6, 0.1) + members(3, 0.6, first=50)
    weights = weigh(partitions, ["a"] * 6 + ["b"] * 3)
    assert weights.sum() == pytest.approx(1)
    assert weights[:6].sum() > 0.95
    equal = weigh(partitions, ["a"] * 6 + ["b"] * 3, power=0)
    np.testing.assert_allclose(equal, [1 / 12] * 6 + [1 / 6] * 3)


def test_without_any_agreement_families_count_the_same():
    np.testing.assert_allclose(weigh([TRUTH, TRUTH, TRUTH[::-1]], ["a", "b", "c"]), 1 / 3)


def test_agreement_is_the_adjusted_rand_index():
    partitions = members(3, 0.3)
    partitions[0][:20] = -1
    found = mutual_agreement(partitions)
    assert found[0, 1] == found[1, 0] == adjusted_rand_score(partitions[0][20:], partitions[1][20:])


def test_shared_information_is_scikit_learns_less_chance():
    partitions = members(3, 0.3)
    partitions[0][:20] = -1
    shared, doubted = mutual_information(partitions)
    one, other = partitions[0][20:], partitions[1][20:]
    chance = 4 * 4 / (2 * len(one))
    assert shared[0, 1] * np.log(2) == pytest.approx(mutual_info_score(one, other) - chance)
    entropies = mutual_info_score(one, one) + mutual_info_score(other, other)
    assert (shared + doubted)[0, 1] * np.log(2) == pytest.approx(entropies / 2)


@pytest.mark.parametrize("weights", [[1.0], [0.0, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_refuses_weights_that_make_no_sense(weights):
    with pytest.raises(InputError, match="weights"):
        joined_graph([TRUTH, TRUTH], np.array(weights))


def test_refuses_families_that_do_not_fit():
    with pytest.raises(InputError, match="families"):
        weigh([TRUTH, TRUTH], ["a"])
