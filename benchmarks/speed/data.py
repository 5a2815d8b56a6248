"""Points of the size of the paper's MNIST features: noisy unions of subspaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.datasets import make_union_of_subspaces
from subspan.sources.checks import unit_rows


def features(n_points: int, n_features: int = 500) -> NDArray[np.float32]:
    """Ten subspaces of dimension 20 under noise that no ten atoms explain."""
    X, _ = make_union_of_subspaces(
        10, 20, n_features, n_points // 10, noise=0.5, random_state=0, dtype=np.float32
    )
    return unit_rows(X)
