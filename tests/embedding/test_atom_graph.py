"""A graph over atoms, looked at in pieces, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from subspan.affinity import ImplicitAffinity
from subspan.embedding.atom_graph import AtomGraph, PassJob, edges_among_atoms, survey, vectors_of_all

N = 90


@pytest.fixture(scope="module")
def coefficients() -> np.ndarray:
    """Three components over a few atoms each, shuffled, and two points without an edge."""
    rng = np.random.default_rng(0)
    C = np.zeros((N, N))
    for start, stop in ((0, 40), (40, 70), (70, 88)):
        for row in range(start, stop):
            C[row, rng.choice(range(start, start + 5), 3, replace=False)] = rng.standard_normal(3)
        C[np.arange(start, start + 5), np.roll(np.arange(start, start + 5), 1)] = 1
    np.fill_diagonal(C, 0)
    order = rng.permutation(N)
    return C[np.ix_(order, order)]


def graph_of(W: np.ndarray, n_clusters: int) -> AtomGraph:
    return survey(ImplicitAffinity(csr_array(W)), n_clusters)


def affinity(W: np.ndarray) -> np.ndarray:
    return (np.abs(W) + np.abs(W.T)) / 2


def test_survey(coefficients):
    W = coefficients
    graph = graph_of(W, 2)
    A = affinity(W)
    assert graph.degrees == pytest.approx(A.sum(axis=0))
    n, named = connected_components(csr_array(A), directed=False)
    sizes = np.bincount(named, minlength=n)
    # The largest is number 0; those of one point are none.
    assert np.bincount(graph.components[graph.components >= 0]).tolist() == [40, 30, 18]
    assert np.array_equal(graph.components < 0, sizes[named] == 1)
    linked = graph.components >= 0
    same = graph.components[linked, None] == graph.components[linked]
    assert np.array_equal(same, named[linked, None] == named[linked])
    assert graph.embedded.sum() == 70
    assert np.array_equal(graph.atoms, np.flatnonzero(W.any(axis=0) & graph.embedded))
    assert np.array_equal(graph.position[graph.atoms], np.arange(len(graph.atoms)))
    assert (np.delete(graph.position, graph.atoms) == -1).all()


def test_edges_among_atoms(coefficients):
    W = coefficients
    graph = graph_of(W, 3)
    assert edges_among_atoms(graph).toarray() == pytest.approx(affinity(W)[np.ix_(graph.atoms, graph.atoms)])


@pytest.mark.parametrize("shard_rows", [1, 7, 89, 90, 1000])
def test_shards_add_up_to_the_product(coefficients, shard_rows):
    W = coefficients
    graph = graph_of(W, 3)
    vectors = np.random.default_rng(1).standard_normal((len(graph.atoms), 4))
    job = PassJob(graph.rows, graph.position, graph.degrees, vectors, shard_rows=shard_rows)
    assert job.n_blocks == -(-N // shard_rows)
    solve = job.task(1)
    found = sum(solve(shard)["sum"] for shard in reversed(range(job.n_blocks)))
    others = np.flatnonzero(graph.embedded & (graph.position < 0))
    B = affinity(W)[np.ix_(others, graph.atoms)]
    assert found == pytest.approx(B.T @ (B @ vectors / graph.degrees[others, None]))


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-6), (np.float64, 1e-10)])
def test_vectors_of_atoms_tell_those_of_all(coefficients, dtype, close):
    """An eigenvector of the normalised graph is fixed by its entries at the atoms."""
    W = coefficients
    graph = graph_of(W, 1)
    inside = np.flatnonzero(graph.embedded)
    roots = np.sqrt(graph.degrees[inside])
    normalised = affinity(W)[np.ix_(inside, inside)] / np.outer(roots, roots)
    values, vectors = eigh(normalised)
    values, vectors = values[::-1][:3], vectors[:, ::-1][:, :3]
    on_atoms = vectors[np.searchsorted(inside, graph.atoms)]
    found, lengths = vectors_of_all(graph, on_atoms, values, dtype)
    assert found.dtype == dtype
    wanted = np.zeros((N, 3))
    wanted[inside] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert found == pytest.approx(wanted, abs=close)
    of_walk = np.zeros((N, 3))
    of_walk[inside] = vectors / roots[:, None]
    assert found * lengths[:, None] == pytest.approx(of_walk, abs=close)
