"""The affinity graph of dense coefficients that are kept as factors: n^2 numbers, formed tile by tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.affinity.symmetrize import makes_share
from subspan.execution.memory import check_room
from subspan.execution.threads import run_in_threads
from subspan.handover import Factors, InputError

# Rows of coefficients formed by one product, and the side of the squares that are mirrored: a thread needs
# a few arrays of that many rows beside the graph.
ROWS_PER_TASK = 256
# What to do about a graph that does not fit.
DENSE = "the graph is dense, so take fewer rows, or a method with a sparse graph such as S3COMPC"


def dense_affinity(
    factors: Factors,
    scale: str | None = None,
    keep: float = 1.0,
    *,
    budget: int | None = None,
    n_threads: int = 1,
) -> NDArray[np.floating]:
    """Affinity (|C| + |C|^T) / 2 of coefficients C = left @ right.T, as a dense array.

    There is never more than the graph itself and a few hundred of its rows in memory.

    Parameters
    ----------
    factors : Factors
        Row j of their product represents point j; float32 or float64, which is kept.
    scale : {None, "max", "l2"}
        Scale each row of |C| first: not at all, to largest entry 1, or to Euclidean length 1.
    keep : float
        Before that, keep of each row the largest entries that make this share of their sum.
    budget : int, optional
        Bytes that the graph may take.
    n_threads : int
        Threads; the result does not depend on it.

    Raises
    ------
    InputError
        If the graph does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.handover import Factors
    >>> factors = Factors(np.array([[2.0], [1.0], [-3.0]]), np.ones((3, 1)), np.arange(3))
    >>> dense_affinity(factors).tolist()
    [[0.0, 1.5, 2.5], [1.5, 0.0, 2.0], [2.5, 2.0, 0.0]]
    """
    if scale not in (None, "max", "l2"):
        raise InputError("{scale}: must be None, 'max' or 'l2'", scale=scale)
    n_points = factors.shape[0]
    if budget is not None:
        check_room(n_points**2 * factors.dtype.itemsize, budget, DENSE)
    graph = np.empty((n_points, n_points), factors.dtype)

    def fill(start: int) -> None:
        rows = factors.rows(start, start + ROWS_PER_TASK)
        np.abs(rows, out=rows)
        if keep < 1:
            rows[~makes_share(rows, keep)] = 0
        # Halved before the sum: two large entries must not overflow.
        np.multiply(_scaled(rows, scale), 0.5, out=graph[start : start + ROWS_PER_TASK], dtype=graph.dtype)

    def mirror(start: int) -> None:
        _add_mirror_image(graph, start)

    starts = range(0, n_points, ROWS_PER_TASK)
    for task in (fill, mirror):
        for _ in run_in_threads(task, starts, n_threads, "blocks of rows"):
            pass
    return graph


def _scaled(magnitudes: NDArray[np.floating], scale: str | None) -> NDArray[np.floating]:
    """Divide each row by its largest entry, then, for "l2", by its Euclidean length; in place."""
    if scale is None:
        return magnitudes
    # By the maximum in any case, so that the squares neither overflow nor vanish.
    peaks = magnitudes.max(axis=1, keepdims=True)
    magnitudes /= np.where(peaks == 0, 1, peaks)
    if scale == "l2":
        norms = np.sqrt(np.einsum("ij,ij->i", magnitudes, magnitudes))[:, None]
        magnitudes /= np.where(norms == 0, 1, norms)
    return magnitudes


def _add_mirror_image(matrix: NDArray[np.floating], start: int) -> None:
    """M + M^T in place, for the squares on and right of the diagonal in one row of squares."""
    own = slice(start, start + ROWS_PER_TASK)
    for first in range(start, len(matrix), ROWS_PER_TASK):
        other = slice(first, first + ROWS_PER_TASK)
        total = matrix[own, other] + matrix[other, own].T
        matrix[own, other] = total
        matrix[other, own] = total.T
