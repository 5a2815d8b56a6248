"""Which Gram matrices to keep: decided by memory, by the share of points kept, and by the dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from subspan.execution.tiles import padded_length
from subspan.self_expression.coarse import coarse_bytes

# shared:          one Gram matrix of all points serves every sub-dictionary, and is their correlations.
# gathered:        the same, with a compact copy for each sub-dictionary; of 8 bits a number where that pays.
# per_dictionary:  compact ones only, each from a product of its own.
# residual:        none; correlations come from products with the residuals.
GramPlan = Literal["shared", "gathered", "per_dictionary", "residual"]

# Up to about this many dimensions per nonzero a product with the residual costs less than Gram rows.
SMALL_DIMENSION = 3
# With this share of the points in every dictionary, compact copies save too little to be made.
NEARLY_ALL = 0.75


@dataclass(frozen=True)
class GramCosts:
    """Bytes of each plan."""

    shared: int
    gathered: int
    per_dictionary: int
    residual: int


def gram_costs(n_points: int, sizes: Sequence[int], n_features: int, itemsize: int) -> GramCosts:
    """Bytes that each plan holds for the whole stage."""
    lengths = [padded_length(size) for size in sizes]
    shared = padded_length(n_points) ** 2 * itemsize
    per_dictionary = sum(length**2 for length in lengths) * itemsize
    coarse = coarse_bytes(n_points, sizes) if itemsize == 4 else 0
    return GramCosts(
        shared=shared,
        gathered=shared + max(per_dictionary, coarse),
        per_dictionary=per_dictionary,
        residual=sum(lengths) * n_features * itemsize,
    )


def choose_gram_plan(
    n_points: int,
    n_atoms: int,
    sizes: Sequence[int],
    n_features: int,
    n_nonzero: int,
    itemsize: int,
    budget: int,
) -> GramPlan:
    """The fastest plan that fits into `budget` bytes.

    Parameters
    ----------
    n_points, n_atoms : int
        All points, and those that some sub-dictionary kept.
    sizes : sequence of int
        Points kept by each sub-dictionary.
    n_features, n_nonzero, itemsize, budget : int

    Examples
    --------
    >>> choose_gram_plan(10_000, 10_000, [4000] * 15, 500, 10, 4, budget=10**10)
    'gathered'
    >>> choose_gram_plan(10_000, 10_000, [4000] * 15, 500, 10, 4, budget=5 * 10**8)
    'shared'
    >>> choose_gram_plan(70_000, 68_000, [14_000] * 15, 500, 10, 4, budget=13 * 10**9)
    'per_dictionary'
    >>> choose_gram_plan(10_000, 10_000, [4000] * 15, 9, 5, 4, budget=10**10)
    'residual'
    """
    if n_features <= SMALL_DIMENSION * n_nonzero:
        return "residual"
    costs = gram_costs(n_points, sizes, n_features, itemsize)
    if costs.shared <= budget and min(sizes) >= NEARLY_ALL * n_points:
        return "shared"
    # Products in units of the dimension; a Gram matrix is symmetric, so half of it is computed.
    separate_work = n_points * n_atoms + sum(size**2 for size in sizes) / 2
    if costs.gathered <= budget and n_points**2 / 2 <= separate_work:
        return "gathered"
    if costs.per_dictionary <= budget:
        return "per_dictionary"
    return "shared" if costs.shared <= budget else "residual"
