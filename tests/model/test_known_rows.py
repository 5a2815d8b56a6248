"""Rows that were seen before, found again as a dictionary would."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.model.known_rows import KnownRows
from subspan.sources.copies import row_digests


@pytest.mark.parametrize("seed", range(5))
def test_as_a_dictionary_finds_them(seed):
    rng = np.random.default_rng(seed)
    known, asked = (rng.integers(0, 3, (40, 3)).astype(float) for _ in range(2))
    first: dict[tuple[float, ...], int] = {}
    for i, row in enumerate(map(tuple, known)):
        first.setdefault(row, i)
    found = KnownRows(row_digests(known)).find(asked)
    assert found.tolist() == [first.get(tuple(row), -1) for row in asked]


def test_rows_are_the_same_with_zeros_of_either_sign_and_no_others():
    known = KnownRows(row_digests(np.array([[0.0, 1.0]])))
    near = np.nextafter(1.0, 2.0)
    assert known.find(np.array([[-0.0, 1.0], [0.0, near], [1.0, 0.0]])).tolist() == [0, -1, -1]


def test_nothing_is_found_among_nothing():
    none = np.empty((0, 2))
    assert KnownRows(row_digests(none)).find(np.ones((2, 2))).tolist() == [-1, -1]
    assert KnownRows(row_digests(np.ones((2, 2)))).find(none).tolist() == []
