"""How labels compare with known classes, in several numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from subspan.metrics.accuracy import clustering_accuracy


def scores(found: NDArray[Any], true: NDArray[Any]) -> dict[str, Any]:
    """Scores of a clustering, and sizes of its clusters and of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.metrics.scores import scores
    >>> facts = scores(np.array([1, 1, 0, 1]), np.array(["cat", "cat", "dog", "dog"]))
    >>> facts["accuracy"], facts["cluster_sizes"]
    (0.75, {'0': 1, '1': 3})
    """
    cluster_sizes = _sizes(found)
    return {
        "n_points": len(found),
        "accuracy": clustering_accuracy(true, found),
        "nmi": float(normalized_mutual_info_score(true, found)),
        "ari": float(adjusted_rand_score(true, found)),
        "unlabelled": cluster_sizes.pop("-1", 0),
        "cluster_sizes": cluster_sizes,
        "class_sizes": _sizes(true),
    }


def _sizes(labels: NDArray[Any]) -> dict[str, int]:
    values, counts = np.unique(labels, return_counts=True)
    return dict(zip(map(str, values.tolist()), counts.tolist(), strict=True))
