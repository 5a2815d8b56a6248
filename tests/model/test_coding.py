"""Codes of new rows against the problems that they solve."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import Clarity, Pursuit, damped_omp
from sklearn.linear_model import ElasticNet, Ridge

from subspan.model.coding import CODINGS, ElasticNetCoding, PursuitCoding, RidgeCoding
from subspan.sources.checks import unit_rows

N_ATOMS, N_FEATURES = 30, 8
RNG = np.random.default_rng(0)
ATOMS = unit_rows(RNG.standard_normal((N_ATOMS, N_FEATURES)))
# The last ones are atoms themselves.
OWN = np.array([-1] * 20 + [3, 17])
ROWS = np.concatenate([unit_rows(RNG.standard_normal((20, N_FEATURES))), ATOMS[OWN[20:]]])
ALL = [
    PursuitCoding(4, 0.2),
    PursuitCoding(4),
    RidgeCoding(0.1, 5),
    ElasticNetCoding(0.9, 20.0),
    ElasticNetCoding(1.0, 1.0, 0.05),
]


def dense(coding: object, rows: np.ndarray, own: np.ndarray, threads: int = 1) -> np.ndarray:
    codes = coding.coder(ATOMS, len(rows), threads)(rows, own)
    out = np.zeros((len(rows), N_ATOMS))
    for j, count in enumerate(codes.counts):
        out[j, codes.picks[j, :count]] = codes.values[j, :count]
    return out


def test_codings_are_known_by_their_kind():
    assert {type(coding) for coding in ALL} == set(CODINGS.values())
    assert all(coding.kind == kind for kind, coding in CODINGS.items())


@pytest.mark.parametrize("coding", ALL, ids=str)
def test_an_atom_does_not_represent_itself(coding):
    found = dense(coding, ROWS, OWN)
    assert not found[[20, 21], OWN[20:]].any()
    alone = dense(coding, ROWS[20:], np.array([-1, -1]))
    assert alone[[0, 1], OWN[20:]].all()


@pytest.mark.parametrize(("dtype", "change"), [(np.float64, 1e-13), (np.float64, 1e-8), (np.float32, 1e-4)])
def test_a_copy_up_to_rounding_is_represented_by_its_atom(dtype, change):
    """In a fit copies are passed over: they would be a cluster of their own."""
    rows = unit_rows(ATOMS + change * np.random.default_rng(1).standard_normal(ATOMS.shape)).astype(dtype)
    codes = PursuitCoding(4).coder(ATOMS.astype(dtype), N_ATOMS, 1)(rows, np.full(N_ATOMS, -1))
    assert np.array_equal(codes.picks[:, 0], np.arange(N_ATOMS))
    assert codes.counts.max() == 1
    assert codes.values[:, 0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("coding", ALL, ids=str)
def test_no_bit_depends_on_the_rows_beside(coding):
    whole = dense(coding, ROWS, OWN)
    apart = np.concatenate([dense(coding, ROWS[i : i + 1], OWN[i : i + 1]) for i in range(len(ROWS))])
    assert np.array_equal(whole, apart)
    many = dense(coding, np.tile(ROWS, (30, 1)), np.tile(OWN, 30), threads=2)
    assert np.array_equal(many, np.tile(whole, (30, 1)))


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_pursuits_are_algorithm_1(damping):
    found = dense(PursuitCoding(4, damping), ROWS[:20], OWN[:20])
    X = np.concatenate([ATOMS, ROWS[:20]])
    kept = np.arange(len(X)) < N_ATOMS
    for j in range(20):
        clarity = Clarity()
        rules = Pursuit(4, damping, 1e-3)
        wanted = damped_omp(X, kept, N_ATOMS + j, np.zeros(len(X)), rules, clarity)
        assert clarity.narrowest > 1e-9
        assert found[j] == pytest.approx(wanted[:N_ATOMS], abs=1e-9)


def test_ridge_codes_are_the_largest_of_the_closed_form():
    found = dense(RidgeCoding(0.1, 5), ROWS[:20], OWN[:20])
    wanted = Ridge(alpha=0.1, fit_intercept=False).fit(ATOMS.T, ROWS[:20].T).coef_
    largest = np.sort(np.abs(wanted), axis=1)[:, -5, None]
    assert found == pytest.approx(np.where(np.abs(wanted) >= largest, wanted, 0), abs=1e-10)


@pytest.mark.parametrize(("tau", "alpha"), [(1.0, 0.05), (0.7, 0.2)])
def test_elastic_nets_are_those_of_scikit_learn(tau, alpha):
    found = dense(ElasticNetCoding(tau, 1.0, alpha), ROWS[:20], OWN[:20])
    # There the error is divided by the number of rows.
    net = ElasticNet(alpha=alpha / N_FEATURES, l1_ratio=tau, fit_intercept=False, tol=1e-12, max_iter=10**5)
    wanted = net.fit(ATOMS.T, ROWS[:20].T).coef_
    assert found == pytest.approx(wanted, abs=1e-5)
    assert np.count_nonzero(found) < 20 * N_ATOMS / 2


def test_the_penalty_follows_the_largest_correlation():
    """At gamma = 1 nothing is left; a row that no atom resembles has no code."""
    assert not dense(ElasticNetCoding(0.9, 1.0), ROWS, OWN).any()
    assert dense(ElasticNetCoding(0.9, 1.2), ROWS, OWN).any(axis=1).all()
    assert not dense(ElasticNetCoding(0.9, 20.0), np.zeros((1, N_FEATURES)), np.array([-1])).any()
