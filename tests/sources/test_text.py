"""Tables in text files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.sources import open_source


def written(folder: Path, text: str, name: str = "X.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["", "a{0}b c{0}d\n"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_come_back_bit_for_bit(tmp_path, delimiter, header, dtype):
    X = (np.random.default_rng(0).standard_normal((50, 3)) * 1e-5).astype(dtype).astype(np.float64)
    lines = [delimiter.join(map(repr, row)) for row in X.tolist()]
    source = open_source(written(tmp_path, header.format(delimiter) + "\n".join(lines)))
    assert source.dtype == np.float64
    assert source.rows(0, 50).tobytes() == X.tobytes()
    assert source.columns == (("a", "b c", "d") if header else ("0", "1", "2"))
    assert source.fingerprint().split()[3].startswith("bytes=")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        'a,b\n"1","2"\n3,4',
        "\n\na,b\n1,2\n\n3,4\n\n",
        "a , b\n 1 , 2\n3,4.0e0\n",
        "1,2\n3,4\n",
    ],
)
def test_ways_to_write_the_same_table(tmp_path, text):
    source = open_source(written(tmp_path, text))
    assert source.rows(0, 2).tolist() == [[1, 2], [3, 4]]


def test_named_columns_in_the_order_asked_for(tmp_path):
    path = written(tmp_path, 'name,w,h\n"rose, red",1,2\n"two\nlines",3,4\n')
    source = open_source(path, columns=["h", "w"])
    assert source.rows(0, 2).tolist() == [[2, 1], [4, 3]]
    assert source.columns == ("h", "w")
    unnamed = open_source(written(tmp_path, "1,2,3\n4,5,6\n"), columns=["2", "0"])
    assert unnamed.rows(0, 2).tolist() == [[3, 1], [6, 4]]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("a,b\n1,2\n3\n5,6\n", None, "line 3 has 1 cells, but the first line has 2"),
        ("a,b\n1,2\n\n3,4,5\n", None, "line 4 has 3 cells, but the first line has 2"),
        ('a,b\n"x\ny",2\n3,4,5\n', ["b"], "line 4 has 3 cells, but the first line has 2"),
        ("a,b\n1,2\n3,4,5\n", ["a"], "line 3 has 3 cells"),
        ('a,b\n1,2\n"3,4\n', None, "line 3 has 1 cells"),
        ("a,b\n1,2\n3,tree\n", None, "line 3, column 'b' holds 'tree', which is not a number"),
        ("a,b\n1,2\n3,\n", None, "line 3, column 'b' is empty"),
        ("1,2\n3,x\n", None, "line 2, column '1' holds 'x', which is not a number"),
        ("a,b\n1,rose\n3,lily\n", None, "column 'b' holds 'rose' (line 2), not numbers; name the columns"),
        ("a,b\n1,2\n", ["a", "c"], "has no column 'c'; it has a, b"),
        ("a,a\n1,2\n", None, "there is more than one column 'a'"),
        ("a,b\n1,2\n", ["a", "a"], "there is more than one column 'a'"),
        ("", None, "is empty"),
        ("\n\n", None, "is empty"),
        ("a,b\n", None, "has no entries"),
        ("a,b\n1_0,2\n", None, "cannot be read"),
    ],
)
@pytest.mark.filterwarnings("ignore:loadtxt:UserWarning")
def test_faults_are_named(tmp_path, text, columns, message):
    with pytest.raises(InputError, match=rf"X\.csv: {re.escape(message)}"):
        open_source(written(tmp_path, text), columns=columns)


@pytest.mark.parametrize("columns", ["a", []])
def test_columns_are_a_list(tmp_path, columns):
    with pytest.raises(InputError, match=r"columns=.*: must be a list of names"):
        open_source(written(tmp_path, "a,b\n1,2\n"), columns=columns)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "X.csv"
    path.write_bytes(b"a,b\n1,2\n\xff\xfe,3\n")
    with pytest.raises(InputError, match=r"X\.csv: cannot be read"):
        open_source(path)
