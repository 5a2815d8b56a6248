"""Sub-dictionaries: the same for a seed everywhere, of the right rate or size, and refused if too small."""

from __future__ import annotations

import re

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.self_expression.dictionaries import sample_dictionaries, uniform_numbers

# Written down once: a seed means these points on every machine and in every version.
GOLDEN_BERNOULLI = [
    [0, 3, 4, 6, 9, 10, 11, 13, 17, 18],
    [0, 5, 6, 8, 9, 12, 13, 15, 16, 17, 18, 19],
    [1, 3, 5, 6, 7, 8, 10, 11, 13, 16, 17, 18, 19],
]
GOLDEN_SIZED = [
    [4, 6, 9, 11, 13, 17],
    [0, 8, 9, 12, 17, 18],
    [5, 6, 8, 10, 18, 19],
]


def as_lists(dictionaries: list[np.ndarray]) -> list[list[int]]:
    return [kept.tolist() for kept in dictionaries]


def test_golden_indices():
    assert as_lists(sample_dictionaries(20, 3, n_nonzero=2, dropout=0.5, seed=2020)) == GOLDEN_BERNOULLI
    assert as_lists(sample_dictionaries(20, 3, n_nonzero=2, dropout=0.5, size=6, seed=2020)) == GOLDEN_SIZED


def test_more_of_anything_leaves_the_rest_as_it_was():
    """Pure functions of (seed, t, i): neither further sub-problems nor further points change a draw."""
    few = sample_dictionaries(300, 2, n_nonzero=2, dropout=0.4, seed=5)
    many = sample_dictionaries(300, 6, n_nonzero=2, dropout=0.4, seed=5)
    longer = sample_dictionaries(500, 2, n_nonzero=2, dropout=0.4, seed=5)
    assert as_lists(few) == as_lists(many[:2])
    assert as_lists(few) == [kept[kept < 300].tolist() for kept in longer]
    assert as_lists(few) != as_lists(sample_dictionaries(300, 2, n_nonzero=2, dropout=0.4, seed=6))


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.8])
def test_points_are_kept_at_the_rate_asked_for(dropout):
    kept = sample_dictionaries(20_000, 15, n_nonzero=5, dropout=dropout, seed=1)
    shares = np.array([len(points) for points in kept]) / 20_000
    spread = np.sqrt(dropout * (1 - dropout) / 20_000)
    assert np.abs(shares - (1 - dropout)).max() < 4.5 * spread
    # Independent between sub-problems too: pairs of them share (1 - dropout)^2 of the points.
    common = len(np.intersect1d(kept[0], kept[1])) / 20_000
    assert common == pytest.approx((1 - dropout) ** 2, abs=0.02)


def test_numbers_are_uniform():
    u = uniform_numbers(3, 7, 50_000)
    assert u.min() >= 0
    assert u.max() < 1
    assert np.abs(np.histogram(u, 20, (0, 1))[0] - 2500).max() < 250


@pytest.mark.parametrize("size", [6, 40, 100])
def test_fixed_size(size):
    kept = sample_dictionaries(100, 8, n_nonzero=5, dropout=0.5, size=size, seed=4)
    for points in kept:
        assert len(np.unique(points)) == len(points) == size
        assert (np.diff(points) > 0).all()
        assert points.dtype == np.int64
    assert len({tuple(points) for points in kept}) == (1 if size == 100 else 8)


@pytest.mark.parametrize("size", [None, 30])
def test_cover_adds_every_point_left_out(size):
    arguments = {"n_nonzero": 5, "dropout": 0.9, "size": size, "seed": 2}
    plain = sample_dictionaries(300, 5, **arguments)
    covered = sample_dictionaries(300, 5, **arguments, cover=True)
    missing = np.setdiff1d(np.arange(300), np.concatenate(plain))
    assert len(missing) > 0
    assert as_lists(covered[:5]) == as_lists(plain)
    assert len(covered) == 6
    assert np.isin(missing, covered[5]).all()
    assert len(covered[5]) > len(missing)
    assert len(np.unique(np.concatenate(covered))) == 300


def test_cover_adds_nothing_if_nothing_is_missing():
    assert len(sample_dictionaries(50, 15, n_nonzero=2, dropout=0.2, cover=True)) == 15


@pytest.mark.parametrize("seed", range(5))
def test_error_names_the_largest_dropout_that_works(seed):
    arguments = {"n_points": 200, "n_subproblems": 10, "n_nonzero": 10, "seed": seed}
    with pytest.raises(InputError, match=r"dropout=0.99 .* n_nonzero=10 needs 11") as caught:
        sample_dictionaries(dropout=0.99, **arguments)
    largest = float(re.search(r"dropout <= ([0-9.]+)", str(caught.value))[1])
    assert min(map(len, sample_dictionaries(dropout=largest, **arguments))) >= 11
    with pytest.raises(InputError, match="dropout"):
        sample_dictionaries(dropout=largest + 2e-4, **arguments)


def test_too_few_points_for_any_dropout():
    with pytest.raises(InputError, match=r"n_nonzero=10 needs at least 11 distinct rows"):
        sample_dictionaries(10, 3, n_nonzero=10, dropout=0.0)


@pytest.mark.parametrize("size", [5, 101])
def test_size_out_of_range(size):
    with pytest.raises(
        InputError, match=f"dictionary_size={size} must lie between n_nonzero \\+ 1 = 6 and .*100"
    ):
        sample_dictionaries(100, 3, n_nonzero=5, dropout=0.5, size=size)


@pytest.mark.parametrize("dropout", [0.2, 0.5, 0.8])
def test_theorem_1(dropout):
    """Dropping points at random adds delta / (1 - delta) sum ||x_i||^2 c_i^2 to the expected residual."""
    rng = np.random.default_rng(0)
    n_points, n_draws = 80, 20_000
    X = rng.standard_normal((n_points, 6)) * rng.uniform(0.5, 2, (n_points, 1))
    x, c = rng.standard_normal(6), rng.standard_normal(n_points) / 3
    masks = np.zeros((n_draws, n_points))
    for t, kept in enumerate(sample_dictionaries(n_points, n_draws, n_nonzero=0, dropout=dropout, seed=9)):
        masks[t, kept] = 1 / (1 - dropout)
    residuals = ((x - (masks * c) @ X) ** 2).sum(axis=1)
    penalty = dropout / (1 - dropout) * ((X**2).sum(axis=1) * c**2).sum()
    expected = ((x - c @ X) ** 2).sum() + penalty
    standard_error = residuals.std() / np.sqrt(n_draws)
    assert abs(residuals.mean() - expected) < 3 * standard_error
    # The test has teeth: without the penalty it would fail.
    assert penalty > 10 * standard_error
