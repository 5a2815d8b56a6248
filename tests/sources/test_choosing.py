"""Which array or column is meant, and sentences about those that are not there."""

from __future__ import annotations

import pytest

from subspan.handover import InputError
from subspan.sources.choosing import choose_array, choose_columns


@pytest.mark.parametrize(
    "others", [{}, {"y": (100,)}, {"y": (100, 1), "n": (1, 100)}, {"pi": ()}, {"cube": (2, 3, 4)}]
)
def test_the_only_table_needs_no_key(others):
    assert choose_array("f", {**others, "X": (100, 20)}, None) == "X"


def test_a_key_is_taken_at_its_word():
    shapes = {"X": (100, 20), "Z": (5, 5), "y": (100,)}
    assert [choose_array("f", shapes, key) for key in shapes] == list(shapes)


def test_without_a_table_the_only_cube_is_taken_and_its_maps_are_not() -> None:
    assert choose_array("f", {"scene": (30, 40, 7), "classes": (30, 40), "n": ()}, None) == "scene"


@pytest.mark.parametrize(
    ("shapes", "key", "message"),
    [
        ({"b": (2, 3), "a": (4, 5)}, None, r"f: holds several tables, a \(4 x 5\), b \(2 x 3\); choose one"),
        ({"y": (9,), "n": ()}, None, r"no two-dimensional array .* holds n \(one number\), y \(9\)"),
        ({}, None, "it holds no arrays of numbers"),
        ({"X": (2, 3)}, "x", r"has no array 'x'; it holds X \(2 x 3\)"),
        ({f"a{i:02}": (2, 2) for i in range(25)}, None, r"a19 \(2 x 2\) and 5 more; choose"),
    ],
)
def test_what_cannot_be_chosen_is_listed(shapes, key, message):
    with pytest.raises(InputError, match=message):
        choose_array("f", shapes, key)


def test_columns_in_the_order_asked_for():
    assert choose_columns("f", ["a", "b", "c"], None) == ("a", "b", "c")
    assert choose_columns("f", ["a", "b", "c"], ["c", "a"]) == ("c", "a")
    # A name that occurs twice does not matter where it is not asked for.
    assert choose_columns("f", ["a", "b", "b"], ["a"]) == ("a",)


@pytest.mark.parametrize(
    ("present", "columns", "message"),
    [
        (["a", "b"], "ab", "columns='ab': must be a list"),
        (["a", "b"], [], r"columns=\[\]: must be a list"),
        (["a", "b"], ["a", "B"], "has no column 'B'; it has a, b"),
        (["a", "b", "b"], None, "more than one column 'b'"),
        (["a", "b"], ["a", "a"], "more than one column 'a'"),
    ],
)
def test_columns_that_are_refused(present, columns, message):
    with pytest.raises(InputError, match=message):
        choose_columns("f", present, columns)
