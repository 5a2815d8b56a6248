"""Blocks of coefficients put together, against dense matrices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from subspan.kernels.pursuit.state import DEPENDENT, TWINS
from subspan.self_expression.blocks import Block, account_of, assemble, join_blocks, rows_of

N = 23
CUTS = [0, 6, 7, 7, 20, N]


@pytest.fixture
def dense() -> np.ndarray:
    rng = np.random.default_rng(0)
    C = rng.standard_normal((N, N)) * (rng.random((N, N)) < 0.2)
    C[[3, 21]] = 0
    return C


def blocks_of(C: np.ndarray) -> list[Block]:
    """Of unequal length, one of them empty; later blocks took more iterations."""
    rng = np.random.default_rng(1)
    blocks = []
    for number, (start, stop) in enumerate(pairwise(CUTS)):
        part = C[start:stop]
        sums = rng.random((5, 2))
        sums[number + 1 :, 0] = 0
        counts = np.zeros(2, np.int64)
        counts[[DEPENDENT, TWINS]] = number, 10 * number
        lengths = np.count_nonzero(part, axis=1).astype(np.int32)
        indices = np.nonzero(part)[1].astype(np.int32)
        blocks.append(Block(lengths, indices, part[part != 0], min(number + 1, 4), sums, counts))
    return blocks


def test_rows_come_one_after_the_other(dense):
    found = rows_of(blocks_of(dense), N)
    assert np.array_equal(found.toarray(), dense)
    assert found.indptr.dtype == np.int32
    assert np.array_equal(rows_of(blocks_of(dense)[1:4], N).toarray(), dense[6:20])


def test_blocks_in_the_order_of_a_visit(dense):
    order = np.random.default_rng(2).permutation(N)
    found = assemble(iter(blocks_of(dense[order])), N, order)
    assert np.array_equal(found.coefficients.toarray(), dense)


def test_joined_in_any_way_the_account_is_the_same(dense):
    blocks = blocks_of(dense)
    pairs = [join_blocks(blocks[:2]), join_blocks(blocks[2:])]
    one, other = (assemble(parts, N) for parts in (blocks, pairs))
    assert np.array_equal(one.coefficients.toarray(), other.coefficients.toarray())
    assert one.counts == other.counts
    assert one.n_iter == other.n_iter
    assert one.changes == pytest.approx(other.changes, rel=1e-14)


def test_the_account_adds_up(dense):
    blocks = blocks_of(dense)
    found = account_of(blocks).representation(None)
    assert found.n_iter == 4
    total = sum(block.sums for block in blocks)[:4]
    assert found.changes == pytest.approx(np.sqrt(total[:, 0] / total[:, 1]))
    assert found.counts == {"empty_representations": 2, "dependent_atoms": 10, "twins": 100}


def test_nothing_changes_where_there_is_nothing():
    nothing = Block(
        *(np.zeros(0, kind) for kind in ("i4", "i4", "f8")), 1, np.zeros((1, 2)), np.zeros(2, int)
    )
    assert account_of([nothing]).representation(None).changes == (0.0,)


def test_a_block_survives_a_file(dense, tmp_path):
    for number, block in enumerate(blocks_of(dense)):
        np.savez(tmp_path / f"{number}.npz", **block.arrays())
        with np.load(tmp_path / f"{number}.npz") as arrays:
            again = Block.from_arrays(arrays)
        assert type(again.n_iter) is int
        for name, value in block.arrays().items():
            assert np.array_equal(again.arrays()[name], value)
            assert again.arrays()[name].dtype == value.dtype
