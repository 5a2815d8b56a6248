"""Eigenvectors by their parts on the atoms, against those of the whole graph from a dense solver."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array

from subspan.affinity import ImplicitAffinity, symmetric_affinity
from subspan.embedding import atom_embedding, spectral_embedding
from subspan.execution.blocks import run_blocks
from subspan.handover import InputError


def coefficients(n: int, n_atoms: int, n_groups: int, seed: int, leak: float = 0.02) -> csr_array:
    """Points represented by six atoms at most, mostly of their own group."""
    rng = np.random.default_rng(seed)
    atoms = rng.choice(n, n_atoms, replace=False)
    group = rng.integers(n_groups, size=n)
    rows, columns = [], []
    for point in range(n):
        own = atoms[group[atoms] == group[point]]
        chosen = np.where(rng.random(6) < leak, rng.choice(atoms, 6), rng.choice(own, 6))
        columns.extend(np.setdiff1d(chosen, [point]))
        rows.extend([point] * len(np.setdiff1d(chosen, [point])))
    values = rng.standard_normal(len(rows))
    return csr_array((values, (rows, columns)), shape=(n, n))


def dense_pairs(C: csr_array, count: int) -> tuple[np.ndarray, np.ndarray]:
    A = symmetric_affinity(C).toarray()
    roots = np.sqrt(A.sum(axis=1))
    values, vectors = eigh(A / roots[:, None] / roots)
    return values[::-1][:count], vectors[:, ::-1][:, :count]


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
def test_as_a_dense_solver(seed):
    C = coefficients(1500, 300, 6, seed)
    found = atom_embedding(ImplicitAffinity(C), 6)
    values, vectors = dense_pairs(C, 7)
    assert found.certificate.converged
    assert found.eigenvalues[:6] == pytest.approx(values[:6], abs=1e-9)
    assert found.eigenvalues[6] <= values[6] + 1e-9
    # Rows are known up to a rotation among equal values, so inner products are compared.
    ours, theirs = found.vectors.astype(float), unit(vectors[:, :6])
    assert np.abs(ours @ ours.T - theirs @ theirs.T).max() < 1e-4
    assert found.vectors.dtype == np.float32
    assert set(found.sample) == set(C.indices)


@pytest.mark.parametrize("scale", [None, "max", "l2"])
def test_as_the_graph_that_is_formed(scale):
    C = coefficients(2000, 400, 5, 1)
    ours = atom_embedding(ImplicitAffinity(C, scale), 5, n_components="auto", seed=3)
    theirs = spectral_embedding(symmetric_affinity(C, scale), 5, n_components="auto", seed=3)
    n_vectors = theirs.vectors.shape[1]
    assert ours.vectors.shape == theirs.vectors.shape
    assert ours.eigenvalues[:n_vectors] == pytest.approx(theirs.eigenvalues[:n_vectors], abs=1e-9)
    gram = [found.vectors[:400].astype(float) @ found.vectors[:400].T for found in (ours, theirs)]
    assert np.abs(gram[0] - gram[1]).max() < 1e-3


def test_components_come_exact():
    C = csr_array(block_diag([coefficients(700, 140, 2, s, leak=0.05) for s in range(3)], format="csr"))
    found = atom_embedding(ImplicitAffinity(C), 6)
    assert np.array_equal(found.components, np.repeat([0, 1, 2], 700))
    values, _ = dense_pairs(C, 6)
    assert np.array_equal(found.eigenvalues[:3], np.ones(3))
    assert found.eigenvalues[:6] == pytest.approx(values, abs=1e-9)


def test_points_that_take_no_part():
    """A point without an edge, and a component beyond the number of clusters."""
    small = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    C = csr_array(block_diag([coefficients(800, 160, 2, 0, leak=0.0), small, np.zeros((1, 1))], format="csr"))
    found = atom_embedding(ImplicitAffinity(C), 2)
    assert found.components[-3:].tolist() == [2, 2, -1]
    assert found.embedded.sum() == 800
    assert not found.vectors[800:].any()
    assert np.linalg.norm(found.vectors[:800], axis=1) == pytest.approx(1, abs=1e-6)


def test_no_edge_at_all():
    with pytest.raises(InputError, match="The affinity is all zero"):
        atom_embedding(ImplicitAffinity(csr_array((10, 10))), 2)


def test_nothing_depends_on_who_adds_up():
    rows = ImplicitAffinity(coefficients(1500, 300, 6, 0))

    def found(**cut):
        return atom_embedding(rows, 6, runner=partial(in_shards, **cut))

    def in_shards(job, n_threads=1, **cut):
        return run_blocks(replace(job, shard_rows=400, **cut), n_threads)

    reference = found()
    for piece, n_threads in ((100, 1), (400, 2), (33, 2)):
        again = found(piece_rows=piece, n_threads=n_threads)
        assert again.vectors.tobytes() == reference.vectors.tobytes()


class Kept:
    """A checkpoint in memory that loses the search after some products."""

    def __init__(self, patience: int) -> None:
        self.state = None
        self.patience = patience
        self.n_loads = 0

    def load(self):
        self.n_loads += self.state is not None
        return self.state

    def save(self, state):
        self.state = {name: np.array(value) for name, value in state.items()}
        self.patience -= 1
        if self.patience == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("n_components", [None, "auto"])
@pytest.mark.parametrize("patience", [1, 2, 3])
def test_interrupted_search_goes_on_bit_for_bit(patience, n_components):
    C = coefficients(2000, 400, 5, 2, leak=0.3)
    search = {"n_clusters": 5, "n_components": n_components}
    reference = atom_embedding(ImplicitAffinity(C), **search)
    kept = Kept(patience)
    with pytest.raises(KeyboardInterrupt):
        atom_embedding(ImplicitAffinity(C), **search, checkpoint=kept)
    again = atom_embedding(ImplicitAffinity(C), **search, checkpoint=kept)
    assert kept.n_loads > 0
    assert again.vectors.tobytes() == reference.vectors.tobytes()
    assert np.array_equal(again.eigenvalues, reference.eigenvalues)


def test_too_few_products_are_owned_up_to():
    C = coefficients(2000, 400, 5, 2, leak=0.3)
    found = atom_embedding(ImplicitAffinity(C), 5, max_products=12)
    assert not found.certificate.converged
    assert found.certificate.residual > 1e-6
