"""Low-rank representation against its problem solved generally, one singular value or matrix at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from subspan.datasets import make_rigid_motions, make_union_of_subspaces
from subspan.self_expression.low_rank import (
    LowRankSettings,
    _without_gross_errors,
    low_rank_factors,
    soft_threshold,
    thresholded_values,
)


def random_points(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """With singular values that fall off, so that some are noise."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) @ np.diag(0.7 ** np.arange(shape[1]))


def with_diagonal(points: np.ndarray, settings: LowRankSettings) -> np.ndarray:
    """The coefficients, with the diagonal that the hand-over leaves out."""
    factors = low_rank_factors(points, settings).factors
    return factors.left @ factors.right.T


def nuclear_norm(matrix: np.ndarray) -> float:
    return np.linalg.svd(matrix, compute_uv=False).sum()


def representation_cost(C: np.ndarray, A: np.ndarray, tau: float) -> float:
    return nuclear_norm(C) + tau / 2 * ((A - C @ A) ** 2).sum()


def value_cost(clean: float, value: float, tau: float, alpha: float) -> float:
    """The problem for one singular value, as the paper states it."""
    kept = 1 - 1 / (2 * tau * clean**2) if clean > 1 / np.sqrt(tau) else tau / 2 * clean**2
    return alpha / 2 * (value - clean) ** 2 + kept


@pytest.mark.parametrize("shape", [(20, 6), (6, 20)])
@pytest.mark.parametrize("tau", [0.5, 5.0])
def test_clean_points_are_represented_best(shape, tau):
    points, rng = random_points(shape), np.random.default_rng(1)
    best = with_diagonal(points, LowRankSettings(tau=tau))
    least = representation_cost(best, points, tau)
    assert np.array_equal(best, best.T)
    # No singular value of the points above 1/sqrt(tau) is lost, and none below is kept.
    assert np.linalg.matrix_rank(best) == (np.linalg.svd(points)[1] > tau**-0.5).sum()
    for size in (1.0, 1e-2, 1e-3, 1e-4):
        for _ in range(5):
            change = rng.standard_normal((len(points), len(points)))
            assert representation_cost(best + size * (change + change.T), points, tau) > least


