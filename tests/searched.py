"""Points and settings that searches for the next atom are tried on."""

from __future__ import annotations

import numpy as np

from subspan.datasets import make_union_of_subspaces
from subspan.kernels.jit import kernel
from subspan.kernels.steps import conclude, pick
from subspan.kernels.systems import extend_systems

N_POINTS, N_NONZERO = 240, 8
SETTINGS = {
    "one pass": {"damping": 1.0},
    "hardly damped": {"damping": 0.01},
    "not damped": {"damping": 0.0},
    "much damped": {"damping": 100.0, "max_iter": 3},
    "with memory": {"damping": 0.5, "max_iter": 5},
    "with dropped atoms": {"damping": 0.5, "max_iter": 3, "candidates": "all"},
    "greedy": {"damping": 0.5, "max_iter": 3, "selection": "greedy"},
}


def spread_out(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((N_POINTS, 60))


def near_subspaces(rng: np.random.Generator) -> np.ndarray:
    return make_union_of_subspaces(4, 9, 40, N_POINTS // 4, noise=0.1, random_state=rng.integers(99))[0]


def much_alike(rng: np.random.Generator) -> np.ndarray:
    """All points near one direction, so that a great many scores are close to the largest."""
    return 1 + 0.05 * rng.standard_normal((N_POINTS, 30))


def tied(rng: np.random.Generator) -> np.ndarray:
    """Rows with a few entries -1, 1, and copies: a great many scores are equal."""
    X = np.zeros((N_POINTS, 24))
    for row in X:
        row[rng.choice(24, 4, replace=False)] = rng.choice([-1, 1], 4)
    X[::7] = X[3]
    return X


@kernel
def take_step(winner, score, points, j, dictionary, atoms, atom_norms, rules, state, picks, counts):
    """The rest of a step of the pursuit in slot 0, once a search has named its winner; True if it joined."""
    pick(
        winner, score, -1, -np.inf, points, j, dictionary, atoms, atom_norms, rules, state, 0, True,
        picks, counts,
    )  # fmt: skip
    extend_systems(rules, state, 0)
    return state.joins[0, 0] and conclude(rules, state, 0, counts)
