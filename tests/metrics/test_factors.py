"""Metrics of coefficients that are kept as factors."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.handover import Factors, InputError
from subspan.metrics import subspace_preserving_error


def random_factors(n_points: int) -> Factors:
    rng = np.random.default_rng(n_points)
    left, right = (rng.standard_normal((n_points, 4)) for _ in range(2))
    return Factors(left, right, np.append(np.arange(n_points - 1), 0))


@pytest.mark.parametrize("n_points", [20, 1300])
def test_error_is_that_of_the_product(n_points):
    factors = random_factors(n_points)
    labels = np.arange(n_points) % 3
    product = factors.left @ factors.right.T
    product[factors.point[:, None] == factors.point] = 0
    expected = subspace_preserving_error(product, labels)
    assert subspace_preserving_error(factors, labels) == pytest.approx(expected, rel=1e-12)


def test_bad_factors():
    factors = random_factors(20)
    with pytest.raises(InputError, match="coefficients has 20 rows, but labels_true has 19 labels"):
        subspace_preserving_error(factors, np.arange(19))
    factors.right[3, 2] = np.nan
    with pytest.raises(InputError, match="NaN or infinity in one of its factors"):
        subspace_preserving_error(factors, np.arange(20))
