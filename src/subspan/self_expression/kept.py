"""Which 8-bit inner products are kept: memory decides, the work that they save, and the dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from subspan.execution.tiles import TILE
from subspan.kernels.lines import words_length

# Which 8-bit inner products are kept.
# none:          looks use the residual.
# shared:        those among all atoms; every look sees all of them, and leaves out those that were dropped.
# dictionaries:  those among the atoms of each sub-dictionary; those of queries are made tile by tile.
# all:           those among all atoms, and gathered from them those of each sub-dictionary.
Kept = Literal["none", "shared", "dictionaries", "all"]

# Points that are solved together over a dictionary, whose rows then stay in the cache. Fewer where memory is
# short, or where 8-bit numbers have to be made for every tile.
TILE_ROWS: dict[Kept, int] = {"none": TILE, "shared": 4 * TILE, "dictionaries": TILE, "all": 4 * TILE}

# Up to about this many dimensions per nonzero a look at the residual costs less than one at 8-bit rows.
SMALL_DIMENSION = 3
# Numbers between all atoms are kept in addition to those of the sub-dictionaries if at most this share of the
# products is left, and if there are enough features for products to matter.
WORTH_IT = 0.8
MANY_FEATURES = 100
# If sub-dictionaries have this share of the atoms, separate numbers for each save too little.
NEARLY_ALL = 0.75


def kept_bytes(kept: Kept, n_points: int, sizes: Sequence[int]) -> int:
    """Bytes of the 8-bit numbers that are kept."""
    if kept == "none":
        return 0
    if kept == "shared":
        return 2 * n_points * words_length(n_points)
    dictionaries = sum(2 * size * words_length(size) for size in sizes)
    return dictionaries + (n_points**2 if kept == "all" else 0)


def choose_kept(
    n_points: int, n_atoms: int, sizes: Sequence[int], n_features: int, n_nonzero: int, budget: int
) -> Kept:
    """The fastest choice that fits into `budget` bytes; no bit of the coefficients depends on it.

    Parameters
    ----------
    n_points, n_atoms : int
        All points, and those that some sub-dictionary kept.
    sizes : sequence of int
        Points kept by each sub-dictionary.
    n_features, n_nonzero, budget : int

    Examples
    --------
    >>> choose_kept(10_000, 10_000, [4000] * 15, 500, 10, budget=10**9)
    'all'
    >>> choose_kept(10_000, 10_000, [4000] * 15, 500, 10, budget=3 * 10**8)
    'dictionaries'
    >>> choose_kept(10_000, 10_000, [4000] * 15, 500, 10, budget=2 * 10**8)
    'shared'
    >>> choose_kept(10_000, 10_000, [4000] * 15, 9, 5, budget=10**9)
    'none'
    """
    if n_features <= SMALL_DIMENSION * n_nonzero:
        return "none"
    choices: list[Kept] = ["dictionaries", "shared"]
    if min(sizes) >= NEARLY_ALL * n_points:
        choices.reverse()
    # Products, in units of the dimension: of all atoms at once, or of each dictionary and of every point that
    # some dictionary dropped.
    at_once = n_points**2
    apart = n_points * n_atoms + sum(size**2 for size in sizes)
    if at_once < WORTH_IT * apart and n_features >= MANY_FEATURES and choices[0] == "dictionaries":
        choices.insert(0, "all")
    fitting = (kept for kept in choices if kept_bytes(kept, n_points, sizes) <= budget)
    return next(fitting, "none")
