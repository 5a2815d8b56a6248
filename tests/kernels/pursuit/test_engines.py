"""Whatever 8-bit numbers are kept, and however work is split: the same bits."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from bits import assert_same_bits
from points import KINDS, points

from subspan.handover import Representation
from subspan.self_expression.consensus import SELECTIONS, ConsensusSettings, Selection
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.kept import Kept
from subspan.sources import ArraySource

EVERY_KEPT = get_args(Kept)
TYPES = ["float32", "float64"]
N, N_NONZERO = 150, 4
# Points 130 and after are in none of them; one has a single atom, one is a group of 64 but for one atom.
DICTIONARIES = [
    *sample_dictionaries(130, 2, n_nonzero=N_NONZERO, dropout=0.4, seed=1),
    np.arange(1, 64),
    np.array([77]),
]


def solve(X: np.ndarray, kept: Kept, threads: int = 1, block_rows: int = 512, **how: Any) -> Representation:
    settings = ConsensusSettings(**{"n_nonzero": N_NONZERO, "damping": 0.4} | how)
    return represent(
        ArraySource(X),
        DICTIONARIES,
        settings,
        budget=10**9,
        kept=kept,
        threads=threads,
        block_rows=block_rows,
    )


def assert_all_agree(
    X: np.ndarray, splits: tuple[tuple[int, int], ...] = ((2, 128),), **how: Any
) -> Representation:
    """In every split of the work: threads and rows of a block."""
    reference = solve(X, "none", **how)
    assert np.isfinite(reference.coefficients.data).all()
    for kept, (threads, block_rows) in product(EVERY_KEPT, splits):
        found = solve(X, kept, threads, block_rows, **how)
        assert_same_bits(found.coefficients, reference.coefficients)
        assert found.counts == reference.counts
        assert found.n_iter == reference.n_iter
    return reference


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["near_subspaces", "unequal_lengths"])
@pytest.mark.parametrize("average", ["all", "chosen"])
@pytest.mark.parametrize("candidates", ["preserved", "all"])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_variant(selection, candidates, average, kind, dtype):
    X = points(kind, N, 40, dtype)
    splits = ((1, 512), (2, 128), (1, 50))
    how = {"selection": selection, "candidates": candidates, "average": average, "max_iter": 3}
    assert assert_all_agree(X, splits, **how).n_iter == 3


@pytest.mark.parametrize(("damping", "max_iter"), [(0.0, 1), (0.4, 1), (0.01, 3), (20.0, 3)])
@pytest.mark.parametrize("n_features", [2, 9, 40, 600])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_points(kind, n_features, damping, max_iter):
    for dtype in TYPES:
        assert_all_agree(points(kind, N, n_features, dtype), damping=damping, max_iter=max_iter)


@pytest.mark.parametrize("dtype", TYPES)
def test_many_features(dtype):
    assert_all_agree(points("near_subspaces", N, 3000, dtype), max_iter=3)


@pytest.mark.parametrize("n_nonzero", [1, 3, 12, 200])
def test_any_number_of_atoms(n_nonzero):
    """Even more than there are; all of them have a target then."""
    found = assert_all_agree(points("much_alike", N, 40), n_nonzero=n_nonzero, max_iter=2)
    assert np.diff(found.coefficients.indptr).max() >= min(n_nonzero, 100)


@pytest.mark.parametrize("exponent", [-63, -60, -56, 0, 60])
def test_inner_products_near_the_limits_of_single_precision(exponent):
    """Down to 2**-126, whose reciprocals are beyond the largest number."""
    X = points("near_subspaces", N, 40, "float32") * np.float32(2.0**exponent)
    found = assert_all_agree(X, damping=0.0, residual_tol=0.0)
    assert found.coefficients.nnz > N * N_NONZERO


@pytest.mark.parametrize("exponent", [-120, -100, -64, -40, 40, 62, 64, 66, 100])
def test_double_precision_beyond_the_limits_of_single(exponent):
    X = points("unequal_lengths", N, 40)
    found = assert_all_agree(X * 2.0**exponent, damping=0.0, residual_tol=0.0)
    # Powers of two change no digit.
    assert_same_bits(found.coefficients, solve(X, "none", damping=0.0, residual_tol=0.0).coefficients)


def test_ties_go_to_the_lowest_row():
    e = np.eye(4)
    X = np.array([3 * e[0] + e[1], e[1], e[0], -e[0], -e[1], e[0], 3 * e[1] + e[2], e[3]])
    for kept in EVERY_KEPT:
        settings = ConsensusSettings(1, damping=0.5)
        atoms = np.array([1, 2, 3, 4, 5, 7])
        found = represent(ArraySource(X), [atoms], settings, budget=10**9, kept=kept).coefficients
        assert [found[[j]].indices.tolist() for j in (0, 6)] == [[2], [1]]


def cosine(norms: np.ndarray, _: float) -> Selection:
    """A rule of one's own: the smallest angle to the residual."""
    return Selection(1 / norms, 0.0, 0.0)


def by_smallest_angle(X: np.ndarray, atoms: np.ndarray, j: int, damping: float) -> np.ndarray:
    norms = np.linalg.norm(X, axis=1)
    b, support = np.zeros(len(X)), []
    for _ in range(min(N_NONZERO, len(atoms) - (j in atoms))):
        scores = np.abs(X @ (X[j] - b @ X)) / norms
        free = np.setdiff1d(atoms, [j, *support])
        support.append(free[np.argmax(scores[free])])
        rows = X[support]
        b[support] = np.linalg.solve(rows @ rows.T + damping * np.eye(len(support)), rows @ X[j])
    return b


def test_a_rule_of_ones_own(monkeypatch):
    monkeypatch.setitem(SELECTIONS, "cosine", cosine)
    X = points("unequal_lengths", N, 40)
    found = assert_all_agree(X, selection="cosine", residual_tol=0.0).coefficients.toarray()
    for j in range(0, N, 3):
        wanted = np.mean([by_smallest_angle(X, atoms, j, 0.4) for atoms in DICTIONARIES], axis=0)
        assert np.array_equal(found[j] != 0, wanted != 0)
        assert found[j] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert (found != 0).sum() != (solve(X, "none", residual_tol=0.0).coefficients.toarray() != 0).sum()
