"""How many eigenvectors to keep, read from the spectrum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def largest_dimension(n_clusters: int) -> int:
    """Largest number of eigenvectors that is considered for `n_clusters` clusters.

    Examples
    --------
    >>> largest_dimension(3), largest_dimension(40)
    (6, 50)
    """
    return min(2 * n_clusters, n_clusters + 10)


def gap_dimension(eigenvalues: NDArray[np.float64], n_clusters: int) -> int:
    """Number of leading eigenvectors before the largest gap in the spectrum, at least `n_clusters`.

    Parameters
    ----------
    eigenvalues : array
        Descending. A gap needs a value on either side, so at most one less than given is chosen.
    n_clusters : int
        Smallest number considered; the largest is `largest_dimension(n_clusters)`.

    Examples
    --------
    >>> import numpy as np
    >>> gap_dimension(np.array([1.0, 0.95, 0.9, 0.89, 0.5, 0.45]), 3)
    4
    """
    considered = eigenvalues[n_clusters - 1 : largest_dimension(n_clusters) + 1]
    if considered.size < 2:
        return n_clusters
    return n_clusters + int(np.argmax(considered[:-1] - considered[1:]))
