"""What speaks for each number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.tuning import NumberOfClusters


@dataclass(frozen=True, eq=False)
class NumberEvidence:
    """Bits about a point's cluster that the members share, what their doubts cost, and the difference."""

    # Numbers of clusters that were tried, and for each of them:
    tried: NDArray[np.intp]
    shared: NDArray[np.float64]
    cost_of_doubt: NDArray[np.float64]
    evidence: NDArray[np.float64]
    # Places of the three with the most evidence, best first.
    best: NDArray[np.intp]
    # 1 if the data show no clusters.
    n_clusters: int
    # The finding in one or two sentences.
    verdict: str


def number_evidence(found: NumberOfClusters) -> NumberEvidence:
    """Read the evidence off what was found about the number of clusters.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.tuning import estimate_n_clusters
    >>> X, _ = make_union_of_subspaces(3, 3, 30, 40, random_state=0)
    >>> seen = number_evidence(estimate_n_clusters(X, (2, 5), random_state=0))
    >>> seen.tried.tolist(), seen.n_clusters, int(seen.tried[seen.best[0]])
    ([2, 3, 4, 5], 3, 3)
    """
    if not getattr(found, "tried", ()):
        raise InputError("found must be what estimate_n_clusters returned.")
    tried = np.array([each.n_clusters for each in found.tried])
    shared = np.array([each.shared for each in found.tried])
    values = np.array([each.evidence for each in found.tried])
    best = np.searchsorted(tried, [each.n_clusters for each in found.best])
    return NumberEvidence(tried, shared, shared - values, values, best, found.n_clusters, found.verdict)
