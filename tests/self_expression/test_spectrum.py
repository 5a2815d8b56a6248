"""Principal axes against NumPy's singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.self_expression.spectrum import principal_axes


@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (12, 12), (1500, 30)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equals_the_singular_value_decomposition(shape, dtype):
    points = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    spectrum = principal_axes(points)
    size = min(shape)
    assert spectrum.scores.shape == (shape[0], size)
    np.testing.assert_allclose(spectrum.values, np.linalg.svd(points.astype(float))[1], rtol=1e-6)
    np.testing.assert_allclose(spectrum.scores @ spectrum.axes.T, points, atol=1e-6)
    np.testing.assert_allclose(spectrum.axes.T @ spectrum.axes, np.eye(size), atol=1e-6)
    np.testing.assert_allclose(spectrum.scores.T @ spectrum.scores, np.diag(spectrum.squares), atol=1e-6)


def test_same_bits_for_any_number_of_threads():
    points = np.random.default_rng(0).standard_normal((2500, 150)).astype(np.float32)
    one, two = principal_axes(points, 1), principal_axes(points, 2)
    assert np.array_equal(one.scores, two.scores)
    assert np.array_equal(one.squares, two.squares)


def test_rows_too_long_to_be_squared():
    with pytest.raises(InputError, match="use normalize=True"):
        principal_axes(np.full((9, 2), 1e154))
