"""Labels of points by the votes of those that represent them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.largest import largest


@kernel
def count_votes(
    coefficients: NDArray[np.floating],
    labels: NDArray[np.int32],
    heap: NDArray[np.int32],
    votes: NDArray[np.float64],
    out: NDArray[np.int32],
) -> None:
    """Label every row of `coefficients` once for each row of `labels`, which has the labels of the columns.

    As many of the largest coefficients vote as there is room for in `heap`, each by its magnitude. Columns
    with the label -1 have no vote; a row without any vote gets -1. Of equals the lowest label wins.

    Parameters
    ----------
    coefficients : array of shape (n_rows, n_columns)
        IN.
    labels : array of shape (n_members, n_columns)
        IN.
    heap, votes : arrays of shape (n_voters,) and (largest label + 1,)
        scratch.
    out : array of shape (n_members, n_rows)
        OUT.
    """
    for j in range(coefficients.shape[0]):
        n_voters = largest(coefficients[j], 0.0, heap.shape[0], heap)
        for member in range(labels.shape[0]):
            votes[:] = 0.0
            for place in range(n_voters):
                label = labels[member, heap[place]]
                if label >= 0:
                    votes[label] += abs(coefficients[j, heap[place]])
            winner = -1
            most = 0.0
            for label in range(votes.shape[0]):
                if votes[label] > most:
                    winner, most = label, votes[label]
            out[member, j] = winner
