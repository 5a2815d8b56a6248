"""Gram matrices and their compact copies, against plain products."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.execution.tiles import padded, padded_length
from subspan.self_expression.gram import gathered_matrices, gram_matrix, row_length

N = 300


@pytest.fixture
def atoms():
    return padded(np.random.default_rng(0).standard_normal((N, 20)))


def test_gram_matrix_is_the_product(atoms):
    gram = gram_matrix(atoms, threads=2)
    assert gram.shape == (len(atoms), row_length(len(atoms)))
    assert np.allclose(gram[:, : len(atoms)], atoms @ atoms.T)


@pytest.mark.parametrize("threads", [1, 2])
def test_compact_copies_are_the_parts_they_stand_for(atoms, threads):
    """One that misses whole tiles, one of a single atom, one of all atoms, one in any order."""
    gram = gram_matrix(atoms, threads=1)
    mixed = np.random.default_rng(1).permutation(N)[:200]
    kept = [np.r_[3:90:2, 280:299], np.array([150]), np.arange(N), mixed]
    kept = [columns.astype(np.int32) for columns in kept]
    parts = gathered_matrices(gram, kept, threads)
    for columns, part in zip(kept, parts, strict=True):
        n, length = len(columns), padded_length(len(columns))
        assert part.shape == (length, row_length(length))
        assert np.array_equal(part[:n, :n], gram[np.ix_(columns, columns)])
        assert not part[n:].any()
        assert not part[:, n:].any()