@pytest.mark.parametrize("tau", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("ratio", [0.05, 0.5, 2.0, 5.0, 100.0])
def test_threshold_against_a_general_minimiser(tau, ratio):
    alpha = ratio * tau
    values = np.concatenate([np.linspace(0, 10, 60), [50.0]]) / np.sqrt(tau)
    kink = 1 / np.sqrt(tau)
    for value, found in zip(values, thresholded_values(values, tau, alpha), strict=True):
        searches = [
            minimize_scalar(value_cost, bounds=bounds, args=(value, tau, alpha), method="bounded")
            for bounds in ((0, kink), (kink, value + kink))
        ]
        assert value_cost(found, value, tau, alpha) <= min(search.fun for search in searches) + 1e-9
        assert 0 <= found <= value


def test_threshold_lies_where_the_paper_puts_it():
    tau, alpha = 1.0, 4.0
    # With alpha > 3 tau the minimiser is continuous, and passes 1/sqrt(tau) here.
    edge = (alpha + tau) / (alpha * np.sqrt(tau))
    below, above = thresholded_values(np.array([edge - 1e-6, edge + 1e-6]), tau, alpha)
    assert below < 1 / np.sqrt(tau) < above
    assert above - below < 1e-5
    # Otherwise it jumps, near the value where both ways out cost the same without shrinking the large one.
    alpha = 0.5
    near = np.sqrt((alpha + tau) / (alpha * tau) + np.sqrt((alpha + tau) / (alpha**2 * tau)))
    low, high = thresholded_values(np.array([0.9 * near, 1.1 * near]), tau, alpha)
    assert low == pytest.approx(alpha / (alpha + tau) * 0.9 * near)
    assert high > near


def joint_cost(C: np.ndarray, A: np.ndarray, X: np.ndarray, tau: float, alpha: float) -> float:
    return representation_cost(C, A, tau) + alpha / 2 * ((X - A) ** 2).sum()


@pytest.mark.parametrize("shape", [(15, 6), (6, 15)])
@pytest.mark.parametrize(("tau", "alpha"), [(2.0, 1.0), (1.0, 8.0)])
def test_noisy_points_are_cleaned_and_represented_best(shape, tau, alpha):
    points, rng = random_points(shape, 3), np.random.default_rng(4)
    left, values, right = np.linalg.svd(points, full_matrices=False)
    clean = left * thresholded_values(values, tau, alpha) @ right
    best = with_diagonal(points, LowRankSettings(tau=tau, alpha=alpha, noise="dense"))
    least = joint_cost(best, clean, points, tau, alpha)
    for size in (1.0, 1e-2, 1e-3, 1e-4):
        for _ in range(5):
            change = rng.standard_normal((len(points), len(points)))
            other = clean + size * rng.standard_normal(points.shape)
            assert joint_cost(best + size * (change + change.T), other, points, tau, alpha) > least
    # The clean points of another rank, with the best coefficients for them.
    for rank in range(1, len(values) + 1):
        other = left[:, :rank] * values[:rank] @ right[:rank]
        its_best = with_diagonal(other, LowRankSettings(tau=tau))
        assert joint_cost(its_best, other, points, tau, alpha) >= least - 1e-9


def test_published_weights_are_the_defaults():
    points = random_points((30, 8))
    tau = 100 / np.linalg.norm(points, 2) ** 2
    for noise in ("none", "dense"):
        default = with_diagonal(points, LowRankSettings(noise=noise))
        named = with_diagonal(points, LowRankSettings(tau=tau, alpha=tau / 2, noise=noise))
        np.testing.assert_allclose(default, named, atol=1e-12)


def test_gross_errors_are_set_aside():
    """Errors five times as large as the entries, in one of a hundred."""
    X, _ = make_union_of_subspaces(3, 2, 20, 200, random_state=0)
    corrupt = X + (np.random.default_rng(0).random(X.shape) < 0.01)
    settings = LowRankSettings(noise="gross", tau=0.2, gamma=0.01)
    truth, tolerant, plain = (
        with_diagonal(points, choice)
        for points, choice in (
            (X, LowRankSettings(tau=0.2, noise="dense")),
            (corrupt, settings),
            (corrupt, LowRankSettings(tau=0.2, noise="dense")),
        )
    )
    assert np.abs(tolerant - truth).mean() < 0.5 * np.abs(plain - truth).mean()
    changes = low_rank_factors(corrupt, settings).changes
    assert 1 < len(changes) < settings.max_iter
    assert changes[-1] <= settings.tol < changes[0]


def test_alternation_without_gross_errors_is_the_noisy_case():
    points = random_points((25, 7))
    gross = low_rank_factors(points, LowRankSettings(noise="gross", gamma=1e6))
    dense = low_rank_factors(points, LowRankSettings(noise="dense"))
    assert np.array_equal(gross.factors.left, dense.factors.left)
    assert len(gross.changes) == 2


def test_weights_that_grow_find_a_lower_cost():
    """With large weights from the start, gross errors stay in the points."""
    clean, corrupt = (make_rigid_motions(3, 60, 25, gross=share, random_state=0)[0] for share in (0.0, 0.1))
    length, middle = np.linalg.norm(corrupt) / np.sqrt(len(corrupt)), corrupt.mean(axis=0)
    clean, corrupt = (clean - middle) / length, (corrupt - middle) / length
    tau, alpha, price = 50.0, 25.0, 0.005

    def cleaned(given: np.ndarray) -> np.ndarray:
        U, values, V = np.linalg.svd(given, full_matrices=False)
        return (U * thresholded_values(values, tau, alpha)) @ V

    def cost(A: np.ndarray) -> float:
        """With the best coefficients and the best errors for these clean points."""
        E = soft_threshold(corrupt - A, price)
        misfit = alpha * (((corrupt - A - E) ** 2).sum() / 2 + price * np.abs(E).sum())
        return misfit + sum(value_cost(value, value, tau, alpha) for value in np.linalg.svd(A)[1])

    settings = LowRankSettings(noise="gross", tau=tau, alpha=alpha, gamma=alpha * price)
    spectrum, _ = _without_gross_errors(corrupt, tau, alpha, settings, threads=1)
    grown = cleaned(spectrum.scores @ spectrum.axes.T)
    errors = np.zeros_like(corrupt)
    for _ in range(150):
        at_once = cleaned(corrupt - errors)
        errors = soft_threshold(corrupt - at_once, price)
    assert cost(grown) < 0.8 * cost(at_once)
    assert np.linalg.norm(grown - clean) < 0.1 * np.linalg.norm(at_once - clean)


def test_alternation_stops_at_the_cap():
    found = low_rank_factors(
        random_points((25, 7)), LowRankSettings(noise="gross", gamma=0.01, max_iter=3, tol=0)
    )
    assert len(found.changes) == 3


def test_soft_threshold_minimises_its_problem():
    entries = np.random.default_rng(0).standard_normal(50)
    found = soft_threshold(entries, 0.4)
    grid = np.linspace(-4, 4, 8001)
    costs = 0.5 * (entries[:, None] - grid) ** 2 + 0.4 * np.abs(grid)
    np.testing.assert_allclose(found, grid[costs.argmin(axis=1)], atol=1e-3)


def test_single_precision_stays():
    points = random_points((30, 8)).astype(np.float32)
    factors = low_rank_factors(points, LowRankSettings()).factors
    assert factors.left.dtype == np.float32
