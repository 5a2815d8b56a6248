"""What the numbers of a result were worth in runs whose truth is known: benchmarks/verdict.py measures it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from subspan.report.finding import Level

# A run counts as right if so many of its rows are in the right cluster.
RIGHT = 0.8


@dataclass(frozen=True)
class CalibratedGroup:
    """Runs that look alike, and how many of them were right."""

    level: Level
    # Least share of rows nearest to their own cluster, and least size of the smallest beside the middle one.
    nearest: float
    balance: float
    # Of the runs that set the limits: how many looked like this, and how many of those were right.
    n_runs: int
    n_right: int

    @property
    def in_ten(self) -> int:
        """How many in ten were right."""
        return round(10 * self.n_right / self.n_runs)

    def statement(self) -> str:
        """The verdict on a run of this group."""
        many = self.in_ten
        number = "fewer than 1" if many == 0 else str(many)
        return (
            f"Of the test runs that looked like this one, {number} in 10 had at least {RIGHT:.0%} of their "
            "rows in the right cluster."
        )


# The first that a run belongs to counts.
GROUPS = (
    CalibratedGroup("good", 0.95, 0.75, 60, 47),
    CalibratedGroup("look", 0.85, 0.5, 82, 32),
    CalibratedGroup("doubt", 0.0, 0.0, 138, 14),
)


def group_of(numbers: Mapping[str, float]) -> CalibratedGroup | None:
    """The group that a run belongs to; None if the numbers that tell it could not be had.

    Examples
    --------
    >>> group_of({"nearest": 0.99, "balance": 0.9}).level, group_of({"balance": 0.9})
    ('good', None)
    """
    if "nearest" not in numbers:
        return None
    return next(
        group
        for group in GROUPS
        if numbers["nearest"] >= group.nearest and numbers["balance"] >= group.balance
    )
