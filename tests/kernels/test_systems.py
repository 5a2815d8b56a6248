"""Small systems side by side: against NumPy, each as if it were alone; compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.kernels.jit import kernel
from subspan.kernels.state import (
    CORRELATION,
    CROSS,
    LANES,
    OWN,
    POINT,
    RESIDUAL,
    RIGHT,
    TARGET,
    VALUE,
    PursuitState,
    Rules,
    new_state,
)
from subspan.kernels.systems import extend_systems

S, DAMPING, N_FEATURES = 6, 0.3, 11


@kernel
def extend(rules, state, group):
    extend_systems(rules, state, group)


EXTEND = pytest.mark.parametrize("extend", [extend, extend_systems.py_func], ids=["compiled", "plain"])


def rules(damping: float = DAMPING) -> Rules:
    fields = dict.fromkeys(Rules._fields, 0.0) | {
        "n_nonzero": S,
        "damping": damping,
        "precision": float(np.finfo(np.float64).eps),
        "greedy": False,
        "unit_norm": True,
        "from_dropped": False,
        "shortcut_from": 0,
        "magnitude_mask": np.int64(0),
    }
    return Rules(**fields)


class Pursuit:
    """A point, its atoms one after the other and their targets."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.x = rng.standard_normal(N_FEATURES)
        self.atoms = rng.standard_normal((S, N_FEATURES))
        self.targets = rng.standard_normal(S)

    def join(self, state: PursuitState, group: int, lane: int, damping: float = DAMPING) -> None:
        """Let the next atom join, or be refused."""
        k = int(state.sizes[group, lane])
        atom = self.atoms[k]
        vectors, scalars = state.vectors[group, ..., lane], state.scalars[group, :, lane]
        vectors[CROSS, :k] = self.atoms[:k] @ atom
        vectors[CORRELATION, k] = atom @ self.x
        vectors[TARGET, k] = self.targets[k]
        scalars[OWN], scalars[POINT] = atom @ atom, self.x @ self.x
        scalars[RIGHT] = atom @ self.x + damping * self.targets[k]
        state.joins[group, lane] = True

    def solution(self, k: int, damping: float = DAMPING) -> tuple[np.ndarray, float]:
        """The coefficients of the first `k` atoms, and the squared residual."""
        chosen = self.atoms[:k]
        system = chosen @ chosen.T + damping * np.eye(k)
        values = np.linalg.solve(system, chosen @ self.x + damping * self.targets[:k])
        return values, float(((self.x - values @ chosen) ** 2).sum())


@EXTEND
def test_systems_of_several_sizes_are_solved(extend):
    """In each round some pursuits of two groups take a step and others wait."""
    pursuits = [Pursuit(seed) for seed in range(2 * LANES)]
    state = new_state(2 * LANES, S, 0, 0, np.dtype(np.float64))
    rng = np.random.default_rng(0)
    sizes = np.zeros(2 * LANES, int)
    for _ in range(2 * S):
        moves = (rng.random(2 * LANES) < 0.6) & (sizes < S)
        state.joins[:] = False
        for slot in np.flatnonzero(moves):
            pursuits[slot].join(state, slot // LANES, slot % LANES)
        for group in range(2):
            extend(rules(), state, group)
        sizes += moves
        assert np.array_equal(state.sizes.ravel(), sizes)
        for slot in np.flatnonzero(moves):
            group, lane, k = slot // LANES, slot % LANES, sizes[slot]
            values, residual = pursuits[slot].solution(k)
            assert state.vectors[group, VALUE, :k, lane] == pytest.approx(values, rel=1e-9)
            assert state.scalars[group, RESIDUAL, lane] == pytest.approx(residual, rel=1e-9)
    assert (sizes == S).sum() > LANES


def test_a_system_does_not_notice_its_neighbours():
    """Bit for bit, whatever the lane and whatever was there before."""
    pursuits = [Pursuit(seed) for seed in range(LANES)]
    together = new_state(LANES, S, 0, 0, np.dtype(np.float64))
    together.factors[:] = 7.0
    alone = new_state(1, S, 0, 0, np.dtype(np.float64))
    for k in range(1, S + 1):
        for lane, pursuit in enumerate(pursuits):
            # The last one starts two steps later.
            together.joins[0, lane] = False
            if lane < LANES - 1 or k > 2:
                pursuit.join(together, 0, lane)
        extend(rules(), together, 0)
        alone.joins[:] = False
        pursuits[3].join(alone, 0, 0)
        extend(rules(), alone, 0)
        assert np.array_equal(together.vectors[0, VALUE, :k, 3], alone.vectors[0, VALUE, :k, 0])
        assert together.scalars[0, RESIDUAL, 3] == alone.scalars[0, RESIDUAL, 0]
    assert together.sizes[0].tolist() == [S] * (LANES - 1) + [S - 2]


@EXTEND
def test_an_atom_that_depends_on_others_is_refused(extend):
    pursuits = [Pursuit(seed) for seed in range(2)]
    pursuits[0].atoms[2] = pursuits[0].atoms[:2].sum(axis=0)
    # A norm that overflows, as of data that nobody scaled, must not spoil what comes later.
    pursuits[1].atoms[2] = 1e200
    state = new_state(2, S, 0, 0, np.dtype(np.float64))
    for _ in range(3):
        for lane, pursuit in enumerate(pursuits):
            with np.errstate(over="ignore"):
                pursuit.join(state, 0, lane, damping=0.0)
        with np.errstate(all="ignore"):
            extend(rules(damping=0.0), state, 0)
    assert state.sizes[0, :2].tolist() == [2, 2]
    assert np.isfinite(state.factors).all()
    assert state.vectors[0, VALUE, :2, 0] == pytest.approx(pursuits[0].solution(2, damping=0.0)[0])


@EXTEND
def test_nothing_happens_where_no_atom_joins(extend):
    state = new_state(1, S, 0, 0, np.dtype(np.float64))
    state.vectors[:] = 3.0
    extend(rules(), state, 0)
    assert (state.vectors == 3.0).all()
    assert not state.sizes.any()
