"""Labels that do not depend on the order in which clusters happened to be found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def canonical_labels(labels: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the clusters 0, 1, 2, ... in the order of their first points; -1 (no cluster) stays.

    Examples
    --------
    >>> import numpy as np
    >>> canonical_labels(np.array([7, -1, 7, 2, 0, 2])).tolist()
    [0, -1, 0, 1, 2, 1]
    """
    numbered = np.full(labels.shape, -1, dtype=np.int64)
    assigned = labels != -1
    _, first, inverse = np.unique(labels[assigned], return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    numbered[assigned] = rank[inverse]
    return numbered
