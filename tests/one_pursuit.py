"""A pursuit of one point, step by step: the kernels as plain Python."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from interpreted import interpreted

from subspan.execution.tiles import norms_of
from subspan.kernels.pursuit import step
from subspan.kernels.pursuit.state import (
    Atoms,
    Dictionary,
    Picks,
    Problem,
    Queries,
    Reach,
    Rules,
    Scratch,
    State,
    new_scratch,
    new_states,
)
from subspan.self_expression.engine import NO_BYTES, NO_NUMBERS, padded_features

begin, choose_atom, take_step = (interpreted(each) for each in (step.begin, step.choose_atom, step.take_step))
N, N_FEATURES, S = 12, 5, 3
# Atoms 2, 5 and 8 are dropped from the dictionary.
KEPT = np.array([0, 1, 3, 4, 6, 7, 9, 10, 11])


@dataclass
class Steps:
    """The pursuit of point 0 over the atoms that are kept."""

    damping: float = 0.5
    from_dropped: bool = False
    weights: np.ndarray = field(default_factory=lambda: np.ones(N))
    numbers: np.ndarray = field(default_factory=lambda: np.arange(N))
    targets: dict[int, float] = field(default_factory=dict)
    squared_tol: float = 0.0
    X: np.ndarray = field(default_factory=lambda: np.random.default_rng(1).standard_normal((N, N_FEATURES)))

    def __post_init__(self) -> None:
        rows = padded_features(self.X)
        atoms, values = np.full((N, N), -1, np.int32), np.full((N, N), np.nan)
        atoms[0, : len(self.targets)] = list(self.targets)
        values[0, : len(self.targets)] = list(self.targets.values())
        counts = np.full(N, len(self.targets), np.int32)
        positions = np.full(N, -1, np.int32)
        positions[KEPT] = np.arange(len(KEPT))
        precision = float(np.finfo(np.float64).eps)
        rules = Rules(
            S, self.damping, self.squared_tol, precision, 2 * self.damping, -self.damping, self.from_dropped
        )
        norms = norms_of(rows)
        self.problem = Problem(
            Queries(rows, norms, np.arange(N), np.ones(N, np.bool_), atoms, values, counts),
            NO_BYTES,
            Atoms(rows, norms, self.weights, self.numbers),
            Dictionary(KEPT.astype(np.int32), positions, np.empty(0, np.int16)),
            NO_NUMBERS,
            Reach(float(norms.max()), 1e-6),
            rules,
        )
        self.state = State(*(part[0] for part in new_states(1, S, N, rows.shape[1], rows.dtype)))
        self.scratch: Scratch = new_scratch(S, N, N, N_FEATURES)
        self.picks = Picks(np.full((N, S), -1, np.int32), np.full((N, S), np.nan), np.full(N, -1, np.int32))
        self.events = np.zeros(2, np.int64)
        begin(0, self.problem, self.state, self.picks)

    def scores(self) -> np.ndarray:
        """Of all atoms while no atom is picked; those that may not be picked have none."""
        correlations = self.X @ self.X[0]
        c = np.zeros(N)
        for atom, value in self.targets.items():
            c[atom] = value
        gained = correlations**2 + 2 * self.damping * correlations * c - self.damping * c**2
        return np.where(np.isin(np.arange(N), KEPT[1:]), self.weights**2 * gained, -np.inf)

    def chosen(self) -> tuple[int, float]:
        position, target = choose_atom(self.problem, self.state, self.scratch)
        return (int(KEPT[position]) if position >= 0 else -1), target

    def step(self) -> None:
        take_step(self.problem, self.state, self.scratch, self.picks, self.events)

    def count(self, name: int) -> int:
        return int(self.state.counts[name])
