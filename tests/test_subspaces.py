"""Subspaces of clusters against the singular value decomposition."""

import numpy as np
import pytest

from subspan.subspaces import Spread


# More points than features, as many, and fewer.
@pytest.mark.parametrize("n_points", [40, 12, 5])
@pytest.mark.parametrize("affine", [True, False])
def test_against_the_decomposition(n_points, affine):
    points = np.random.default_rng(0).standard_normal((n_points, 12)) + 1
    centred = points - points.mean(axis=0) if affine else points
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    spread = Spread(points, affine=affine)
    subspace = spread.subspace(3)
    np.testing.assert_allclose(np.sqrt(spread.squared_singular_values()), values, atol=1e-7)
    np.testing.assert_allclose(subspace.singular_values, values[:3])
    np.testing.assert_allclose(subspace.basis @ subspace.basis.T, axes[:3].T @ axes[:3], atol=1e-10)
    left = subspace.residuals(points)
    np.testing.assert_allclose(left, centred - centred @ axes[:3].T @ axes[:3], atol=1e-10)
    assert spread.squared_distance(3) == pytest.approx((left**2).sum())
    assert (subspace.mean is not None) == affine


@pytest.mark.parametrize("n_features", [4, 30])
def test_a_subspace_has_no_more_dimensions_than_its_points(n_features):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((20, 2)) @ rng.standard_normal((2, n_features))
    subspace = Spread(points).subspace(9)
    assert subspace.basis.shape == (n_features, 2)
    np.testing.assert_allclose(subspace.basis.T @ subspace.basis, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(subspace.residuals(points), 0, atol=1e-12)
    assert Spread(np.zeros((3, n_features))).subspace(2).basis.shape == (n_features, 0)
