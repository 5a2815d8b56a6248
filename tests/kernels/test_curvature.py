"""Polar curvatures of a tile against determinants, compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms

from subspan.affinity.simplices import measure_simplices
from subspan.kernels.curvature import fill_curvatures, new_curvature_scratch

FORMS = both_forms(fill_curvatures)


def squared_polar_curvature(corners: np.ndarray) -> float:
    """Squared diameter times the sum of the squared polar sines at all corners."""
    edges = corners[1:] - corners[0]
    volume = np.linalg.det(edges @ edges.T)
    squared = ((corners[:, None] - corners) ** 2).sum(axis=2)
    return float(squared.max() * (volume / (squared + np.eye(len(corners))).prod(axis=1)).sum())


def curvatures(form: str, vertices: np.ndarray, vertex: np.ndarray, points: np.ndarray) -> np.ndarray:
    # Points beyond the last have a place in the tile, and whatever is in it.
    room = len(points) + 3
    products, norms = np.full((len(vertices), room), 7.0), np.full(room, 7.0)
    products[:, : len(points)], norms[: len(points)] = vertices @ points.T, (points**2).sum(axis=1)
    out = np.full((len(points), len(vertex)), np.nan)
    simplices = measure_simplices(vertices, vertex)
    scratch = new_curvature_scratch(room, vertex.shape[1] - 1)
    FORMS[form](products, norms, (vertices**2).sum(axis=1), simplices, 1e-14, scratch, out)
    return out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("dim", "ambient"), [(1, 2), (2, 5), (4, 9)])
def test_definition(form, dim, ambient):
    rng = np.random.default_rng(dim)
    vertices, points = rng.standard_normal((12, ambient)), rng.standard_normal((20, ambient))
    vertex = np.array([rng.choice(12, dim + 1, replace=False) for _ in range(6)])
    found = curvatures(form, vertices, vertex, points)
    wanted = [[squared_polar_curvature(np.vstack([vertices[v], x])) for v in vertex] for x in points]
    assert found == pytest.approx(np.array(wanted), rel=1e-7)


@pytest.mark.parametrize("form", FORMS)
def test_vertices_and_points_of_the_flat_have_none(form):
    rng = np.random.default_rng(0)
    vertices = rng.standard_normal((3, 6))
    on_flat = vertices[0] + rng.standard_normal((4, 2)) @ (vertices[1:] - vertices[0])
    found = curvatures(form, vertices, np.array([[0, 1, 2]]), np.vstack([vertices, on_flat, on_flat + 1]))
    assert (found[:3] == 0).all()
    assert found[3:7].max() < 1e-12 < 1e-3 < found[7:].min()
