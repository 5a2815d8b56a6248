"""Polar curvatures against their plain definition, scales against sorting, affinities against exp."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group

from subspan.affinity.curvature import curvature_affinity, curvature_scales, polar_curvatures
from subspan.sources import ArraySource


def log_polar_curvature(corners: np.ndarray) -> float:
    """Logarithm of the squared polar curvature of d + 2 points, the volume by Cayley and Menger."""
    n = len(corners)
    squared = ((corners[:, None] - corners) ** 2).sum(axis=2)
    bordered = np.ones((n + 1, n + 1))
    bordered[0, 0] = 0
    unit = squared.max()
    bordered[1:, 1:] = squared / unit
    volume = np.linalg.slogdet(bordered)[1] - (n - 1) * np.log(2) + (n - 1) * np.log(unit)
    sines = volume - np.log(squared + np.eye(n)).sum(axis=1)
    return float(np.log(unit) + np.logaddexp.reduce(sines))


def sample(n_points: int, dim: int, ambient: int, affine: bool, shift: float = 1.0):
    rng = np.random.default_rng(dim + ambient)
    X = rng.standard_normal((n_points, ambient)) + shift
    tuples = np.array([rng.choice(n_points, dim + affine, replace=False) for _ in range(9)])
    return X, tuples


def by_definition(X: np.ndarray, tuples: np.ndarray, affine: bool) -> np.ndarray:
    logarithms = np.full((len(X), len(tuples)), np.inf)
    for j, members in enumerate(tuples):
        for x in np.setdiff1d(np.arange(len(X)), members):
            corners = X[[*members, x]]
            corners = corners if affine else np.vstack([corners, np.zeros(X.shape[1])])
            logarithms[x, j] = log_polar_curvature(corners)
    return logarithms


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(("dim", "ambient"), [(1, 2), (1, 6), (2, 3), (3, 8), (9, 30), (40, 60)])
def test_definition(dim, ambient, affine):
    X, tuples = sample(150, dim, ambient, affine)
    curvatures = polar_curvatures(ArraySource(X), tuples, affine=affine)
    expected = by_definition(X, tuples, affine)
    members = np.isinf(expected)
    assert members.sum() == tuples.size
    assert np.array_equal(np.isinf(curvatures), members)
    # Where a point is nearly on the flat, the definition by determinants is no better than rounding.
    clear = ~members & (curvatures > 1e-6 * np.median(curvatures))
    assert clear.sum() > 0.95 * (~members).sum()
    assert np.allclose(np.log(curvatures[clear]), expected[clear], rtol=0, atol=1e-7)


def test_single_precision_is_kept():
    X, tuples = sample(200, 3, 10, True, shift=30.0)
    double = polar_curvatures(ArraySource(X.astype(np.float32).astype(float)), tuples)
    single = polar_curvatures(ArraySource(X.astype(np.float32)), tuples)
    assert single.dtype == np.float32
    assert single == pytest.approx(double, rel=1e-6)


def test_points_on_the_flat_have_no_curvature():
    rng = np.random.default_rng(0)
    frame = rng.standard_normal((3, 8))
    X = np.vstack([rng.standard_normal((60, 2)) @ frame[:2] + 5 * frame[2], rng.standard_normal((60, 8))])
    curvatures = polar_curvatures(ArraySource(X), np.array([[0, 1, 2]]))[3:, 0]
    assert curvatures[:57].max() < 1e-12 * curvatures[57:].min()


def test_invariance():
    X, tuples = sample(150, 3, 7, True)
    base = polar_curvatures(ArraySource(X), tuples)
    rotation = ortho_group.rvs(7, random_state=0)
    assert polar_curvatures(ArraySource(X @ rotation + 20), tuples) == pytest.approx(base, rel=1e-9)
    assert polar_curvatures(ArraySource(1e60 * X), tuples) == pytest.approx(1e120 * base, rel=1e-9)
    permuted = polar_curvatures(ArraySource(X), tuples[:, ::-1].copy())
    assert permuted == pytest.approx(base, rel=1e-9)


def test_copies_of_a_vertex_and_flat_tuples_give_zero():
    X, _ = sample(140, 2, 5, True)
    X[7] = X[0]
    X[3] = (X[0] + X[1]) / 2
    curvatures = polar_curvatures(ArraySource(X), np.array([[0, 1, 2], [0, 1, 3]]))
    assert curvatures[7].tolist() == [0, 0]
    assert (curvatures[4:, 1] == 0).all()
    assert np.delete(curvatures[4:, 0], 3).min() > 0


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    X, tuples = sample(700, 4, 9, True)
    points = ArraySource(X.astype(np.float32))
    one = polar_curvatures(points, tuples)
    assert np.array_equal(one, polar_curvatures(points, tuples, threads=threads))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scales_are_curvatures_of_these_ranks(dtype):
    curvatures = np.random.default_rng(0).exponential(size=(100, 20)).astype(dtype)
    curvatures[:5] = np.inf
    ordered = np.sort(curvatures[5:], axis=None)
    # 1900 / 5, / 25, / 125, / 625 and then fewer than one, again and again.
    expected = [ordered[rank] for rank in (379, 75, 15, 3, 0)]
    assert curvature_scales(curvatures, 5, 9) == pytest.approx(expected, rel=0)
    assert curvature_scales(curvatures, 5, 2) == pytest.approx(expected[:2], rel=0)


def test_scales_are_not_made_of_rounding():
    curvatures = np.ones((10, 10))
    curvatures[:, :7] = 0
    assert curvature_scales(curvatures, 2, 3) == [1e-15]
    assert curvature_scales(np.zeros((10, 10)), 2, 3)[0] > 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_affinities(dtype):
    curvatures = np.random.default_rng(0).uniform(0, 3, (300, 20)).astype(dtype)
    curvatures[4, 3] = np.inf
    affinity = curvature_affinity(curvatures, 0.3)
    assert affinity.dtype == dtype
    assert np.allclose(affinity, np.exp(-curvatures / 0.6), rtol=1e-5, atol=0)
    assert affinity[4, 3] == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_point_loses_its_links(dtype):
    curvatures = np.array([[0, 2, 4], [1e6, 1e6 + 2, np.inf], [1e9, 3e9, 2e9], [np.inf] * 3], dtype)
    affinity = curvature_affinity(curvatures, 1e-6)
    assert (affinity > 0).tolist() == [[True] * 3, [True, True, False], [True] * 3, [False] * 3]
    # The nearest tuple is still the nearest, and what was faint is still nothing to others.
    assert affinity.argmax(axis=1)[:3].tolist() == [0, 0, 0]
    assert affinity[1:].max() < 1e-17
    assert affinity[0, 1:].max() < 1e-29
