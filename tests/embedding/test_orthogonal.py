import numpy as np
import pytest
from scipy.linalg import qr, subspace_angles

from subspan.embedding.orthogonal import orthonormal_directions


def random_basis(rng, n, count):
    return qr(rng.standard_normal((n, count)), mode="economic")[0]


def assert_orthonormal(block, known):
    everything = np.hstack([known, block])
    np.testing.assert_allclose(everything.T @ everything, np.eye(everything.shape[1]), atol=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_full_rank_block(seed):
    rng = np.random.default_rng(seed)
    known = random_basis(rng, 200, 20)
    block = rng.standard_normal((200, 8)) * 10.0 ** rng.integers(-30, 30, size=8)
    result = orthonormal_directions(block, [known[:, :5], known[:, 5:]])
    assert result.shape == (200, 8)
    assert_orthonormal(result, known)
    outside = block - known @ (known.T @ block)
    assert subspace_angles(outside / np.linalg.norm(outside, axis=0), result).max() < 1e-10


def test_dependent_and_zero_columns_are_dropped():
    rng = np.random.default_rng(0)
    known = random_basis(rng, 100, 6)
    fresh = rng.standard_normal((100, 3))
    block = np.hstack([fresh, fresh @ rng.standard_normal((3, 4)), known[:, :2], np.zeros((100, 2))])
    result = orthonormal_directions(block, [known])
    assert result.shape == (100, 3)
    assert_orthonormal(result, known)


def test_directions_almost_inside_the_known_space():
    rng = np.random.default_rng(1)
    known = random_basis(rng, 100, 6)
    block = known[:, :3] + 1e-8 * rng.standard_normal((100, 3))
    result = orthonormal_directions(block, [known])
    assert result.shape == (100, 3)
    assert_orthonormal(result, known)


def test_nothing_left():
    assert orthonormal_directions(np.eye(4)[:, :2], [np.eye(4)]).shape == (4, 0)
    assert orthonormal_directions(np.zeros((4, 3))).shape == (4, 0)
