"""Sampled simplices against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.affinity.simplices import measure_simplices, sample_tuples


def test_every_cluster_has_an_equal_share():
    labels = np.repeat([0, 1, 2], [50, 7, 20])
    tuples = sample_tuples(labels, 100, 4, np.random.default_rng(0))
    assert tuples.shape == (100, 4)
    assert all(len(set(points)) == 4 for points in tuples.tolist())
    owners = labels[tuples]
    assert (owners == owners[:, :1]).all()
    assert np.bincount(owners[:, 0]).tolist() == [33, 33, 34]


def test_a_cluster_too_small_for_a_tuple_draws_from_all_points():
    labels = np.repeat([0, 1], [40, 2])
    tuples = sample_tuples(labels, 60, 3, np.random.default_rng(0))
    assert (labels[tuples[:30]] == 0).all()
    assert len(np.unique(tuples[30:])) > 20


def test_tuples_are_spread_evenly():
    tuples = sample_tuples(np.zeros(10, int), 5000, 3, np.random.default_rng(1))
    # Each point is in 1500 tuples on average, with a standard deviation of 32.
    assert np.abs(np.bincount(tuples.ravel()) - 1500).max() < 150


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_measures(dim):
    rng = np.random.default_rng(dim)
    vertices = rng.standard_normal((40, 7)) + 3
    vertex = np.array([rng.choice(40, dim + 1, replace=False) for _ in range(150)])
    simplices = measure_simplices(vertices, vertex)
    for j, corners in enumerate(vertices[vertex]):
        squared = ((corners[:, None] - corners) ** 2).sum(axis=2)
        edges = corners[1:] - corners[0]
        volume = np.linalg.det(edges @ edges.T)
        assert simplices.diameter[j] == pytest.approx(squared.max())
        assert simplices.heights[j].prod() == pytest.approx(volume)
        products = [np.delete(row, i).prod() for i, row in enumerate(squared)]
        assert simplices.sines[j] == pytest.approx(volume / np.array(products))
        # Coordinates of the edges themselves: their Gram matrix is that of the edges.
        coordinates = simplices.to_coordinates[j] @ (edges @ edges.T)
        assert coordinates.T @ coordinates == pytest.approx(edges @ edges.T)
        assert simplices.offset[j] == pytest.approx(edges @ corners[0])


def test_dependent_vertices_span_nothing():
    line = np.outer(np.arange(4.0), np.ones(5))
    simplices = measure_simplices(line, np.array([[0, 1, 3], [0, 0, 1]]))
    assert (simplices.sines == 0).all()
    assert (simplices.heights.prod(axis=1) == 0).all()
    assert all(np.isfinite(field).all() for field in simplices)
