"""The block search and its parts against dense eigenvectors and NumPy's Chebyshev polynomials."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from scipy.linalg import eigh
from scipy.stats import ortho_group

from subspan.embedding.eigen import RayleighRitz
from subspan.embedding.search import BlockSearch, CountedProducts, Goal, SearchSpace, filtered

N = 60


@pytest.fixture(scope="module")
def symmetric() -> np.ndarray:
    """With eigenvalues in [-1, 1], as those of a normalised graph are."""
    Q = ortho_group.rvs(N, random_state=0)
    return (Q * np.linspace(-1, 1, N)) @ Q.T


def counted(symmetric: np.ndarray, row_cost: float) -> CountedProducts:
    return CountedProducts(lambda vectors: (symmetric @ vectors,), row_cost)


def search(products: CountedProducts, limit: int, known: np.ndarray) -> BlockSearch:
    draw = np.random.default_rng(0).standard_normal
    return BlockSearch(products, RayleighRitz(), limit, draw, [known], kept_share=3)


def block(n_columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((N, n_columns))


def test_ritz_pairs_are_eigenpairs_of_the_compression(symmetric):
    Q = np.linalg.qr(block(12))[0]
    space = SearchSpace(RayleighRitz(), N, 20)
    for part in np.hsplit(Q, [3, 4, 9]):
        space.extend(part, (symmetric @ part,))
    pairs, residuals = space.ritz(5)
    values, rotation = eigh(Q.T @ symmetric @ Q)
    assert pairs.values == pytest.approx(values[::-1][:5])
    vectors = Q @ rotation[:, ::-1][:, :5]
    assert np.abs(np.sum(pairs.vectors * vectors, axis=0)) == pytest.approx(np.ones(5))
    assert residuals == pytest.approx(symmetric @ pairs.vectors - pairs.vectors * pairs.values, abs=1e-12)
    assert pairs.residuals == pytest.approx(np.linalg.norm(residuals, axis=0))


def test_a_restart_keeps_the_best_vectors_and_goes_on(symmetric):
    Q = np.linalg.qr(block(12))[0]
    space = SearchSpace(RayleighRitz(), N, 12)
    space.extend(Q, (symmetric @ Q,))
    before, _ = space.ritz(4)
    space.restart(4)
    assert space.used == space.basis.shape[1] == 4
    after, _ = space.ritz(4)
    assert after.values == pytest.approx(before.values)
    assert after.residuals == pytest.approx(before.residuals)
    assert space.basis.T @ space.basis == pytest.approx(np.eye(4), abs=1e-12)
    more = np.linalg.qr(np.hstack([space.basis, block(3, seed=1)]))[0][:, 4:]
    space.extend(more, (symmetric @ more,))
    basis = space.basis
    assert space.ritz(1)[0].values[0] == pytest.approx(eigh(basis.T @ symmetric @ basis)[0][-1])


@pytest.mark.parametrize("degree", [1, 2, 5, 10])
@pytest.mark.parametrize("cut", [-0.4, 0.3, 0.9])
def test_the_filter_is_a_chebyshev_polynomial(symmetric, degree, cut):
    product = counted(symmetric, 1.0)
    X = block(3)
    found = filtered(product, X, degree, cut)
    values, vectors = eigh(symmetric)
    # [-1, cut] is carried to [-1, 1], where the polynomial is small.
    stretched = (values - (cut - 1) / 2) / ((cut + 1) / 2)
    wanted = (vectors * chebyshev.Chebyshev.basis(degree)(stretched)) @ vectors.T @ X
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9 * np.abs(wanted).max())
    assert product.used == degree


@pytest.mark.parametrize("row_cost", [1.0, 1e6])
@pytest.mark.parametrize("width", [1, 4])
def test_it_finds_the_largest_pairs_outside_what_is_known(symmetric, row_cost, width):
    values, vectors = eigh(symmetric)
    known = vectors[:, -2:]
    product = counted(symmetric, row_cost)
    # Two vectors more than wanted, which may be as inexact as they like, guard the search.
    goal = Goal(width + 2, width, 1e-9)
    found = search(product, 500, known).run(np.empty((N, 0)), goal, 8 * goal.n_pairs)
    assert product.used < 100
    assert found.values[:width] == pytest.approx(values[::-1][2 : 2 + width], abs=1e-12)
    assert np.abs(known.T @ found.vectors).max() < 1e-10
    misfit = np.linalg.norm(symmetric @ found.vectors - found.vectors * found.values, axis=0)
    assert misfit[:width].max() <= 1.001e-9
    assert found.residuals == pytest.approx(misfit, rel=1e-3, abs=1e-14)


@pytest.mark.parametrize("limit", [1, 3, 17])
def test_no_more_products_than_allowed(symmetric, limit):
    product = counted(symmetric, 2.0)
    nothing = np.empty((N, 0))
    found = search(product, limit, nothing).run(nothing, Goal(2, 2, 0.0), 16)
    assert product.used == limit
    assert found.values[0] <= 1 + 1e-12


def test_a_start_of_eigenvectors_needs_one_product(symmetric):
    product = counted(symmetric, 1.0)
    start = eigh(symmetric)[1][:, -3:]
    found = search(product, 99, np.empty((N, 0))).run(start, Goal(3, 3, 1e-9), 24)
    assert product.used == 1
    assert found.values == pytest.approx(np.linspace(-1, 1, N)[::-1][:3])


def test_products_are_worth_more_the_cheaper_they_are():
    degrees = [CountedProducts(lambda block: (block,), cost).filter_degree(100) for cost in (1, 20, 50, 1000)]
    assert degrees == [10, 5, 2, 1]
