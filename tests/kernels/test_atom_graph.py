"""Kernels over the rows of a graph of atoms, compiled and as plain Python, against dense products."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import plain
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from subspan.embedding.atom_graph import edge_rows
from subspan.kernels import atom_graph

N, N_ATOMS, WIDTH = 60, 12, 3


@pytest.fixture(params=["compiled", "plain"])
def kernels(request, monkeypatch):
    if request.param == "plain":
        for name in ("find_root", "add_rows"):
            monkeypatch.setattr(atom_graph, name, plain(getattr(atom_graph, name)))
    names = ("survey_rows", "settle_roots", "gather_rows", "pass_through_rows")
    functions = {name: getattr(atom_graph, name) for name in names}
    return {n: plain(f) if request.param == "plain" else f for n, f in functions.items()}


@pytest.fixture
def graph():
    """Rows of weights over a few atoms; two components, a point without an edge, a stored zero."""
    rng = np.random.default_rng(0)
    W = np.zeros((N, N))
    for row in range(1, N):
        half = range(6) if row < 30 else range(30, 36)
        for atom in rng.choice(half, 3, replace=False):
            W[row, atom] = rng.random() + 0.1
    np.fill_diagonal(W, 0)
    W[0] = 0
    W[:, 0] = 0
    rows = csr_array(W)
    rows.data[0] = 0
    return rows


def test_survey(kernels, graph):
    parents, degrees, is_atom = np.arange(N, dtype=np.int32), np.zeros(N), np.zeros(N, bool)
    for first in (0, 25):
        piece = graph[first : first + 25 if first == 0 else N]
        kernels["survey_rows"](edge_rows(first, piece), parents, degrees, is_atom)
    kernels["settle_roots"](parents)
    W = graph.toarray()
    assert degrees == pytest.approx((W + W.T).sum(axis=0))
    assert np.array_equal(is_atom, W.any(axis=0))
    _, named = connected_components(csr_array(W + W.T), directed=False)
    assert np.array_equal(parents[:, None] == parents, named[:, None] == named)
    assert (parents <= np.arange(N)).all()


def test_products(kernels, graph):
    W = graph.toarray()
    atoms = np.flatnonzero(W.any(axis=0))[:-1]
    position = np.full(N, -1, np.int32)
    position[atoms] = np.arange(len(atoms))
    degrees = (W + W.T).sum(axis=0)
    vectors = np.random.default_rng(1).standard_normal((len(atoms), WIDTH))
    gathered = np.full((N, WIDTH), np.nan)
    kernels["gather_rows"](edge_rows(0, graph), position, vectors, gathered)
    assert gathered == pytest.approx(W[:, atoms] @ vectors)
    out = np.ones((len(atoms), WIDTH))
    middle = np.empty(WIDTH)
    piece = graph[10:50]
    kernels["pass_through_rows"](edge_rows(10, piece), position, degrees, vectors, middle, out)
    others = np.array([row for row in range(10, 50) if position[row] < 0])
    B = W[np.ix_(others, atoms)]
    assert out == pytest.approx(1 + B.T @ (B @ vectors / degrees[others, None]))
