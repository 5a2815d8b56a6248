"""Points that follow a sample."""

from __future__ import annotations

import numpy as np

from subspan import SubspaceClustering
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy
from subspan.sources import ArraySource
from subspan.tuning import front_door
from subspan.tuning.voting import N_VOTES, REGULARIZATION, extend_partitions


def plain(labels: np.ndarray, sample: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Row by row, with a linear solver."""
    atoms = X[sample]
    found = []
    for x in X:
        c = np.linalg.solve(atoms @ atoms.T + REGULARIZATION * np.eye(len(atoms)), atoms @ x)
        votes = np.zeros(labels.max() + 1)
        for atom in np.argsort(-np.abs(c))[:N_VOTES]:
            if labels[atom] >= 0:
                votes[labels[atom]] += abs(c[atom])
        found.append(votes.argmax() if votes.any() else -1)
    found = np.array(found)
    found[sample] = labels
    return found


def test_votes_are_those_of_the_definition():
    X, _ = make_union_of_subspaces(3, 2, 10, 40, noise=0.1, random_state=0)
    rng = np.random.default_rng(0)
    sample = np.sort(rng.choice(len(X), 50, replace=False))
    partitions = [rng.integers(-1, 3, 50) for _ in range(4)]
    source = ArraySource(X.astype(np.float32))
    extended = extend_partitions(partitions, sample, source)
    assert np.array_equal(extend_partitions(partitions, sample, source, threads=2), extended)
    for labels, found in zip(partitions, extended, strict=True):
        assert np.mean(found == plain(labels, sample, X)) > 0.98


def test_a_fit_of_many_points_sees_a_sample(monkeypatch):
    X, y = make_union_of_subspaces(3, 3, 20, 200, noise=0.05, random_state=0)
    monkeypatch.setattr(front_door, "MOST_POINTS", 500)
    monkeypatch.setattr(front_door, "SAMPLE", 150)
    model = SubspaceClustering(3, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) > 0.98
    assert max(sum(row["sizes"]) for row in model.members_) <= 150
    # A graph with a number for each point and member, and not for each point and cluster of a member.
    assert model.affinity_.left.nnz == len(X) * sum(row["weight"] > 0 for row in model.members_)
