"""Parts of a step, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import way_in

from subspan.execution.tiles import norms_of
from subspan.kernels.pursuit import step
from subspan.kernels.pursuit.state import N_ATOMS, Atoms, Queries, Rules, State, new_states
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.engine import padded_features
from subspan.self_expression.job import represent
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

# Ways in from Python to parts of kernels.
dot, extend_system, solve_system, form_residual = (
    way_in(part) for part in (step.dot, step.extend_system, step.solve_system, step.form_residual)
)
TYPES = ["float32", "float64"]
CLOSE = {"float32": 2e-5, "float64": 1e-11}
S, N_FEATURES = 6, 11


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", [1, 64, 65, 500, 3000])
def test_dot(length, dtype):
    rng = np.random.default_rng(length)
    x, y = padded_features(rng.standard_normal((2, length)).astype(dtype))
    lanes = np.full(step.LANES, 99, dtype)
    found = dot(x, y, lanes)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    error = np.finfo(dtype).eps * (length / step.LANES + 4) * np.abs(x * y).sum(dtype=np.float64)
    assert abs(found - exact) <= error
    assert dot(y, x, lanes) == found
    # Zeros at the end change nothing.
    longer = padded_features(np.pad([x, y], ((0, 0), (0, 100))))
    assert dot(*longer, lanes) == found


class Pursuit:
    """A query that is joined by one atom after the other."""

    def __init__(self, seed: int, damping: float, dtype: str = "float64") -> None:
        rng = np.random.default_rng(seed)
        self.x = rng.standard_normal(N_FEATURES).astype(dtype)
        self.rows = rng.standard_normal((S, N_FEATURES)).astype(dtype)
        self.targets = rng.standard_normal(S)
        precision = float(np.finfo(dtype).eps)
        self.rules = Rules(S, damping, 0.0, precision, cross=0.0, square=0.0, from_dropped=False)
        self.state = State(
            *(array[0] for array in new_states(1, S, 0, padded_features(self.rows).shape[1], self.x.dtype))
        )

    def join(self, atom: int) -> bool:
        """Whether the atom was let in."""
        with np.errstate(over="ignore", invalid="ignore"):
            rows = padded_features(self.rows)
            atoms = Atoms(rows, norms_of(rows), np.ones(S), np.arange(S))
            correlation = float(self.rows[atom] @ self.x)
            return extend_system(atom, correlation, self.targets[atom], atoms, self.rules, self.state)

    def solve(self) -> float:
        return solve_system(float(np.linalg.norm(self.x.astype(np.float64))), self.rules, self.state)

    def residual(self) -> np.ndarray:
        rows = padded_features(self.x[None])
        queries = Queries(
            rows, norms_of(rows), np.array([-1]), np.ones(1, np.bool_), np.zeros((1, 0), np.int32),
            np.zeros((1, 0)), np.zeros(1, np.int32),
        )  # fmt: skip
        padded = padded_features(self.rows)
        form_residual(queries, Atoms(padded, norms_of(padded), np.ones(S), np.arange(S)), self.state)
        return self.state.residual[:N_FEATURES]

    def solution(self, picked: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and residual by NumPy."""
        rows, x = self.rows[picked].astype(np.float64), self.x.astype(np.float64)
        damping = self.rules.damping
        system = rows @ rows.T + damping * np.eye(len(picked))
        values = np.linalg.solve(system, rows @ x + damping * self.targets[picked])
        return values, x - values @ rows


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("damping", [0.0, 0.3, 100.0])
@pytest.mark.parametrize("seed", range(5))
def test_systems_are_solved(seed, damping, dtype):
    pursuit = Pursuit(seed, damping, dtype)
    order = np.random.default_rng(seed).permutation(S).tolist()
    for k, atom in enumerate(order, start=1):
        assert pursuit.join(atom)
        squared = pursuit.solve()
        values, residual = pursuit.solution(order[:k])
        assert pursuit.state.atoms[:k].tolist() == order[:k]
        assert pursuit.state.values[:k] == pytest.approx(values, rel=CLOSE[dtype], abs=CLOSE[dtype])
        assert squared == pytest.approx(residual @ residual, rel=CLOSE[dtype], abs=CLOSE[dtype])
        assert pursuit.residual() == pytest.approx(residual, rel=CLOSE[dtype], abs=CLOSE[dtype])


@pytest.mark.parametrize("dtype", TYPES)
def test_an_atom_that_depends_on_others_is_refused(dtype):
    pursuit = Pursuit(0, 0.0, dtype)
    pursuit.rows[2] = pursuit.rows[:2].sum(axis=0)
    assert [pursuit.join(atom) for atom in (0, 1, 2, 3)] == [True, True, False, True]
    pursuit.solve()
    assert pursuit.state.counts[N_ATOMS] == 3
    assert pursuit.state.values[:3] == pytest.approx(pursuit.solution([0, 1, 3])[0], rel=1e-3)


def test_a_norm_that_overflows_spoils_nothing():
    pursuit = Pursuit(0, 0.0)
    pursuit.rows[1] = 1e200
    assert [pursuit.join(atom) for atom in (0, 1, 2)] == [True, False, True]
    pursuit.solve()
    assert pursuit.state.values[:2] == pytest.approx(pursuit.solution([0, 2])[0])


def test_damping_makes_room_for_dependent_atoms():
    pursuit = Pursuit(0, 0.5)
    pursuit.rows[2] = pursuit.rows[:2].sum(axis=0)
    assert all(pursuit.join(atom) for atom in range(3))


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("dtype", TYPES)
def test_twins_are_refused_without_damping(dtype, damping):
    X = unit_rows(np.random.default_rng(0).standard_normal((20, 8))).astype(dtype)
    X[1] = -X[0]
    settings = ConsensusSettings(3, damping=damping)
    found = represent(ArraySource(X), [np.arange(20)], settings, budget=10**9, kept="none")
    C = found.coefficients.toarray()
    assert found.counts["twins"] == (2 if damping == 0 else 0)
    assert (C[0, 1] != 0) == (C[1, 0] != 0) == (damping > 0)
    assert (np.count_nonzero(C, axis=1) <= 3).all()
    assert C[0].any()
