"""Which 8-bit inner products are kept: what fits the budget, and what is worth it."""

from __future__ import annotations

import pytest

from subspan.self_expression.kept import Kept, choose_kept, kept_bytes


def kept_for(budget: int, n_points: int = 10_000, size: int = 4000, n_features: int = 500) -> Kept:
    return choose_kept(n_points, n_points, [size] * 15, n_features, 10, budget)


def test_bytes_of_words_in_an_odd_number_of_cache_lines():
    assert kept_bytes("none", 1000, [300, 200]) == 0
    assert kept_bytes("dictionaries", 1000, [300, 200]) == (300 * 5 + 200 * 5) * 64
    assert kept_bytes("all", 1000, [300, 200]) == 1000**2 + kept_bytes("dictionaries", 1000, [300, 200])


@pytest.mark.parametrize("budget", [10**6, 10**8, 5 * 10**8, 10**9, 2 * 10**9, 10**12])
@pytest.mark.parametrize("size", [1000, 4000, 9000])
@pytest.mark.parametrize("n_points", [10_000, 70_000])
def test_what_is_kept_fits_the_budget(budget, size, n_points):
    kept = kept_for(budget, n_points, size)
    assert kept_bytes(kept, n_points, [size] * 15) <= budget


def test_more_memory_keeps_more():
    budgets = (10**5, 10**8, 25 * 10**7, 3 * 10**8, 4 * 10**8, 10**12)
    choices = [kept_for(budget) for budget in budgets]
    assert choices == ["none", "none", "dictionaries", "dictionaries", "all", "all"]


def test_not_all_are_kept_where_it_saves_little():
    """One dictionary has the inner products of its atoms anyway; few atoms of many points save few."""
    assert choose_kept(10_000, 10_000, [10_000], 500, 10, 10**12) == "shared"
    assert choose_kept(10**6, 15_000, [1000] * 15, 500, 10, 10**12) == "dictionaries"


def test_small_dimensions_need_none():
    assert kept_for(10**12, n_features=9) == "none"
