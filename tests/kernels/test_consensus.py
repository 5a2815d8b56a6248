"""The average of the sub-problems' solutions against dense arrays, compiled and as plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from interpreted import both_forms

from subspan.kernels.consensus import average_solutions
from subspan.kernels.pursuit.state import Picks, Queries

N_SUBPROBLEMS, N_QUERIES, N_ATOMS, MOST = 4, 30, 12, 3
FORMS = both_forms(average_solutions)


@dataclass
class Round:
    """Solutions of all sub-problems and the consensus before them, dense and as kernels have them."""

    solutions: np.ndarray
    before: np.ndarray
    active: np.ndarray
    # Row of each atom in the data: not in the order of the atoms.
    numbers: np.ndarray

    @classmethod
    def random(cls, seed: int) -> Round:
        rng = np.random.default_rng(seed)
        solutions = np.zeros((N_SUBPROBLEMS, N_QUERIES, N_ATOMS))
        for b in solutions.reshape(-1, N_ATOMS):
            b[rng.choice(N_ATOMS, rng.integers(0, MOST + 1), replace=False)] = rng.standard_normal()
        before = rng.standard_normal((N_QUERIES, N_ATOMS)) * (rng.random((N_QUERIES, N_ATOMS)) < 0.4)
        # Some queries come back with what they had.
        solutions[:, ::5] = solutions[0, ::5]
        before[::5] = solutions[0, ::5]
        return cls(solutions, before, rng.random(N_QUERIES) < 0.8, rng.permutation(50)[:N_ATOMS])

    def picks(self) -> Picks:
        """Atoms in the order in which they were picked, which is none; one of them with the value zero."""
        shape = (N_SUBPROBLEMS, N_QUERIES)
        atoms, values = np.full((*shape, MOST + 1), -1, np.int32), np.full((*shape, MOST + 1), np.nan)
        counts = np.zeros(shape, np.int32)
        for place in np.ndindex(shape):
            chosen = np.flatnonzero(self.solutions[place])[::-1]
            idle = np.setdiff1d(np.arange(N_ATOMS), chosen)[:1]
            picked = np.concatenate([idle, chosen])
            counts[place] = len(picked)
            atoms[place][: len(picked)], values[place][: len(picked)] = picked, self.solutions[place][picked]
        return Picks(atoms, values, counts)

    def queries(self) -> Queries:
        atoms = np.full((N_QUERIES, N_ATOMS), -1, np.int32)
        values, counts = np.full((N_QUERIES, N_ATOMS), np.nan), np.zeros(N_QUERIES, np.int32)
        for j, c in enumerate(self.before):
            kept = np.flatnonzero(c)
            kept = kept[np.argsort(self.numbers[kept])]
            counts[j] = len(kept)
            atoms[j, : len(kept)], values[j, : len(kept)] = kept, c[kept]
        # Rows, norms and own atoms are not read.
        nothing = np.zeros((0, 0)), np.zeros(0), np.zeros(0, np.int64)
        return Queries(*nothing, self.active.copy(), atoms, values, counts)

    def average(self, over_chosen: bool) -> np.ndarray:
        times = np.count_nonzero(self.solutions, axis=0) if over_chosen else N_SUBPROBLEMS
        found = self.solutions.sum(axis=0) / np.maximum(times, 1)
        return np.where(self.active[:, None], found, self.before)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("over_chosen", [True, False])
@pytest.mark.parametrize("tol", [0.0, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_average(form, over_chosen, tol, seed):
    given = Round.random(seed)
    queries = given.queries()
    active, atoms, values, counts = queries[3:]
    totals, times, touched = np.zeros(N_ATOMS), np.zeros(N_ATOMS, np.int32), np.zeros(N_ATOMS, np.int32)
    squares = np.full((N_QUERIES, 2), 7.0)
    FORMS[form](given.picks(), queries, given.numbers, over_chosen, tol**2, totals, times, touched, squares)

    wanted = given.average(over_chosen)
    found = np.zeros_like(wanted)
    for j, n in enumerate(counts):
        found[j, atoms[j, :n]] = values[j, :n]
        assert (np.diff(given.numbers[atoms[j, :n]]) > 0).all()
    assert found == pytest.approx(wanted, rel=1e-14, abs=1e-15)
    changes = ((wanted - given.before) ** 2).sum(axis=1)
    # A query that came back with what it had rests at any tolerance, one at rest is never woken.
    moving = changes > tol**2 * (given.before**2).sum(axis=1) + 1e-30
    assert np.array_equal(active, given.active & moving)
    assert 0 < active.sum() < given.active.sum()
    assert squares[:, 0] == pytest.approx(changes, rel=1e-12, abs=1e-28)
    # One at rest keeps the norm that it had.
    assert squares[:, 1] == pytest.approx(np.where(given.active, (wanted**2).sum(axis=1), 7.0))
    # Ready for the next tile.
    assert not totals.any()
    assert not times.any()
