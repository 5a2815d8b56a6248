"""The Gram matrix of some atoms, against a plain product."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.execution.tiles import padded
from subspan.self_expression.gram import gram_matrix, row_length

N = 300


@pytest.fixture
def atoms():
    return padded(np.random.default_rng(0).standard_normal((N, 20)))


def test_gram_matrix_is_the_product(atoms):
    gram = gram_matrix(atoms, threads=2)
    assert gram.shape == (len(atoms), row_length(len(atoms)))
    assert np.allclose(gram[:, : len(atoms)], atoms @ atoms.T)
