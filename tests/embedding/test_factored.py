"""The embedding of A A^T from A alone, against dense eigenvectors of the product."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.embedding.components import ordered_components
from subspan.embedding.factored import factored_components, factored_embedding, factored_product
from subspan.handover import InputError


def affinities(n: int, c: int, n_clusters: int, seed: int = 0, faint: float = 0.2) -> np.ndarray:
    """Random affinities, larger between points and tuples of one cluster."""
    rng = np.random.default_rng(seed)
    own = np.arange(n)[:, None] % n_clusters == np.arange(c) % n_clusters
    return rng.uniform(0, 1, (n, c)) * np.where(own, 1, faint)


def dense_spectrum(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    graph = columns @ columns.T
    roots = np.sqrt(graph.sum(axis=1))
    values, vectors = np.linalg.eigh(graph / roots / roots[:, None])
    return values[::-1], vectors[:, ::-1]


# From the Gram matrix of the tuples, of the points, and by search.
@pytest.mark.parametrize(("n", "dense_side"), [(900, 80), (60, 60), (900, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dense_eigenvectors(n, dense_side, dtype):
    columns = affinities(n, 80, 4).astype(dtype)
    embedding = factored_embedding(columns, 4, dense_side=dense_side)
    values, vectors = dense_spectrum(columns.astype(float))
    assert embedding.eigenvalues[:4] == pytest.approx(values[:4], abs=1e-9)
    leading = vectors[:, :4] / np.linalg.norm(vectors[:, :4], axis=1, keepdims=True)
    # Equal up to the signs of the eigenvectors: the same cosines between points.
    assert np.allclose(embedding.vectors @ embedding.vectors.T, leading @ leading.T, rtol=0, atol=1e-5)
    assert embedding.vectors.dtype == np.float64
    assert embedding.embedded.all()
    assert not embedding.components.any()
    certificate = embedding.certificate
    assert certificate.converged
    assert certificate.residual <= 1e-6
    assert certificate.probe_excess < 0


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_change_nothing(n_threads):
    columns = affinities(2500, 60, 3).astype(np.float32)
    one = factored_embedding(columns, 3)
    many = factored_embedding(columns, 3, n_threads=n_threads)
    assert np.array_equal(one.vectors, many.vectors)
    assert np.array_equal(one.eigenvalues, many.eigenvalues)


def test_product():
    columns = affinities(1100, 30, 2)
    block = np.random.default_rng(0).standard_normal((1100, 5))
    roots = np.linspace(1, 2, 1100)
    with factored_product(columns, roots, 2) as product:
        assert np.allclose(product(block), (columns @ columns.T / roots / roots[:, None]) @ block)


def test_components_are_exact():
    columns = affinities(700, 40, 4, faint=0.0)
    embedding = factored_embedding(columns, 4)
    assert embedding.eigenvalues[:4].tolist() == [1.0] * 4
    assert np.array_equal(embedding.vectors, np.eye(4)[np.arange(700) % 4])
    assert embedding.certificate.converged


@pytest.mark.parametrize("seed", range(8))
def test_components_are_those_of_the_product(seed):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(size=(60, 25)) * (rng.uniform(size=(60, 25)) < 0.03)
    expected = ordered_components(csr_array(columns @ columns.T))
    assert len(np.unique(expected)) > 3
    assert np.array_equal(factored_components(columns), expected)


def test_points_without_links_are_left_out():
    columns = affinities(50, 20, 2)
    columns[[3, 40]] = 0
    embedding = factored_embedding(columns, 2)
    assert np.flatnonzero(~embedding.embedded).tolist() == [3, 40]
    assert (embedding.vectors[[3, 40]] == 0).all()
    others = factored_embedding(np.delete(columns, [3, 40], axis=0), 2)
    assert np.array_equal(np.delete(embedding.vectors, [3, 40], axis=0), others.vectors)


def test_number_of_eigenvectors():
    columns = affinities(800, 60, 5, faint=0.05)
    assert factored_embedding(columns, 3, n_components="auto").vectors.shape == (800, 5)
    assert factored_embedding(columns, 3, n_components=7).vectors.shape == (800, 7)
    with pytest.raises(InputError, match="n_components=801: must be between 1 and 800"):
        factored_embedding(columns, 3, n_components=801)


def test_fewer_tuples_than_eigenvectors():
    embedding = factored_embedding(np.ones((30, 2)), 4)
    assert np.linalg.norm(embedding.vectors, axis=1) == pytest.approx(np.ones(30))
    assert embedding.eigenvalues == pytest.approx([1, 0, 0], abs=1e-12)
