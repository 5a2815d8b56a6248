"""Pursuits from an anchor against the same thing said with arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.kernels.pursuit.state import DEPENDENT, TWINS
from subspan.self_expression.anchored import AnchoredTask
from subspan.self_expression.blocks import join_blocks, rows_of
from subspan.sources import ArraySource


def from_definition(X: np.ndarray, n_nonzero: int, tol: float) -> np.ndarray:
    """The nearest point, then again and again the most aligned difference to it, by least squares."""
    C = np.zeros((len(X), len(X)))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    for j, x in enumerate(X):
        anchor = distances[j].argmin()
        free = np.setdiff1d(np.arange(len(X)), [j, anchor])
        differences = X - X[anchor]
        picked, values, residual = [], np.empty(0), x - X[anchor]
        while len(picked) + 1 < n_nonzero and np.linalg.norm(residual) > tol:
            aligned = np.abs(differences[free] @ residual) / np.linalg.norm(differences[free], axis=1)
            picked.append(free[aligned.argmax()])
            free = np.delete(free, aligned.argmax())
            values = np.linalg.lstsq(differences[picked].T, x - X[anchor], rcond=None)[0]
            residual = x - X[anchor] - values @ differences[picked]
        C[j, picked] = values
        C[j, anchor] = 1 - values.sum()
    return C


def coefficients(X: np.ndarray, n_nonzero: int, tol: float = 1e-3, **options: object) -> csr_array:
    task = AnchoredTask(ArraySource(X), n_nonzero, tol, len(X), **options)
    return rows_of([task(0)], len(X))


def flats() -> np.ndarray:
    """Three planes in five dimensions, a little noisy."""
    rng = np.random.default_rng(0)
    planes = [rng.uniform(-1, 1, (30, 2)) @ rng.standard_normal((2, 5)) + 3 * rng.standard_normal(5)
              for _ in range(3)]  # fmt: skip
    return np.concatenate(planes) + 0.01 * rng.standard_normal((90, 5))


@pytest.mark.parametrize("n_nonzero", [1, 3, 5])
def test_it_is_the_definition(n_nonzero: int) -> None:
    X = flats()
    C = coefficients(X, n_nonzero).toarray()
    np.testing.assert_allclose(C, from_definition(X, n_nonzero, 1e-3), atol=1e-9)
    np.testing.assert_allclose(C.sum(axis=1), 1, atol=1e-12)


def test_neither_blocks_nor_the_order_of_visits_change_a_bit() -> None:
    X = flats()
    order = np.random.default_rng(1).permutation(len(X))
    task = AnchoredTask(ArraySource(X), 3, 1e-3, 32, order=order)
    C = rows_of([join_blocks([task(number) for number in range(3)])], len(X))
    np.testing.assert_array_equal(C[np.argsort(order)].toarray(), coefficients(X, 3).toarray())


def test_where_the_origin_is_does_not_matter() -> None:
    X = np.round(flats() * 2**20) / 2**20
    np.testing.assert_array_equal(coefficients(X, 3).toarray(), coefficients(X + 256, 3).toarray())


def test_copies_and_dependent_atoms_are_passed_over() -> None:
    line = np.arange(6.0)[:, None] * [1, 2] + [5, 5]
    X = np.concatenate([line, line[:1]])
    block = AnchoredTask(ArraySource(X), 4, 0.0, len(X))(0)
    assert block.counts[TWINS] == 2
    assert block.counts[DEPENDENT] == 0
    C = rows_of([block], len(X)).toarray()
    assert C[0, 6] == C[6, 0] == 0
    np.testing.assert_allclose(C @ X, X, atol=1e-12)
    # No second difference is taken on a line, unless rounding hides that they are dependent.
    noisy = X + np.random.default_rng(0).normal(0, 1e-9, X.shape)
    assert AnchoredTask(ArraySource(noisy), 4, 0.0, len(X))(0).counts[DEPENDENT] > 0


def test_points_that_are_all_the_same_have_no_anchor() -> None:
    assert coefficients(np.ones((3, 2)), 2).nnz == 0


@pytest.mark.parametrize("seed", range(5))
def test_of_points_in_one_direction_the_first_is_picked(seed: int) -> None:
    # All points of a line lie in one direction. Rounding must not choose among them.
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (30, 1)) * rng.standard_normal(6) + 5 * rng.standard_normal(6)
    C = coefficients(X, 2, tol=0.0)
    for j in range(len(X)):
        anchor = np.linalg.norm(np.where(np.arange(30)[:, None] == j, np.inf, X) - X[j], axis=1).argmin()
        first = np.setdiff1d(np.arange(30), [j, anchor])[0]
        assert set(C[[j]].indices) == {anchor, first}
