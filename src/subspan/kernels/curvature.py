"""Squared polar curvatures of a tile of points with sampled simplices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part

Doubles = NDArray[np.float64]


class Simplices(NamedTuple):
    """Numbers of each sampled simplex of d + 1 vertices that its curvature with a point depends on.

    Products of many lengths may overflow in high dimensions. So they are kept as ratios of volumes, computed
    by logarithms.
    """

    # (c, d + 1): rows of the table of vertices.
    vertex: NDArray[np.int64]
    # (c, d): inner products of the edges from the first vertex with the first vertex.
    offset: Doubles
    # (c, d, d): lower triangular, from inner products with these edges to orthonormal coordinates.
    to_coordinates: Doubles
    # (c, d): squared distance of each further vertex to the flat through those before it.
    heights: Doubles
    # (c, d + 1): squared polar sine of the simplex at each vertex.
    sines: Doubles
    # (c,): squared diameter.
    diameter: Doubles


class CurvatureScratch(NamedTuple):
    """Buffers for one tile of points."""

    # (d, tile): inner products with the edges.
    edges: Doubles
    # (tile,) each: a coordinate, squared distances to the flat, sums and products over the vertices, the
    # squared diameter with the point.
    coordinate: Doubles
    height: Doubles
    total: Doubles
    ratio: Doubles
    diameter: Doubles


def new_curvature_scratch(n_points: int, dim: int) -> CurvatureScratch:
    """Buffers for a tile of so many points and simplices of this dimension."""
    buffers = [np.empty(n_points) for _ in range(5)]
    return CurvatureScratch(np.empty((dim, n_points)), *buffers)


@part
def fill_heights(
    products: NDArray[np.floating],
    squared_norms: NDArray[np.floating],
    vertex_norms: NDArray[np.floating],
    simplices: Simplices,
    j: int,
    scratch: CurvatureScratch,
) -> None:
    """Squared distances of the points to the flat through simplex j; rounding may leave them negative."""
    edges, coordinate, height = scratch.edges, scratch.coordinate, scratch.height
    first = products[simplices.vertex[j, 0]]
    for x in range(height.size):
        height[x] = squared_norms[x] + vertex_norms[simplices.vertex[j, 0]] - 2.0 * first[x]
    for i in range(len(edges)):
        further = products[simplices.vertex[j, i + 1]]
        for x in range(height.size):
            edges[i, x] = further[x] - first[x] - simplices.offset[j, i]
    for k in range(len(edges)):
        for x in range(height.size):
            coordinate[x] = simplices.to_coordinates[j, k, 0] * edges[0, x]
        for i in range(1, k + 1):
            factor = simplices.to_coordinates[j, k, i]
            for x in range(height.size):
                coordinate[x] += factor * edges[i, x]
        for x in range(height.size):
            height[x] -= coordinate[x] * coordinate[x]


@kernel
def fill_curvatures(
    products: NDArray[np.floating],
    squared_norms: NDArray[np.floating],
    vertex_norms: NDArray[np.floating],
    simplices: Simplices,
    coincident: float,
    scratch: CurvatureScratch,
    out: NDArray[np.floating],
) -> None:
    """Fill `out` (points, simplices) from the inner products of all vertices (rows) with a tile of points.

    Loops over points are innermost, because they run over contiguous memory. A point whose squared distance
    to a vertex is below `coincident` times their squared norms is that vertex up to rounding: its curvature
    is 0.
    """
    height, total, ratio, diameter = scratch.height, scratch.total, scratch.ratio, scratch.diameter
    n_simplices, n_vertices = simplices.vertex.shape
    for j in range(n_simplices):
        fill_heights(products, squared_norms, vertex_norms, simplices, j, scratch)
        for x in range(height.size):
            total[x] = 0.0
            ratio[x] = 1.0
            diameter[x] = simplices.diameter[j]
        for i in range(n_vertices):
            vertex = simplices.vertex[j, i]
            sine = simplices.sines[j, i]
            rise = simplices.heights[j, i - 1] if i > 0 else 1.0
            for x in range(height.size):
                norms = squared_norms[x] + vertex_norms[vertex]
                squared = norms - 2.0 * products[vertex, x]
                apart = squared > coincident * norms
                height[x] = height[x] if apart else 0.0
                inverse = 1.0 / (squared if apart else 1.0)
                total[x] += sine * inverse
                ratio[x] *= rise * inverse
                diameter[x] = max(diameter[x], squared)
        for x in range(len(out)):
            out[x, j] = diameter[x] * max(height[x], 0.0) * (total[x] + ratio[x])
