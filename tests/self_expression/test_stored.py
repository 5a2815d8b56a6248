"""Coefficients on disk give the same rows as those in memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from bits import assert_same_bits

from subspan.datasets import make_union_of_subspaces
from subspan.execution.blocks import run_blocks
from subspan.execution.work_directory import WorkDirectory
from subspan.self_expression.blocks import Block, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob
from subspan.self_expression.stored import StoredCoefficients
from subspan.sources import ArraySource

N, BLOCK = 600, 128


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    X, _ = make_union_of_subspaces(3, 3, 20, N // 3, noise=0.1, random_state=0, dtype=np.float32)
    kept = sample_dictionaries(N, 5, n_nonzero=3, dropout=0.0, size=60)
    settings = ConsensusSettings(n_nonzero=3, damping=0.5)
    job = ConsensusJob(ArraySource(X), lambda: kept, settings, "dictionaries", block_rows=BLOCK)
    work = WorkDirectory(tmp_path_factory.mktemp("work"), {"seed": 0})
    blocks = [Block.from_arrays(arrays) for arrays in run_blocks(job, 1, work)]
    stored = StoredCoefficients(work, N, BLOCK, np.dtype(np.float32))
    return stored, assemble(blocks, N).coefficients


@pytest.mark.parametrize("rows", [slice(0, N), slice(0, 128), slice(100, 300), slice(590, 700), slice(5, 5)])
def test_any_rows(both, rows):
    stored, whole = both
    assert_same_bits(stored[rows], whole[rows])


def test_all_rows_and_a_copy_by_pickle(both):
    stored, whole = both
    assert_same_bits(stored.tocsr(), whole)
    assert_same_bits(pickle.loads(pickle.dumps(stored)).tocsr(), whole)
    assert len(pickle.dumps(stored)) < 10_000


def test_rows_that_are_copies_or_none(both):
    stored, whole = both
    rng = np.random.default_rng(0)
    point_of_row = np.concatenate([[-1], np.arange(N), [-1], rng.integers(0, N, 50)])
    row_of_point = np.arange(1, N + 1)
    opposite = np.arange(len(point_of_row)) > N + 20
    expanded = stored.expanded(point_of_row, row_of_point, opposite)
    expected = np.zeros((len(point_of_row), len(point_of_row)), np.float32)
    known = np.flatnonzero(point_of_row >= 0)
    expected[np.ix_(known, row_of_point)] = whole.toarray()[point_of_row[known]]
    expected[opposite] *= -1
    assert expanded.shape == expected.shape
    assert np.array_equal(expanded.tocsr().toarray(), expected)
    assert np.array_equal(expanded[550:640].toarray(), expected[550:640])


def test_a_damaged_block_is_not_used(both):
    stored, _ = both
    path = stored.work.path / "block-00000001"
    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    try:
        with pytest.raises(OSError, match=r"block 1 .* was damaged"):
            stored[100:300]
    finally:
        path.write_bytes(good)
