"""Points of the size of the paper's MNIST features: noisy unions of subspaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.datasets import make_union_of_subspaces
from subspan.sources.checks import unit_rows


def labelled_features(n_points: int, n_features: int = 500) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Ten subspaces of dimension 20 under as much noise as signal: all clusters are linked."""
    X, y = make_union_of_subspaces(
        10, 20, n_features, n_points // 10, noise=1.0, random_state=0, dtype=np.float32
    )
    return unit_rows(X), y


def features(n_points: int, n_features: int = 500) -> NDArray[np.float32]:
    """The same without labels."""
    return labelled_features(n_points, n_features)[0]
