"""Whether a first line names columns, and what stands between its cells."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subspan.sources import open_source
from subspan.sources.text import names_columns

always = settings(deadline=None, derandomize=True, database=None)
NUMBERS = st.floats().map(repr) | st.integers().map(str) | st.sampled_from(["1e5", " 2.5 ", "-0", "+3."])
GAPS = st.sampled_from(["", " ", "NA", "n/a", "null", "None", "-", "?", "*", "...", "#N/A"])
NAMES = st.from_regex(r"[a-df-h_][a-z_]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("nan", "inf", "infinity", "na", "null", "none")
)
# No number for a computer, but no name either.
SEPARATED = st.sampled_from(["1,234", "1.234.567", "1 000", "12'000", "-1,5"])


@always
@given(NUMBERS, st.lists(NUMBERS | GAPS | SEPARATED | st.sampled_from(["0", "1", "2"])))
def test_without_a_name_there_is_no_header(first, others):
    assert not names_columns([first, *others])


@always
@given(st.lists(GAPS | SEPARATED, min_size=1))
def test_gaps_and_separated_numbers_are_no_names(cells):
    assert not names_columns(cells)


@always
@given(st.lists(NAMES, min_size=1), st.lists(GAPS))
def test_names_are_a_header_even_where_some_columns_have_none(names, gaps):
    assert names_columns([*gaps, *names])
    assert names_columns([f" {name}\t" for name in names])


@always
@given(st.lists(st.floats(0.5, 0.9).map(repr), min_size=1), NAMES | GAPS | SEPARATED)
def test_one_bad_cell_makes_no_header(numbers, bad):
    assert not names_columns([*numbers, bad])
    assert not names_columns([bad, *numbers])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("count", [2, 3, 12])
def test_numbers_that_count_the_columns_are_names_beside_a_name(first, count):
    counted = [str(number) for number in range(first, first + count)]
    assert names_columns(["label", *counted])
    assert names_columns([*counted, "label"])
    assert names_columns([counted[0], "label", *counted[1:]])
    # An empty first cell stands over an index; a number that is missing elsewhere is a number.
    assert names_columns(["", *counted])
    assert not names_columns([*counted, ""])
    assert not names_columns(["NA", *counted])
    # Alone they are data, as they are out of order, from 2 on, or a single one.
    assert not names_columns(counted)
    assert not names_columns(["label", *counted[::-1]])
    assert not names_columns(["label", *(str(number + 2) for number in range(count))])
    assert not names_columns(["label", str(first)])


@pytest.mark.parametrize(
    ("text", "columns", "row"),
    [
        # The most frequent delimiter of the first line counts; a comma before a semicolon, that before a tab.
        ("a;b;c\n1;2;3\n4;5;6\n", ("a", "b", "c"), [1, 2, 3]),
        ("a\tb\n1\t2\n4\t5\n", ("a", "b"), [1, 2]),
        # Decimal commas, more of them than semicolons.
        ("1,5;2,5\n3,5;4,5\n", ("0", "1"), [1.5, 2.5]),
        ("1,5;2,5;x\n3,5;4,5;1\n", None, None),
        # Names may have spaces around them.
        (" a , b \n1,2\n3,4\n", ("a", "b"), [1, 2]),
        ("7\n8\n", ("0",), [7]),
    ],
)
def test_first_lines(tmp_path, text, columns, row):
    path = tmp_path / "X.csv"
    path.write_text(text)
    if columns is None:
        with pytest.raises(ValueError, match=r"X\.csv"):
            open_source(path)
        return
    source = open_source(path)
    assert source.columns == columns
    assert source.rows(0, 1)[0].tolist() == row


@pytest.mark.parametrize("text", ["", "\n\n", "  \n"])
def test_an_empty_file_is_called_so(tmp_path, text):
    path = tmp_path / "X.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"X\.csv: is empty\.$"):
        open_source(path)
