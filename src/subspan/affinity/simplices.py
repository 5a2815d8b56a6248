"""Sampled simplices: which points span them, and what their curvatures with other points need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import single_threaded_libraries
from subspan.kernels.curvature import Simplices

Doubles = NDArray[np.float64]

# Simplices whose edges are factored together: bounds the memory.
SIMPLICES_AT_ONCE = 128
# A vertex nearer than this to the flat through the others, relative to the longest edge, depends on them.
DEPENDENT_HEIGHT = 1e-14


def sample_tuples(
    labels: NDArray[np.integer], n_tuples: int, size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Tuples of distinct points, an equal share of them inside each cluster, in rows.

    A cluster with fewer than `size` points cannot fill a tuple: its share is drawn from all points.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([0, 0, 0, 1, 1, 1])
    >>> tuples = sample_tuples(labels, 4, 2, np.random.default_rng(0))
    >>> labels[tuples].tolist()
    [[0, 0], [0, 0], [1, 1], [1, 1]]
    """
    everything = np.arange(len(labels))
    clusters = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    shares = np.diff(np.arange(len(clusters) + 1) * n_tuples // len(clusters))
    pools = [members if len(members) >= size else everything for members in clusters]
    return np.array(
        [
            rng.choice(pool, size, replace=False)
            for pool, share in zip(pools, shares, strict=True)
            for _ in range(share)
        ]
    )


def measure_simplices(vertices: NDArray[np.floating], vertex: NDArray[np.int64]) -> Simplices:
    """Factor the edges of each simplex once, for the curvatures of all points with it.

    Parameters
    ----------
    vertices : array of shape (n, D)
        Table of vertices.
    vertex : array of shape (c, d + 1)
        Rows of the table that span each simplex, d <= D.

    Examples
    --------
    >>> import numpy as np
    >>> corner = np.vstack([np.zeros(3), 2 * np.eye(3)])
    >>> simplices = measure_simplices(corner, np.array([[0, 1, 2]]))
    >>> simplices.heights.tolist(), simplices.sines.round(6).tolist(), simplices.diameter.tolist()
    ([[4.0, 4.0]], [[1.0, 0.5, 0.5]], [8.0])
    """
    with single_threaded_libraries():
        parts = [
            _measure(vertices, vertex[start : start + SIMPLICES_AT_ONCE])
            for start in range(0, len(vertex), SIMPLICES_AT_ONCE)
        ]
    return Simplices(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def _measure(vertices: NDArray[np.floating], vertex: NDArray[np.int64]) -> Simplices:
    first = vertices[vertex[:, 0]]
    edges = vertices[vertex[:, 1:]] - first[:, None]
    # Column i of the triangle is edge i in the orthonormal coordinates of the simplex.
    _, triangle = np.linalg.qr(edges.transpose(0, 2, 1))
    rises = np.abs(np.diagonal(triangle, axis1=1, axis2=2))
    corners = np.pad(triangle.transpose(0, 2, 1), ((0, 0), (1, 0), (0, 0)))
    squared = ((corners[:, :, None] - corners[:, None]) ** 2).sum(axis=3)
    diameter = squared.max(axis=(1, 2))
    dependent = rises <= DEPENDENT_HEIGHT * np.sqrt(diameter)[:, None]
    heights = np.where(dependent, 0.0, rises**2)
    return Simplices(
        vertex=vertex,
        offset=np.einsum("cid,cd->ci", edges, first),
        to_coordinates=_inverses(triangle, dependent),
        heights=heights,
        sines=_squared_sines(heights, squared),
        diameter=diameter,
    )


def _inverses(triangle: Doubles, dependent: NDArray[np.bool_]) -> Doubles:
    """Inverses of the transposed triangles; a dependent edge adds no coordinate."""
    lower = triangle.transpose(0, 2, 1).copy()
    chunk, position = np.nonzero(dependent)
    lower[chunk, position, position] = 1.0
    inverse: Doubles = np.tril(np.linalg.inv(lower))
    inverse[dependent] = 0.0
    return np.ascontiguousarray(inverse)


def _squared_sines(heights: Doubles, squared: Doubles) -> Doubles:
    """Squared volume over the product of the squared edges at each vertex, 0 for a flat simplex."""
    n_vertices = squared.shape[1]
    others = squared + np.eye(n_vertices)
    # Coincident vertices make it infinity minus infinity.
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(heights).sum(axis=1)[:, None] - np.log(others).sum(axis=2)
    sines: Doubles = np.exp(np.where((heights > 0).all(axis=1, keepdims=True), logarithms, -np.inf))
    return sines
