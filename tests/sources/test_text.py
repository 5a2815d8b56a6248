"""Tables in text files."""

from __future__ import annotations

import pickle
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.sources import chunked, open_source


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
        ('a,b\n1,2\n"3,4\n', None, "cannot be read (the quote that opens in line 3 does not close)"),
        ("a,b\n1,2\n3,tree\n", None, "line 3, column 'b' holds 'tree', which is not a number"),
        ("1,2\n3,x\n", None, "line 2, column '1' holds 'x', which is not a number"),
        ("a,b\n1,rose\n3,lily\n", None, "column 'b' holds 'rose' (line 2), not numbers; leave it out with"),
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


@pytest.mark.parametrize("gap", ["", " ", "NA", "n/a", "-", "?", "null"])
def test_missing_numbers_are_nan(tmp_path, gap):
    rows = open_source(written(tmp_path, f"a,b\n1,{gap}\n3,4\n")).rows(0, 2)
    np.testing.assert_array_equal(rows, [[1, np.nan], [3, 4]])


@pytest.fixture
def small_pieces(monkeypatch):
    """A few rows each, and hardly any of them kept."""
    monkeypatch.setattr(chunked, "PIECE_BYTES", 3 * 8 * 7)
    monkeypatch.setattr(chunked, "KEPT_BYTES", 1)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_pieces_are_those_of_the_whole_file(tmp_path, end):
    """Against one call of NumPy for all rows, with marks and blank lines that move every offset."""
    X = np.random.default_rng(0).standard_normal((200, 3)) * 1e-3
    note = ["é", '"a, b"', '"two' + end + 'lines"', "日本語"]
    lines = [f"{a!r},{note[i % 4]},{b!r},{c!r}" for i, (a, b, c) in enumerate(X.tolist())]
    lines[50:50] = ["", "  ", ""]
    source = open_source(written(tmp_path, "\ufeff" + end.join(["a,n,b,c", *lines])), columns=["c", "a", "b"])
    wanted = np.loadtxt([" ".join(map(repr, row)) for row in X.tolist()])[:, [2, 0, 1]]
    assert len(source._places) == 200 // 5
    letter = pickle.dumps(source)
    for reader in (source, pickle.loads(letter)):
        assert reader.rows(0, 200).tobytes() == wanted.tobytes()
        for start in (190, 3, 77):
            assert reader.rows(start, start + 13).tobytes() == wanted[start : start + 13].tobytes()
        chosen = np.array([0, 4, 5, 99, 199])
        assert reader.take(chosen).tobytes() == wanted[chosen].tobytes()


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("line", "message"),
    [("7", "line 63 has 1 cells, but the first line has 2"), ("7,x", "line 63, column 'b' holds 'x'")],
)
def test_faults_far_down_are_named_by_their_line(tmp_path, line, message):
    lines = ["a,b", *(f"{i},{i}" for i in range(1, 100))]
    path = written(tmp_path, "\n".join(lines))
    source = open_source(path)
    lines[62] = line
    with pytest.raises(InputError, match=re.escape(message)):
        open_source(written(tmp_path, "\n".join(lines), "other.csv"))
    # The same in a file that is spoiled after it was opened.
    path.write_text("\n".join(lines).ljust(path.stat().st_size))
    with pytest.raises(InputError, match=re.escape(message)):
        source.rows(0, 99)


def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(chunked, "PIECE_BYTES", 2**15)
    monkeypatch.setattr(chunked, "KEPT_BYTES", 2**16)
    row = ",".join(["0.123456789"] * 8) + "\n"
    peaks = []
    for n_rows in (4_000, 32_000):
        path = written(tmp_path, row * n_rows)
        tracemalloc.start()
        source = open_source(path)
        for start in range(0, n_rows, 500):
            source.rows(start, start + 500)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] < 2**20


@pytest.mark.parametrize("columns", ["a", []])
def test_columns_are_a_list(tmp_path, columns):
    with pytest.raises(InputError, match=r"columns=.*: must be a list of names"):
        open_source(written(tmp_path, "a,b\n1,2\n"), columns=columns)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "X.csv"
    path.write_bytes(b"a,b\n1,2\n\xff\xfe,3\n")
    with pytest.raises(InputError, match=r"X\.csv: cannot be read"):
        open_source(path)
