"""The members of the front door, and what they share."""

from __future__ import annotations

import numpy as np

from subspan.base import Settled
from subspan.datasets import make_union_of_subspaces
from subspan.execution.workplace import Workplace
from subspan.sources import ArraySource
from subspan.tuning.members import design, graphs


def test_shared_ridge_coefficients_are_those_of_each_member_alone():
    X, _ = make_union_of_subspaces(3, 2, 10, 20, noise=0.1, random_state=0)
    points = ArraySource(X / np.linalg.norm(X, axis=1, keepdims=True))
    settled = Settled(3, 0, 10**9, Workplace(1))
    ridges = [member for member in design(len(X)) if member.family == "ridge"]
    assert len(ridges) == 9
    for member, graph in zip(ridges, graphs(ridges, points, settled), strict=True):
        alone = member.graph(points, settled).affinity
        assert (graph.affinity != alone).nnz == 0
