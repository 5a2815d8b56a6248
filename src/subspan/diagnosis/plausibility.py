"""Whether points may lie near a union of subspaces: how well they follow from few others, beside chance.

Chance is a cloud of the same shape: Gaussian points with the same second moments and no clusters. Points on a
union of subspaces follow from few others far better. So do points in compact groups, but there one
neighbour does it, and the second adds no more than it would by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subspan.sources.checks import unit_rows

Doubles = NDArray[np.float64]
Structure = Literal["subspaces", "compact groups", "none"]

# Atoms that represent a point, and points and directions that are looked at.
MOST_ATOMS = 5
MOST_POINTS = 600
MOST_DIRECTIONS = 50
# What is left beside chance: below the first there is structure. Lines in a plane must be sharper: two
# numbers for each point leave little room for anything else.
STRUCTURE, STRUCTURE_IN_A_PLANE = 0.78, 0.4
# Where the second atom adds so much less than by chance, and the first is on the same side of the origin for
# so many points, the first one was a neighbour. With few columns the second atom tells nothing.
ONLY_NEIGHBOURS = 1.25
SAME_SIDE = 0.7
FEW_COLUMNS = 3
# Residuals below this are rounding or an exhausted space, and are not compared.
LEAST_RESIDUAL = 0.03


@dataclass(frozen=True)
class Plausibility:
    """What is left of a typical point after 1, 2, ... atoms, in the data and by chance."""

    residuals: tuple[float, ...]
    by_chance: tuple[float, ...]
    structure: Structure

    @property
    def best_ratio(self) -> float:
        """The smallest share of what chance leaves."""
        return min(_ratios(self.residuals, self.by_chance))


def plausibility(points: Doubles) -> Plausibility:
    """Compare how points follow from others with points of the same shape but without clusters.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> lines = rng.standard_normal((100, 1)) * np.repeat(np.eye(4), 25, axis=0)
    >>> plausibility(lines + 0.01 * rng.standard_normal((100, 4))).structure
    'subspaces'
    >>> plausibility(rng.standard_normal((200, 10))).structure
    'none'
    """
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(points))[:MOST_POINTS]
    units = _in_few_directions(_units(points[np.sort(rows)]))
    n_atoms = max(1, min(MOST_ATOMS, units.shape[1] - 1))
    found = _residuals(units, n_atoms)
    chance = _residuals(_without_clusters(units, rng), n_atoms)
    return Plausibility(found, chance, _structure(units, found, chance))


def _structure(units: Doubles, found: tuple[float, ...], chance: tuple[float, ...]) -> Structure:
    ratios, n_columns = _ratios(found, chance), units.shape[1]
    if min(ratios) >= (STRUCTURE if n_columns > 2 else STRUCTURE_IN_A_PLANE):
        return "none"
    adds_little = len(ratios) > 1 and ratios[1] > ONLY_NEIGHBOURS * ratios[0]
    if (adds_little or n_columns <= FEW_COLUMNS) and _on_the_same_side(units) > SAME_SIDE:
        return "compact groups"
    return "subspaces"


def _on_the_same_side(units: Doubles) -> float:
    """Share of points whose best atom has a positive coefficient: subspaces go on beyond the origin."""
    products = units @ units.T
    np.fill_diagonal(products, 0)
    best = np.abs(products).argmax(axis=1)
    return float(np.mean(products[np.arange(len(units)), best] > 0))


def _ratios(found: tuple[float, ...], chance: tuple[float, ...]) -> list[float]:
    compared = [here / there for here, there in zip(found, chance, strict=True) if there >= LEAST_RESIDUAL]
    return compared or [found[0] / max(chance[0], 1e-12)]


def _units(points: Doubles) -> Doubles:
    return np.asarray(unit_rows(points), np.float64)


def _in_few_directions(units: Doubles) -> Doubles:
    """The points in their leading directions: a Gaussian cloud fills all of them, whatever the data do."""
    if units.shape[1] > MOST_DIRECTIONS:
        left, values, _ = np.linalg.svd(units, full_matrices=False)
        units = left[:, :MOST_DIRECTIONS] * values[:MOST_DIRECTIONS]
    return _units(units)


def _without_clusters(units: Doubles, rng: np.random.Generator) -> Doubles:
    _, values, directions = np.linalg.svd(units, full_matrices=False)
    return _units(rng.standard_normal((len(units), len(values))) @ (values[:, None] * directions))


def _residuals(units: Doubles, n_atoms: int) -> tuple[float, ...]:
    """Median length of what orthogonal matching pursuit leaves, after each atom."""
    n_points = len(units)
    every = np.arange(n_points)
    rest = units
    chosen = np.empty((n_points, 0), np.intp)
    left: list[float] = []
    for _ in range(n_atoms):
        scores = np.abs(rest @ units.T)
        np.fill_diagonal(scores, 0)
        np.put_along_axis(scores, chosen, 0.0, axis=1)
        chosen = np.column_stack([chosen, scores.argmax(axis=1)])
        atoms = units[chosen]
        # A trace of ridge: copies of an atom would make the system singular.
        gram = atoms @ atoms.transpose(0, 2, 1) + 1e-9 * np.eye(chosen.shape[1])
        weights = np.linalg.solve(gram, atoms @ units[every, :, None])
        rest = units - (atoms.transpose(0, 2, 1) @ weights)[:, :, 0]
        left.append(float(np.median(np.linalg.norm(rest, axis=1))))
    return tuple(left)
