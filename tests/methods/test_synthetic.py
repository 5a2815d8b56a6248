"""Unions of subspaces: exact where they are orthogonal, and the paper's comparison where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.base import SubspaceMethod
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy, connectivity

# Points per subspace, damping and dropout of the paper's synthetic experiment.
PAPER = [
    (30, 0.4, 0.3),
    (55, 0.4, 0.3),
    (98, 0.7, 0.3),
    (177, 0.7, 0.4),
    (320, 0.7, 0.4),
    pytest.param(577, 1.0, 0.6, marks=pytest.mark.slow),
    pytest.param(1041, 1.0, 0.6, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("n_subspaces", [2, 5, 10, 20, 50])
def test_orthogonal_subspaces_are_told_apart_every_time(n_subspaces):
    for seed in range(20):
        X, y = make_union_of_subspaces(
            n_subspaces, 2, 2 * n_subspaces, 12, orthogonal=True, random_state=seed
        )
        method = (S3COMP, S3COMPC)[seed % 2]
        model = method(n_subspaces, n_nonzero=2, n_subproblems=8, dropout=0.3, n_init=2, random_state=seed)
        assert clustering_accuracy(y, model.fit(X).labels_) == 1.0


def scores(model: SubspaceMethod, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    model.fit(X)
    # Many small dense eigenproblems: two BLAS threads wait for each other more than they compute.
    with threadpool_limits(1):
        return clustering_accuracy(y, model.labels_), connectivity(model.affinity_, y).minimum


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize(("n_per_subspace", "damping", "dropout"), PAPER)
def test_dropout_beats_plain_omp(n_per_subspace, damping, dropout):
    """Five subspaces of dimension six in nine dimensions; means over seeds, fewer of large data."""
    damped = {"n_clusters": 5, "n_nonzero": 5, "damping": damping, "dropout": dropout}
    table = []
    for seed in range(5 if n_per_subspace < 500 else 2):
        X, y = make_union_of_subspaces(5, 6, 9, n_per_subspace, random_state=seed)
        models = (
            SSCOMP(5, n_nonzero=5, random_state=seed),
            S3COMP(**damped, random_state=seed),
            S3COMPC(**damped, random_state=seed),
        )
        table.append([scores(model, X, y) for model in models])
    plain, one_pass, consensus = np.mean(table, axis=0)
    assert (one_pass > plain).all()
    assert (consensus > plain).all()
    if n_per_subspace >= 320:
        assert one_pass[0] >= 0.96
        assert consensus[0] >= 0.96
