import numpy as np
import pytest

from subspan.embedding import gap_dimension


@pytest.mark.parametrize(
    ("eigenvalues", "n_clusters", "expected"),
    [
        ([1.0, 1.0, 1.0, 0.4, 0.3, 0.2, 0.1], 3, 3),
        ([1.0, 0.9, 0.89, 0.88, 0.5, 0.4], 3, 4),
        # A larger gap before n_clusters does not count.
        ([1.0, 0.5, 0.49, 0.48, 0.4, 0.39, 0.38], 3, 4),
        # Beyond 2 n_clusters, or n_clusters + 10, gaps do not count either.
        ([1.0, 0.9, 0.89, 0.88, 0.87, 0.1], 2, 2),
        ([*np.linspace(1.0, 0.98, 30).tolist(), 0.1], 12, 12),
        ([*np.linspace(1.0, 0.98, 22).tolist(), 0.1], 12, 22),
        # The first of equal gaps.
        ([1.0, 0.75, 0.5, 0.25, 0.0], 2, 2),
        # No value behind the last one: nothing to choose from.
        ([1.0, 0.5], 2, 2),
    ],
)
def test_dimension_stands_before_the_largest_gap(eigenvalues, n_clusters, expected):
    assert gap_dimension(np.array(eigenvalues), n_clusters) == expected
