"""The eigenvalues of the normalised affinity, and the gap that tells the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.plotting.numbers.finite import finite_numbers


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Leading eigenvalues with their widest gap."""

    # Descending.
    eigenvalues: NDArray[np.float64]
    # Clusters that were asked for, if known.
    n_clusters: int | None
    # Eigenvalues before the widest gap, and its width.
    gap_after: int
    gap: float

    @property
    def gap_at_n_clusters(self) -> float | None:
        """Width of the gap behind as many eigenvalues as clusters, where it is in sight."""
        if self.n_clusters is None or self.n_clusters >= len(self.eigenvalues):
            return None
        return float(self.eigenvalues[self.n_clusters - 1] - self.eigenvalues[self.n_clusters])


def spectrum(eigenvalues: ArrayLike, n_clusters: int | None = None) -> Spectrum:
    """Find the widest gap between two neighbouring eigenvalues; of equal gaps, the first.

    The gap behind the first eigenvalue counts only for one cluster: any graph in one piece has it.

    Examples
    --------
    >>> found = spectrum([1.0, 0.98, 0.95, 0.4, 0.3], n_clusters=3)
    >>> found.gap_after, round(found.gap, 2)
    (3, 0.55)
    """
    values = finite_numbers("eigenvalues", eigenvalues, 1)
    if values.size < 2:
        raise InputError("eigenvalues: a gap needs at least two, got one.")
    if np.any(np.diff(values) > 0):
        raise InputError("eigenvalues must be sorted, largest first.")
    gaps = values[:-1] - values[1:]
    passed_over = 0 if n_clusters == 1 or len(gaps) == 1 else 1
    widest = passed_over + int(np.argmax(gaps[passed_over:]))
    return Spectrum(values, n_clusters, widest + 1, float(gaps[widest]))
