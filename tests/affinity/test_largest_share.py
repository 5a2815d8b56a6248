"""The largest coefficients that make a share of their sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from subspan.affinity import ImplicitAffinity, dense_affinity, symmetric_affinity
from subspan.affinity.symmetrize import largest_share
from subspan.handover import Factors


def slow(row: np.ndarray, share: float) -> np.ndarray:
    """Add the largest until they suffice."""
    kept, total = np.zeros_like(row), 0.0
    for place in np.argsort(-np.abs(row), kind="stable"):
        if total >= share * np.abs(row).sum():
            break
        kept[place] = row[place]
        total += abs(row[place])
    return kept


@pytest.mark.parametrize("share", [0.1, 0.5, 0.7, 0.99])
def test_like_adding_one_after_the_other(share: float) -> None:
    rng = np.random.default_rng(1)
    matrix = csr_array(
        random_array((1100, 60), density=0.2, random_state=rng, data_sampler=rng.standard_normal)
    )
    expected = np.array([slow(row, share) for row in matrix.toarray()])
    np.testing.assert_array_equal(largest_share(matrix, share).toarray(), expected)


def test_a_share_of_one_keeps_all_and_empty_rows_stay_empty() -> None:
    matrix = csr_array(np.array([[0.0, 0.0], [1.0, -2.0]]))
    assert largest_share(matrix, 1.0) is matrix
    assert largest_share(matrix, 0.5).toarray().tolist() == [[0, 0], [0, -2]]


def test_sparse_dense_and_unformed_graphs_agree() -> None:
    rng = np.random.default_rng(2)
    factors = Factors(rng.standard_normal((300, 3)), rng.standard_normal((300, 3)), np.arange(300))
    rows = csr_array(factors.rows(0, 300))
    dense = dense_affinity(factors, "max", 0.6)
    np.testing.assert_allclose(symmetric_affinity(rows, "max", 0.6).toarray(), dense)
    implicit = ImplicitAffinity(rows, "max", 0.6)
    np.testing.assert_allclose(implicit.tocsr().toarray(), dense)
    halves = np.concatenate([implicit.magnitudes(a, a + 100).toarray() for a in (0, 100, 200)])
    np.testing.assert_allclose(halves + halves.T, dense)
