"""Coefficients and labels are the same bit for bit, however the work is split and the data are laid out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from bits import assert_same_bits
from scipy.sparse import csr_array

from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces
from subspan.execution.memory import parse_bytes
from subspan.execution.tiles import TILE
from subspan.handover import InputError
from subspan.methods import planning
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.kept import TILE_ROWS, Kept
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

N_POINTS = 480
DIMENSIONS = [9, 64, 500]
TYPES = ["float32", "float64"]
EVERY_KEPT = get_args(Kept)


@cache
def distinct(n_features: int, dtype: str) -> np.ndarray:
    return make_union_of_subspaces(4, 4, n_features, N_POINTS // 4, noise=0.05, random_state=1, dtype=dtype)[
        0
    ]


@cache
def duplicated(n_features: int, dtype: str) -> np.ndarray:
    """A tenth of the rows are copies of others."""
    X = distinct(n_features, dtype).copy()
    X[::10] = X[5::10]
    return X


@cache
def tied(n_features: int, dtype: str) -> np.ndarray:
    return with_ties(N_POINTS, n_features, dtype)


def with_ties(n_points: int, n_features: int, dtype: str) -> np.ndarray:
    """Rows with a few entries -1, 1: a great many of their inner products are equal."""
    rng = np.random.default_rng(2)
    X = np.zeros((n_points, n_features), dtype)
    for row in X:
        row[rng.choice(n_features, 4, replace=False)] = rng.choice([-1, 1], 4)
    return X


DATA = {"distinct": distinct, "duplicated": duplicated, "tied": tied}


def coefficients(X: np.ndarray, **how: Any) -> csr_array:
    dictionaries = sample_dictionaries(len(X), 5, n_nonzero=4, dropout=0.5, seed=3)
    settings = ConsensusSettings(4, damping=0.3, max_iter=3)
    return represent(ArraySource(unit_rows(X)), dictionaries, settings, budget=10**9, **how).coefficients


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_features", DIMENSIONS)
@pytest.mark.parametrize("data", DATA)
def test_threads_blocks_and_what_is_kept(data, n_features, dtype):
    X = DATA[data](n_features, dtype)
    reference = coefficients(X, kept="none", threads=1, block_rows=512)
    for kept in EVERY_KEPT:
        for threads, block_rows in ((1, 4096), (2, 128), (2, 300)):
            found = coefficients(X, kept=kept, threads=threads, block_rows=block_rows)
            assert_same_bits(reference, found)


@pytest.mark.parametrize("tol", [0.0, 0.3])
@pytest.mark.parametrize("block_rows", [512, 1500])
def test_changes_are_the_same_bits_whatever_is_kept(tol, block_rows):
    """Several tiles of either size, the last ones shorter; at a loose tolerance some rest before others."""
    X = unit_rows(make_union_of_subspaces(4, 4, 20, 400, noise=0.2, random_state=1)[0])
    dictionaries = sample_dictionaries(len(X), 5, n_nonzero=4, dropout=0.5, seed=3)
    settings = ConsensusSettings(4, damping=0.3, max_iter=6, tol=tol)
    found = [
        represent(ArraySource(X), dictionaries, settings, budget=10**9, kept=kept, block_rows=block_rows)
        for kept in EVERY_KEPT
    ]
    assert {TILE_ROWS[kept] for kept in EVERY_KEPT} == {TILE, 4 * TILE}
    assert len({representation.changes for representation in found}) == 1
    assert len(found[0].changes) == found[0].n_iter > 2


def fit(X: np.ndarray, **how: Any) -> S3COMPC:
    model = S3COMPC(4, n_nonzero=4, n_subproblems=5, damping=0.3, max_iter=3, n_init=3, random_state=0)
    return model.set_params(**how).fit(X)


def assert_same_fit(one: S3COMPC, other: S3COMPC, rel: float = 0.0) -> None:
    """`rel`: how far changes may be apart, which are sums over the points in the order of their visit."""
    assert_same_bits(one.representation_, other.representation_)
    assert np.array_equal(one.labels_, other.labels_)
    assert np.array_equal(one.embedding_, other.embedding_)
    assert one.changes_ == pytest.approx(other.changes_, rel=rel, abs=0.0)
    assert one.counts_ == other.counts_


def misaligned(X: np.ndarray) -> np.ndarray:
    buffer = bytearray(X.nbytes + 1)
    copy = np.frombuffer(buffer, X.dtype, X.size, offset=1).reshape(X.shape)
    copy[:] = X
    assert not copy.flags.aligned
    return copy


def read_only(X: np.ndarray) -> np.ndarray:
    copy = X.copy()
    copy.flags.writeable = False
    return copy


def on_disk(X: np.ndarray, folder: Path) -> np.ndarray:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


LAYOUTS = {
    "column-major": np.asfortranarray,
    "misaligned": misaligned,
    "read-only": read_only,
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "backwards": lambda X: X[::-1].copy()[::-1],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_features", DIMENSIONS)
@pytest.mark.parametrize("data", DATA)
def test_estimator_with_any_number_of_jobs(data, n_features, dtype):
    X = DATA[data](n_features, dtype)
    for duplicates in ("merge", "keep"):
        fitted = [fit(X, n_jobs=n_jobs, duplicates=duplicates) for n_jobs in (1, 2)]
        assert_same_fit(*fitted)


@pytest.mark.parametrize("dtype", TYPES)
def test_estimator_with_any_layout(dtype, tmp_path):
    X = distinct(64, dtype)
    reference = fit(X)
    for layout in LAYOUTS.values():
        assert_same_fit(reference, fit(layout(X)))
    assert_same_fit(reference, fit(on_disk(X, tmp_path)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("data", [distinct, duplicated])
@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_estimator_whatever_is_kept(data, dtype, monkeypatch):
    """As a memory budget decides."""
    X = data(64, dtype)

    def fitted(kept: Kept) -> S3COMPC:
        monkeypatch.setattr(planning, "choose_kept", lambda *_: kept)
        return fit(X)

    reference, *others = map(fitted, EVERY_KEPT)
    for other in others:
        assert_same_fit(reference, other, rel=1e-12)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_every_budget_from_the_smallest_that_works(monkeypatch):
    X = with_ties(1500, 500, "float32")
    # Only what the fit takes counts, not what the process has taken before.
    monkeypatch.setattr(planning, "used_memory", lambda: 0)
    monkeypatch.setattr(planning, "FIRST_USE", 0)
    wide = {"n_subproblems": 10, "n_jobs": 2}
    with pytest.raises(InputError) as caught:
        fit(X, **wide, memory_budget=1)
    enough = re.search(r"; (\S+ \S+) would do", str(caught.value))
    assert enough
    budgets = [int(parse_bytes(enough[1]) * factor) for factor in (1, 1.2, 1.35, 1.5, 2)]
    plans = [S3COMPC(4, n_nonzero=4, **wide, memory_budget=budget).plan(X) for budget in budgets]
    assert len({(plan.kept, plan.threads) for plan in plans}) == 5
    reference, *others = [fit(X, **wide, memory_budget=budget) for budget in budgets]
    for other in others:
        assert_same_fit(reference, other, rel=1e-12)


@pytest.mark.parametrize("dtype", TYPES)
def test_powers_of_two_change_nothing(dtype):
    X = distinct(64, dtype)
    scales = 2.0 ** np.random.default_rng(0).integers(-40, 40, (N_POINTS, 1))
    assert_same_fit(fit(X), fit((X * scales).astype(dtype)))


def test_a_seed_fixes_everything():
    X = distinct(64, "float32")
    assert_same_fit(fit(X, random_state=5), fit(X, random_state=np.random.RandomState(5)))
    assert (fit(X, random_state=5).representation_ != fit(X, random_state=6).representation_).nnz > 0
