"""The choice of Gram matrices: what fits the budget, and what is worth keeping."""

from __future__ import annotations

import pytest

from subspan.self_expression.plan import choose_gram_plan, gram_costs


def plan_for(budget: int, n_points: int = 10_000, size: int = 4000, n_features: int = 500) -> str:
    return choose_gram_plan(n_points, n_points, [size] * 15, n_features, 10, 4, budget)


def test_costs_count_whole_tiles():
    costs = gram_costs(1000, [300, 200], 50, 8)
    assert costs.shared == 1024**2 * 8
    assert costs.per_dictionary == (384**2 + 256**2) * 8
    assert costs.gathered == costs.shared + costs.per_dictionary
    # Numbers of 8 bits, in whole words of 16, of all points and not only of the atoms.
    assert gram_costs(1000, [300], 50, 4).gathered == 1024**2 * 4 + 1024 * (512 + 32) * 2
    assert costs.residual == (384 + 256) * 50 * 8


@pytest.mark.parametrize("budget", [10**6, 10**8, 5 * 10**8, 10**9, 2 * 10**9, 10**12])
@pytest.mark.parametrize("size", [1000, 4000, 9000])
@pytest.mark.parametrize("n_points", [10_000, 70_000])
def test_the_plan_fits_the_budget(budget, size, n_points):
    """Without room for anything the residual plan remains; it needs no more than the data themselves."""
    plan = plan_for(budget, n_points, size)
    costs = gram_costs(n_points, [size] * 15, 500, 4)
    assert plan == "residual" or getattr(costs, plan) <= budget


def test_more_memory_never_brings_back_residual_products():
    plans = [plan_for(10**exponent) for exponent in range(5, 13)]
    assert plans[0] == "residual"
    assert plans[-1] == "gathered"
    assert "residual" not in plans[plans.index("shared") :]


def test_nearly_full_dictionaries_share_one_matrix():
    assert plan_for(10**12, size=9000) == "shared"
    assert choose_gram_plan(10_000, 10_000, [10_000], 500, 10, 4, 10**12) == "shared"


def test_small_dimensions_need_no_gram_matrix():
    assert plan_for(10**12, n_features=9) == "residual"
