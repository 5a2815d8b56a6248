"""Which Gram matrices to keep: decided by memory, by the share of points kept, and by the dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from subspan.execution.tiles import padded_length

GramPlan = Literal["shared", "per_dictionary", "residual"]

# Up to about this many dimensions per nonzero a product with the residual costs less than Gram rows.
SMALL_DIMENSION = 3
# With this share of the points in every dictionary, one Gram matrix of all of them serves as well as
# compact copies, takes less memory and doubles as the correlations of the points themselves.
NEARLY_ALL = 0.75


@dataclass(frozen=True)
class GramCosts:
    """Bytes of each plan."""

    shared: int
    per_dictionary: int
    residual: int


def gram_costs(n_atoms: int, sizes: Sequence[int], n_features: int, itemsize: int) -> GramCosts:
    """Bytes that each plan holds for the whole stage."""
    lengths = [padded_length(size) for size in sizes]
    return GramCosts(
        shared=padded_length(n_atoms) ** 2 * itemsize,
        per_dictionary=sum(length**2 for length in lengths) * itemsize,
        residual=sum(lengths) * n_features * itemsize,
    )


def choose_gram_plan(
    n_atoms: int, sizes: Sequence[int], n_features: int, n_nonzero: int, itemsize: int, budget: int
) -> GramPlan:
    """The fastest plan that fits into `budget` bytes.

    Examples
    --------
    >>> choose_gram_plan(10_000, [4000] * 15, 500, 10, 4, 10**10)
    'per_dictionary'
    >>> choose_gram_plan(10_000, [4000] * 15, 500, 10, 4, 5 * 10**8)
    'shared'
    >>> choose_gram_plan(10_000, [4000] * 15, 9, 5, 4, 10**10)
    'residual'
    """
    if n_features <= SMALL_DIMENSION * n_nonzero:
        return "residual"
    costs = gram_costs(n_atoms, sizes, n_features, itemsize)
    if costs.shared <= budget and min(sizes) >= NEARLY_ALL * n_atoms:
        return "shared"
    if costs.per_dictionary <= budget:
        return "per_dictionary"
    return "shared" if costs.shared <= budget else "residual"
