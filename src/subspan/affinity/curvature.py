"""Polar curvatures of all points with sampled tuples, and affinities of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.affinity.simplices import measure_simplices
from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import TILE, in_panels, padded, tile_product
from subspan.kernels.curvature import fill_curvatures, new_curvature_scratch
from subspan.sources import Source

Floats = NDArray[np.floating]

# Squared distance, relative to squared norms, at which rounding alone may stand between two points.
COINCIDENT = 1e-13
# Scales below this share of the largest curvature are made of rounding.
SMALLEST_SCALE = 1e-15
# Logarithms of affinities: of every point with its best tuple at least, and of any pair at least.
FAINTEST_BEST = -40.0
FAINTEST = -69.0


def polar_curvatures(
    points: Source, tuples: NDArray[np.int64], *, affine: bool = True, threads: int = 1
) -> Floats:
    """Squared polar curvatures of every point with every tuple.

    The polar curvature of d + 2 points is zero if they lie on a d-flat: their diameter times the root of
    the sum over the points of the squared polar sine there, the volume spanned over the product of the
    edges. The simplex of each tuple is factored once; inner products of its vertices with all points
    then give their distances to the vertices and to the flat. All this is in float64, because a
    distance to a flat is a small difference of squares.

    Parameters
    ----------
    points : Source
        The points.
    tuples : array of shape (c, d + 1), or (c, d) if not `affine`
        Rows of `points`, distinct within a tuple.
    affine : bool
        False makes the origin a vertex of every simplex: curvatures vanish on linear subspaces.
    threads : int
        How the work is split. It changes nothing in the result.

    Returns
    -------
    array of shape (n_points, c)
        In the type of the points; infinite where a point belongs to the tuple.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.sources import ArraySource
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0], [0.0, 2.0]])
    >>> polar_curvatures(ArraySource(X), np.array([[0, 1]])).ravel().round(6).tolist()
    [inf, inf, 0.0, 4.0]
    """
    used, position = np.unique(tuples, return_inverse=True)
    vertex: NDArray[np.int64] = position.reshape(tuples.shape)
    centre = _mean(points) if affine else np.zeros(points.shape[1])
    rows = points.take(used).astype(np.float64) - centre
    if not affine:
        # The origin follows the points.
        rows = np.vstack([rows, centre])
        vertex = np.column_stack([np.full(len(vertex), len(used)), vertex])
    vertices = padded(rows)
    vertex_norms = (vertices**2).sum(axis=1)
    simplices = measure_simplices(vertices, vertex)
    curvatures = np.empty((points.shape[0], len(tuples)), points.dtype)

    def fill(start: int) -> None:
        stop = min(start + TILE, points.shape[0])
        tile = padded(points.rows(start, stop).astype(np.float64) - centre)
        products = tile_product(vertices, in_panels(tile))
        norms = (tile**2).sum(axis=1)
        scratch = new_curvature_scratch(TILE, vertex.shape[1] - 1)
        fill_curvatures(products, norms, vertex_norms, simplices, COINCIDENT, scratch, curvatures[start:stop])

    for _ in run_in_threads(fill, range(0, points.shape[0], TILE), threads, "tiles of points"):
        pass
    curvatures[tuples, np.arange(len(tuples))[:, None]] = np.inf
    return curvatures


def _mean(points: Source) -> NDArray[np.float64]:
    """Centre of all points: distances from inner products keep the more digits the shorter the rows."""
    n_points = points.shape[0]
    sums = [
        points.rows(start, min(start + TILE, n_points)).sum(axis=0, dtype=np.float64)
        for start in range(0, n_points, TILE)
    ]
    mean: NDArray[np.float64] = np.sum(sums, axis=0) / n_points
    return mean


def curvature_scales(curvatures: Floats, n_clusters: int, n_scales: int) -> list[float]:
    """Candidates for the scale of the affinity: curvatures so small that 1 in n_clusters^p is smaller.

    In the ideal case the tuples come from all clusters alike and 1 / n_clusters of the curvatures, those
    inside clusters, are small; higher powers p = 2 ... n_scales allow for tuples that mix clusters.

    Examples
    --------
    >>> import numpy as np
    >>> curvature_scales(np.arange(1.0, 17).reshape(4, 4), 2, 3)
    [8.0, 4.0, 2.0]
    """
    finite = curvatures[np.isfinite(curvatures)]
    shares = [finite.size / float(n_clusters) ** p for p in range(1, n_scales + 1)]
    ranks = sorted({max(int(np.ceil(share)), 1) - 1 for share in shares})
    finite.partition(ranks)
    smallest = max(SMALLEST_SCALE * float(finite[ranks[-1] :].max()), float(np.finfo(finite.dtype).tiny))
    return sorted({max(float(finite[rank]), smallest) for rank in ranks}, reverse=True)


def curvature_affinity(curvatures: Floats, scale: float) -> Floats:
    """Affinities exp(-curvature / (2 scale)) of points with tuples; none between a point and its own.

    Faint ones are kept from underflow, so that no point loses its last link: every point has some tuple
    with at least 1e-17, and every tuple with at least 1e-30, which is nothing to points with better ones.

    Examples
    --------
    >>> import numpy as np
    >>> curvature_affinity(np.array([[0.0, np.inf], [4.0, 8000.0]]), 2.0).round(6).tolist()
    [[1.0, 0.0], [0.367879, 0.0]]
    """
    affinity = np.empty_like(curvatures)
    for start in range(0, len(curvatures), TILE):
        block = curvatures[start : start + TILE]
        out = affinity[start : start + TILE]
        own = np.isinf(block)
        np.multiply(block, -0.5 / scale, out=out)
        out[own] = np.finfo(out.dtype).min
        best = out.max(axis=1)
        faint = best < FAINTEST_BEST
        out[faint] = out[faint] - best[faint, None] + FAINTEST_BEST
        np.exp(np.maximum(out, FAINTEST, out=out), out=out)
        out[own] = 0.0
    return affinity
