"""Sources in pieces: whatever the pieces are, the rows are those of the table."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subspan.handover import InputError
from subspan.sources import chunked
from subspan.sources.chunked import ChunkedSource, even_bounds, merged_bounds

N_COLUMNS = 3


class Pieces(ChunkedSource):
    """A table in memory, given out in pieces; counts how many are decoded."""

    def __init__(self, table: np.ndarray, bounds: list[int]) -> None:
        self.table, self.decoded = table, 0
        super().__init__(
            name="pieces",
            shape=table.shape,
            stored=table.dtype,
            bounds=np.array(bounds),
            recipe=(table, bounds),
        )

    def _load(self, start: int, stop: int) -> np.ndarray:
        self.decoded += 1
        return self.table[start:stop]


def table(n: int) -> np.ndarray:
    return np.arange(n * N_COLUMNS, dtype=np.float64).reshape(n, N_COLUMNS)


@st.composite
def pieces(draw: st.DrawFn) -> Pieces:
    n = draw(st.integers(2, 40))
    inner = draw(st.sets(st.integers(1, n - 1)))
    return Pieces(table(n), [0, *sorted(inner), n])


@settings(deadline=None, derandomize=True, database=None)
@given(pieces(), st.integers(0, 45), st.integers(0, 45))
def test_ranges_are_those_of_the_table(source, start, stop):
    assert np.array_equal(source.rows(start, stop), source.table[start:stop])


@settings(deadline=None, derandomize=True, database=None)
@given(pieces(), st.lists(st.integers(0, 1000)))
def test_chosen_rows_are_those_of_the_table_and_each_piece_is_decoded_once(source, drawn):
    indices = np.sort(np.array(drawn, np.int64) % len(source.table))
    assert np.array_equal(source.take(indices), source.table[indices])
    touched = np.unique(np.searchsorted(source._bounds, indices, "right"))
    assert source.decoded == len(touched)


def test_rows_go_forwards_and_cannot_be_written():
    source = Pieces(table(10), [0, 4, 10])
    with pytest.raises(ValueError, match="have to be sorted"):
        source.take(np.array([3, 1]))
    with pytest.raises(ValueError, match="read-only"):
        source.rows(0, 3)[0, 0] = 9


def test_pieces_used_longest_ago_are_let_go_but_two_stay(monkeypatch):
    monkeypatch.setattr(chunked, "KEPT_BYTES", 1)
    source = Pieces(table(12), [0, 4, 8, 12])
    for _ in range(5):
        # Over a border and back: both pieces are there already.
        source.rows(3, 5)
    assert source.decoded == 2
    source.rows(9, 10)
    source.rows(5, 6)
    assert source.decoded == 3
    source.rows(0, 1)
    assert source.decoded == 4
    assert source.held_bytes == 8 * 4 * N_COLUMNS * 2


def test_a_piece_of_the_wrong_shape_is_named():
    source = Pieces(table(10), [0, 4, 10])
    source.table = source.table[:7]
    with pytest.raises(InputError, match=r"^pieces: rows 4 to 10 came as a table of shape \(3, 3\)\.$"):
        source.rows(4, 6)


def test_a_copy_for_another_process_is_the_same_rows():
    source = Pieces(table(10), [0, 4, 10])
    source.rows(0, 10)
    again = pickle.loads(pickle.dumps(source))
    assert again.decoded == 0
    assert np.array_equal(again.rows(0, 10), source.table)


@settings(deadline=None, derandomize=True, database=None)
@given(st.sets(st.integers(1, 99)), st.sampled_from([2**15, 2**18, 2**20, 2**22]))
def test_joined_pieces_are_large_enough_and_begin_where_old_ones_did(inner, row_bytes):
    bounds = np.array([0, *sorted(inner), 100])
    merged = merged_bounds(bounds, row_bytes)
    assert set(merged) <= set(bounds)
    assert (merged[0], merged[-1]) == (0, 100)
    # All but the last are large enough, and none could have ended earlier.
    sizes = np.diff(merged)[:-1] * row_bytes
    assert (sizes >= chunked.PIECE_BYTES).all()
    for first, stop in pairwise(merged[:-1]):
        earlier = bounds[(bounds > first) & (bounds < stop)]
        assert ((earlier - first) * row_bytes < chunked.PIECE_BYTES).all()


def test_chunks_of_no_rows_are_pieces_of_one():
    assert even_bounds(3, 0, chunked.PIECE_BYTES).tolist() == [0, 1, 2, 3]
