"""Largest correlations against sorting, compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms

from subspan.kernels.largest import keep_largest, largest, largest_magnitudes

FORMS = both_forms(largest)
MAGNITUDES = both_forms(largest_magnitudes)
OF_ROWS = both_forms(keep_largest)


def by_sorting(scores: np.ndarray, above: float, most: int) -> list[int]:
    """Largest magnitudes first, ties by index."""
    order = np.lexsort((np.arange(len(scores)), -np.abs(scores)))
    return [int(i) for i in order if abs(scores[i]) > above][:most]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("most", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("above", [0.0, 1.5, 99.0])
def test_the_largest_are_found(form, dtype, most, above):
    rng = np.random.default_rng(most)
    # All different, a few values only, in order and against it.
    rows = [
        rng.standard_normal(200),
        rng.integers(-3, 4, 200),
        np.arange(200) / 50,
        np.arange(200)[::-1] / 50,
    ]
    for scores in rows:
        scores = scores.astype(dtype)
        heap = np.full(most, -1, np.int32)
        n = FORMS[form](scores, above, most, heap)
        assert sorted(heap[:n]) == sorted(by_sorting(scores, above, most))
        assert (heap[n:] == -1).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_worst_candidate_stands_first_once_there_is_no_more_room(form):
    scores = np.random.default_rng(0).integers(-9, 10, 100).astype(float)
    heap = np.zeros(10, np.int32)
    assert FORMS[form](scores, 0.0, 10, heap) == 10
    assert heap[0] == by_sorting(scores, 0.0, 10)[-1]


@pytest.mark.parametrize("form", MAGNITUDES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_largest_magnitudes_leave_out_the_point_itself_and_the_padding(form, dtype):
    rng = np.random.default_rng(0)
    correlations = rng.standard_normal((20, 30)).astype(dtype)
    own = np.where(np.arange(20) < 15, np.arange(20), -1)
    correlations[np.arange(15), np.arange(15)] = 50
    # Columns beyond the atoms are whatever the buffer held.
    correlations[:, 25:] = 99
    correlations[19] = 0
    out = np.full(20, np.nan)
    MAGNITUDES[form](correlations, own, 25, out)
    others = np.abs(correlations[:, :25])
    others[np.arange(15), np.arange(15)] = 0
    assert np.array_equal(out, others.max(axis=1))


@pytest.mark.parametrize("form", OF_ROWS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_largest_entries_of_rows_leave_out_the_diagonal_and_zeros(form, dtype):
    scores = np.random.default_rng(0).integers(-3, 4, (8, 30)).astype(dtype)
    # Rows 5 to 12 of a matrix, with large entries on its diagonal; the last row has but two others.
    first, most = 5, 4
    scores[-1] = 0
    scores[-1, [2, 20]] = [1, -2]
    scores[np.arange(8), first + np.arange(8)] = 99
    matrix = scores.copy()
    columns, values = np.full((8, most), -1, np.int32), np.full((8, most), np.nan, dtype)
    counts = np.zeros(8, np.int64)
    OF_ROWS[form](scores, first, np.empty(most, np.int32), columns, values, counts)
    for j, row in enumerate(matrix):
        row[first + j] = 0
        kept = columns[j, : counts[j]]
        assert sorted(kept) == sorted(by_sorting(row, 0.0, most))
        assert np.array_equal(values[j, : counts[j]], row[kept])
    assert counts.tolist() == [most] * 7 + [2]
