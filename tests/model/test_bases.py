"""The subspaces of clusters: known ones are found, and a common direction does not hide them."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.datasets import make_union_of_subspaces
from subspan.model.atoms import choose_atoms, equal_shares
from subspan.model.bases import cluster_subspaces

X, y = make_union_of_subspaces(3, 4, 30, 50, noise=0.01, random_state=0)


def test_dimensions_bases_and_distances_are_found():
    found = cluster_subspaces(X, y, np.arange(len(X)))
    for label, each in enumerate(found):
        own = X[y == label]
        assert each.dimension == 4
        np.testing.assert_allclose(each.basis.T @ each.basis, np.eye(4), atol=1e-12)
        values = np.linalg.svd(own, compute_uv=False)
        assert each.energy == pytest.approx((values[:4] ** 2).sum() / (values**2).sum())
        assert each.residual == pytest.approx(np.sqrt((values[4:] ** 2).sum() / len(own)))
        assert each.next_residual > 10 * each.residual
        distances = np.linalg.norm(each.residuals(X), axis=1)
        assert each.representatives[0] == np.flatnonzero(y == label)[distances[y == label].argmin()]


def test_a_common_direction_does_not_make_every_cluster_a_line():
    common = np.zeros(31)
    common[0] = 8.0
    faces = np.hstack([np.zeros((len(X), 1)), X]) + common
    found = cluster_subspaces(faces, y, np.arange(len(X)))
    assert [each.dimension for each in found] == [5, 5, 5]


def test_affine_subspaces_have_a_mean():
    found = cluster_subspaces(X + 3.0, y, np.arange(len(X)), affine=True, dimension=4)
    for label, each in enumerate(found):
        np.testing.assert_allclose(each.mean, (X + 3.0)[y == label].mean(axis=0))
        assert each.residual < 0.05


def test_small_clusters_keep_their_atoms():
    labels = np.repeat([0, 1, 2, -1], [5000, 100, 900, 50])
    chosen = choose_atoms(labels, seed=0, most=600)
    assert np.bincount(labels[chosen]).tolist() == [250, 100, 250]
    assert (np.diff(chosen) > 0).all()
    assert equal_shares(np.array([3, 3]), 100).tolist() == [3, 3]
