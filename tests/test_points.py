"""Rows become points and points rows again: what a stage says of points holds for the rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.handover import Factors, InputError
from subspan.points import Reading, read_points
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

DIRECTIONS = np.random.default_rng(0).standard_normal((5, 4))
# Rows 2, 3 and 6 are multiples of others, row 5 is zero.
ROWS = np.stack([
    DIRECTIONS[0], DIRECTIONS[1], 2 * DIRECTIONS[0], -3 * DIRECTIONS[1],
    DIRECTIONS[2], 0 * DIRECTIONS[0], -DIRECTIONS[0], DIRECTIONS[3],
])  # fmt: skip
POINT_OF_ROW = [0, 1, 0, 1, 2, -1, 0, 3]
SIGNS = np.array([1, 1, 1, -1, 1, 0, -1, 1])


def reading(**changes: object) -> Reading:
    usual = {
        "normalize": True, "constant": 0.0, "unit_lift": False, "zero_rows": "label", "duplicates": "merge",
        "n_clusters": 2, "needs_directions": True, "lines": True, "hashed": True,
    }  # fmt: skip
    return Reading(**{**usual, **changes})


def test_points_are_the_first_rows_of_each_direction():
    points = read_points(ArraySource(ROWS), reading())
    assert points.row_of_point.tolist() == [0, 1, 4, 7]
    assert points.point_of_row.tolist() == POINT_OF_ROW
    assert points.opposite.tolist() == (SIGNS < 0).tolist()
    assert points.counts == {"zero_rows": 1, "duplicate_rows": 3}
    assert points.source.rows(0, 4) == pytest.approx(unit_rows(ROWS[[0, 1, 4, 7]]))


def test_without_lines_opposites_are_points_of_their_own():
    points = read_points(ArraySource(ROWS), reading(lines=False))
    assert points.row_of_point.tolist() == [0, 1, 3, 4, 6, 7]
    assert not points.opposite.any()


def test_without_normalising_only_equal_rows_are_copies():
    rows = np.concatenate([ROWS, ROWS[:1]])
    points = read_points(ArraySource(rows), reading(normalize=False, lines=False))
    assert points.point_of_row.tolist() == [0, 1, 2, 3, 4, -1, 5, 6, 0]


def test_copies_may_be_kept():
    points = read_points(ArraySource(ROWS), reading(duplicates="keep"))
    assert points.row_of_point.tolist() == [0, 1, 2, 3, 4, 6, 7]
    assert points.counts == {"zero_rows": 1, "duplicate_rows": 0}


@pytest.mark.parametrize("form", [csr_array, lambda C: Factors(C, np.eye(4), np.arange(4))])
def test_expanded_coefficients_represent_the_rows_as_those_of_points_do(form):
    points = read_points(ArraySource(ROWS), reading())
    C = np.random.default_rng(1).standard_normal((4, 4))
    np.fill_diagonal(C, 0)
    whole = points.expand(form(C))
    whole = whole.rows(0, 8) if isinstance(whole, Factors) else whole.toarray()
    units = points.source.rows(0, 4)
    # A row is its sign times its point, so it has that many times the combination of the originals.
    wanted = np.where(SIGNS[:, None] == 0, 0, SIGNS[:, None] * (C @ units)[POINT_OF_ROW])
    found = whole @ np.where(np.abs(ROWS).max(axis=1, keepdims=True) > 0, unit_or_zero(ROWS), 0)
    assert found == pytest.approx(wanted)
    assert not whole[5].any()
    assert not whole[:, 5].any()


def unit_or_zero(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)


def test_labels_and_rows_of_points():
    points = read_points(ArraySource(ROWS), reading())
    assert points.expand_labels(np.array([10, 11, 12, 13])).tolist() == [10, 11, 10, 11, 12, -1, 10, 13]
    assert points.rows_of(np.array([3, 0])).tolist() == [7, 0]


def test_points_among_rows_that_were_not_looked_at():
    kept = np.array([0, 2, 3, 4, 7, 8, 10, 11])
    points = read_points(ArraySource(ROWS), reading()).among(kept, 12)
    assert points.row_of_point.tolist() == [0, 2, 7, 11]
    assert points.point_of_row[kept].tolist() == POINT_OF_ROW
    assert (np.delete(points.point_of_row, kept) == -1).all()
    assert points.counts == {"zero_rows": 1, "duplicate_rows": 3, "incomplete_rows": 4}


def test_refusals_name_rows_and_numbers():
    with pytest.raises(InputError, match=r": 1 zero row, the first at row 5: it has no direction"):
        read_points(ArraySource(ROWS), reading(zero_rows="raise"))
    with pytest.raises(InputError, match=r"^n_clusters=5, but .* has only 4 distinct directions\.$"):
        read_points(ArraySource(ROWS), reading(n_clusters=5))
    assert len(read_points(ArraySource(ROWS), reading(n_clusters=4)).row_of_point) == 4


def test_flats_off_the_origin_take_zero_rows_as_points():
    points = read_points(ArraySource(ROWS), reading(constant=1.0, needs_directions=False, lines=False))
    assert points.counts == {"zero_rows": 0, "duplicate_rows": 0}
    lifted = points.source.rows(0, 8)
    assert lifted[:, -1] == pytest.approx(1)
    # About their mean, in units of their root mean square distance from it.
    assert lifted[:, :-1].mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert (lifted[:, :-1] ** 2).sum(axis=1).mean() == pytest.approx(1)
