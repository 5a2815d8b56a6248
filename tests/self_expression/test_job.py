"""A job in blocks: anybody may solve any of them, in any order, and stop after any iteration."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from bits import assert_same_bits
from points import points

from subspan.self_expression.blocks import Block, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob, follow_in_memory, kept_for, represent, solve_in_memory
from subspan.sources import ArraySource

N = 200
DICTIONARIES = sample_dictionaries(N, 3, n_nonzero=4, dropout=0.5, seed=1)
SETTINGS = ConsensusSettings(4, damping=0.4, max_iter=3, tol=0.05)


@pytest.fixture(scope="module")
def source() -> ArraySource:
    return ArraySource(points("near_subspaces", N, 20))


@pytest.fixture(scope="module")
def whole(source):
    return represent(source, DICTIONARIES, SETTINGS, budget=10**9)


def job(source: ArraySource, **options) -> ConsensusJob:
    return ConsensusJob(source, partial(list, DICTIONARIES), SETTINGS, **{"kept": "all"} | options)


@pytest.mark.parametrize("kept", ["none", "dictionaries", "all"])
def test_blocks_solved_elsewhere_and_backwards(source, whole, kept):
    sent = pickle.loads(pickle.dumps(job(source, kept=kept, block_rows=64)))
    assert sent.n_blocks == 4
    solve = sent.task(threads=1)
    blocks = {number: Block.from_arrays(solve(number)) for number in reversed(range(4))}
    found = assemble([blocks[number] for number in range(4)], N)
    assert_same_bits(found.coefficients, whole.coefficients)
    assert found.counts == whole.counts
    assert found.changes == pytest.approx(whole.changes, rel=1e-12)


def test_any_order_of_a_visit(source, whole):
    for order in (np.arange(N)[::-1].copy(), np.random.default_rng(0).permutation(N)):
        visited = job(source, order=order, block_rows=64)
        solve = visited.task(threads=1)
        found = assemble([Block.from_arrays(solve(number)) for number in range(4)], N, order)
        assert_same_bits(found.coefficients, whole.coefficients)


def test_a_course_is_what_jobs_of_fewer_iterations_find(source):
    course = follow_in_memory(job(source), threads=2)
    assert len(course) == 3
    for n, step in enumerate(course, start=1):
        settings = ConsensusSettings(4, damping=0.4, max_iter=n, tol=0.05)
        alone = represent(source, DICTIONARIES, settings, budget=10**9)
        assert_same_bits(step.coefficients, alone.coefficients)
        assert step.n_iter == alone.n_iter
        assert step.changes == pytest.approx(alone.changes, rel=1e-12)
    assert_same_bits(course[-1].coefficients, solve_in_memory(job(source), threads=1).coefficients)


def test_less_memory_never_keeps_more(source):
    """Bytes of 8-bit numbers: none, or those of every dictionary, or all atoms with one another too."""
    sizes = {"none": 0, "dictionaries": 1, "shared": 1, "all": 2}
    chosen = [sizes[kept_for(source, DICTIONARIES, 4, budget)] for budget in (0, 10**4, 10**5, 10**6, 10**9)]
    assert chosen == sorted(chosen)
    assert chosen[0] == 0
    assert chosen[-1] > 0
