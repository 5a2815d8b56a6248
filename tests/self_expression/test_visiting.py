"""The order in which points are visited: kind to the cache, and without a trace in the result."""

from __future__ import annotations

import numpy as np
import pytest
from bits import assert_same_bits

from subspan.datasets import make_union_of_subspaces
from subspan.execution.blocks import run_blocks
from subspan.self_expression.blocks import Block, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob, solve_in_memory, visiting_order
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows


@pytest.mark.parametrize("n", [1, 5, 63, 1000])
def test_every_point_is_visited_once(n):
    points = np.random.default_rng(n).standard_normal((n, 7))
    assert np.array_equal(np.sort(visiting_order(points)), np.arange(n))


def test_threads_do_not_change_the_order():
    points = np.random.default_rng(0).standard_normal((5000, 7))
    assert np.array_equal(visiting_order(points, threads=1), visiting_order(points, threads=3))


def test_points_of_a_subspace_follow_one_another():
    X, y = make_union_of_subspaces(10, 20, 500, 300, noise=1.0, random_state=0)
    y = y[visiting_order(unit_rows(X))]
    # One of ten by chance.
    assert (y[1:] == y[:-1]).mean() > 0.5
    # Groups of one subspace are together as well: most points of 150 in a row, where a group has 47.
    windows = y.reshape(-1, 150)
    assert np.mean([np.bincount(window).max() / 150 for window in windows]) > 0.5


@pytest.mark.parametrize("kept", ["dictionaries", "all"])
def test_the_order_leaves_no_trace(kept):
    X = unit_rows(make_union_of_subspaces(4, 4, 40, 100, noise=0.3, random_state=0, dtype=np.float32)[0])
    dictionaries = sample_dictionaries(len(X), 5, n_nonzero=4, dropout=0.5, seed=3)
    settings = ConsensusSettings(4, damping=0.3, max_iter=3)
    job = ConsensusJob(ArraySource(X), lambda: dictionaries, settings, kept, block_rows=128)
    assert not np.array_equal(visiting_order(X), np.arange(len(X)))
    one = assemble(map(Block.from_arrays, run_blocks(job, 1)), len(X))
    other = solve_in_memory(job, 1)
    assert_same_bits(one.coefficients, other.coefficients)
    assert one.counts == other.counts
    assert one.changes == pytest.approx(other.changes, rel=1e-12)
