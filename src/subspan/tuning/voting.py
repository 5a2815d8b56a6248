"""Labels of points from those of a sample: each point follows the sampled points that represent it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from subspan.sources import Source

Labels = NDArray[np.int64]

# Of the ridge regression over the sample, for points of unit norm, and the coefficients that vote.
REGULARIZATION = 0.1
N_VOTES = 8
BLOCK_ROWS = 1024


def extend_partitions(
    partitions: Sequence[Labels], sample: NDArray[np.int64], points: Source
) -> Iterator[Labels]:
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
        All points.

    Yields
    ------
    array of shape (n_points,)
    """
    nearest, weights = _voters(sample, points)
    for labels in partitions:
        known = labels >= 0
        n_labels = int(labels.max(initial=0)) + 1
        votes = np.zeros((len(nearest), n_labels))
        for place in range(nearest.shape[1]):
            voter = nearest[:, place]
            row = np.flatnonzero(known[voter])
            # One vote of each row: no row occurs twice.
            votes[row, labels[voter[row]]] += weights[row, place]
        extended = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        extended[sample] = labels
        yield extended


def _voters(sample: NDArray[np.int64], points: Source) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Sampled points with the largest coefficients of every point, and the magnitude of these."""
    n_points, n_features = points.shape
    atoms = points.take(sample).astype(np.float64)
    inverse = np.linalg.inv(atoms.T @ atoms + REGULARIZATION * np.eye(n_features))
    transform = (inverse @ atoms.T).astype(np.float32)
    n_votes = min(N_VOTES, len(sample))
    nearest = np.empty((n_points, n_votes), np.int32)
    weights = np.empty((n_points, n_votes), np.float32)
    for start in range(0, n_points, BLOCK_ROWS):
        part = slice(start, min(start + BLOCK_ROWS, n_points))
        sizes = np.abs(points.rows(part.start, part.stop).astype(np.float32) @ transform)
        nearest[part] = np.argpartition(sizes, -n_votes, axis=1)[:, -n_votes:]
        weights[part] = np.take_along_axis(sizes, nearest[part].astype(np.int64), axis=1)
    return nearest, weights
