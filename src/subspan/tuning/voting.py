"""Labels of points from those of a sample: each point follows the sampled points that represent it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import run_in_threads, single_threaded_blas
from subspan.execution.tiles import TILE, in_panels, tile_product
from subspan.kernels.votes import count_votes
from subspan.sources import Source

# Of the ridge regression over the sample, for points of unit norm, and the coefficients that vote.
REGULARIZATION = 0.1
N_VOTES = 8


def extend_partitions(
    partitions: Sequence[NDArray[np.integer]], sample: NDArray[np.int64], points: Source, threads: int = 1
) -> NDArray[np.int32]:
    """Labels of all points for each partition of a sample.

    A point is represented over the sample by ridge regression. Its largest coefficients vote, by their
    magnitude, for the labels of their points. Sampled points keep their own label.

    Parameters
    ----------
    partitions : sequence of arrays of shape (n_sample,)
        -1 where a member has no opinion.
    sample : array of shape (n_sample,)
        Numbers of the sampled points, sorted.
    points : Source
        All points; they are read a few rows at a time.
    threads : int
        The result does not depend on it.

    Returns
    -------
    array of shape (n_partitions, n_points)
    """
    labels = np.array(partitions, np.int32)
    transform = _ridge_transform(points.take(sample))
    n_points, n_votes = points.shape[0], min(N_VOTES, len(sample))
    extended = np.empty((len(labels), n_points), np.int32)

    def fill(start: int) -> None:
        rows = points.rows(start, min(start + TILE, n_points)).astype(np.float32)
        # Panels are filled up with zeros, which have no vote.
        coefficients = tile_product(rows, transform)
        heap, votes = np.zeros(n_votes, np.int32), np.zeros(int(labels.max(initial=0)) + 1)
        count_votes(coefficients, labels, heap, votes, extended[:, start : start + len(rows)])

    for _ in run_in_threads(fill, range(0, n_points, TILE), threads, "blocks of points"):
        pass
    extended[:, sample] = labels
    return extended


def _ridge_transform(atoms: NDArray[np.floating]) -> NDArray[np.float32]:
    """What turns points into their ridge coefficients over `atoms`, in panels."""
    rows = atoms.astype(np.float64)
    with single_threaded_blas:
        inverse = np.linalg.inv(rows.T @ rows + REGULARIZATION * np.eye(rows.shape[1]))
        transform = (rows @ inverse).astype(np.float32)
    panels: NDArray[np.float32] = in_panels(transform)
    return panels
