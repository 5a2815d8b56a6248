"""Errors of flats against singular values."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.labeling.flats import flat_error
from subspan.sources import ArraySource


def by_definition(X: np.ndarray, labels: np.ndarray, dim: int, affine: bool) -> float:
    total = 0.0
    for label in np.unique(labels):
        rows = X[labels == label]
        rows = rows - rows.mean(axis=0) if affine else rows
        frame = np.linalg.svd(rows)[2][:dim]
        total += ((rows - rows @ frame.T @ frame) ** 2).sum()
    return float(np.sqrt(total / len(X)))


# More points than features, and fewer.
@pytest.mark.parametrize("ambient", [6, 90])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error(ambient, affine, dtype):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((200, ambient)) + 1).astype(dtype)
    labels = rng.integers(0, 4, 200)
    error = flat_error(ArraySource(X), labels, 3, affine=affine)
    assert error == pytest.approx(by_definition(X.astype(float), labels, 3, affine), rel=1e-9)
    assert error == flat_error(ArraySource(X), labels, 3, affine=affine, threads=3)


def test_few_points_fit_any_flat():
    X = np.random.default_rng(0).standard_normal((7, 20)) + 5
    labels = np.array([0, 0, 0, 1, 1, 2, 0])
    assert flat_error(ArraySource(X), labels, 3) == pytest.approx(0, abs=1e-6)
    # Through the origin one point fewer is free.
    assert flat_error(ArraySource(X), labels, 3, affine=False) > 0.1
