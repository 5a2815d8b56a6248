"""The search at the atoms against the dense spectrum of the whole graph."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from subspan.embedding.atom_search import AtomRitz, leading_pairs
from subspan.embedding.eigen import FEWEST_PRODUCTS
from subspan.embedding.search import SearchSpace

N_ATOMS, N_OTHERS = 50, 200


@pytest.fixture(scope="module")
def graph() -> tuple[np.ndarray, np.ndarray]:
    """S_aa and B of a normalised graph in which points other than atoms have no edges to each other."""
    rng = np.random.default_rng(0)
    group = np.arange(N_ATOMS + N_OTHERS) % 4
    W = rng.random((N_ATOMS + N_OTHERS, N_ATOMS)) ** 6 * np.where(group[:, None] == group[:N_ATOMS], 1, 0.02)
    among = W[:N_ATOMS] + W[:N_ATOMS].T
    degrees = np.concatenate([among.sum(axis=1) + W[N_ATOMS:].sum(axis=0), W[N_ATOMS:].sum(axis=1)])
    roots = np.sqrt(degrees)
    inside = among / np.outer(roots[:N_ATOMS], roots[:N_ATOMS])
    return inside, W[N_ATOMS:] / np.outer(roots[N_ATOMS:], roots[:N_ATOMS])


def spectrum(graph: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """All eigenvalues, largest first, and the atoms' part of the vectors."""
    among, B = graph
    values, vectors = eigh(np.block([[among, B.T], [B, np.zeros((N_OTHERS, N_OTHERS))]]))
    return values[::-1], vectors[:N_ATOMS, ::-1]


def products_of(graph: tuple[np.ndarray, np.ndarray]):
    among, B = graph
    return lambda block: (among @ block, B.T @ (B @ block))


def assert_same_directions(found: np.ndarray, wanted: np.ndarray, close: float) -> None:
    signs = np.sign((found * wanted).sum(axis=0))
    assert found * signs == pytest.approx(wanted, abs=close)


def test_all_trial_vectors_give_the_spectrum(graph):
    space = SearchSpace(AtomRitz(), N_ATOMS, N_ATOMS)
    space.extend(np.eye(N_ATOMS), products_of(graph)(np.eye(N_ATOMS)))
    pairs, residuals = space.ritz(6)
    values, vectors = spectrum(graph)
    assert pairs.values == pytest.approx(values[:6], abs=1e-12)
    assert_same_directions(pairs.vectors, vectors[:, :6], 1e-9)
    assert np.abs(residuals).max() < 1e-10


def test_a_restart_and_a_resumed_state_keep_the_best_pairs(graph):
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((N_ATOMS, 12)))[0]
    space, other = SearchSpace(AtomRitz(), N_ATOMS, 16), SearchSpace(AtomRitz(), N_ATOMS, 16)
    for block in np.hsplit(Q, [5, 6]):
        space.extend(block, products_of(graph)(block))
    before, _ = space.ritz(3)
    space.restart(3)
    assert space.used == 3
    assert space.basis.T @ space.basis == pytest.approx(np.eye(3), abs=1e-12)
    after, _ = space.ritz(3)
    # In a smaller space there is nothing better, and the largest pair is not lost.
    assert (after.values <= before.values + 1e-12).all()
    assert after.values[0] == pytest.approx(before.values[0], rel=1e-9)
    other.resume({name: array.copy() for name, array in space.state().items()})
    again, _ = other.ritz(3)
    assert np.array_equal(again.values, after.values)
    assert np.array_equal(again.residuals, after.residuals)


@pytest.mark.parametrize("n_wanted", [1, 3, 6])
def test_leading_pairs(graph, n_wanted):
    values, vectors = spectrum(graph)
    assert values[0] == pytest.approx(1)
    found = leading_pairs(products_of(graph), vectors[:, :1], n_wanted, tol=1e-8)
    assert found.converged
    assert found.n_wanted == n_wanted
    assert found.values[:n_wanted] == pytest.approx(values[1 : 1 + n_wanted], abs=1e-12)
    assert_same_directions(found.vectors[:, :n_wanted], vectors[:, 1 : 1 + n_wanted], 1e-6)
    # Nothing was missed: the next value is below the last one wanted.
    assert found.probe_excess <= 1e-6


@pytest.mark.parametrize("cap", [FEWEST_PRODUCTS, 12])
def test_cap_on_products_holds(graph, cap):
    _, vectors = spectrum(graph)
    calls = 0

    def counted(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal calls
        calls += 1
        return products_of(graph)(block)

    found = leading_pairs(counted, vectors[:, :1], 3, tol=1e-12, max_products=cap)
    assert not found.converged
    assert found.n_products == calls <= cap
