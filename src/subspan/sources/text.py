"""Rows of a table in a text file (.csv, .tsv)."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources import chunked
from subspan.sources.array import ArraySource
from subspan.sources.choosing import Columns, choose_columns, text_columns
from subspan.sources.faults import reading
from subspan.sources.identity import file_stamp

DELIMITERS = (",", ";", "\t")
# What stands for a number that is missing.
GAP = re.compile(r"|[-.?*]+|n/?a|null|none|#n/a", re.IGNORECASE)
# The same, or a number with separators.
NO_NAME = re.compile(rf"{GAP.pattern}|[-+]?\d[\d,.' ]*", re.IGNORECASE)

# A line of the table, or several where a cell has line breaks, with the number of the first one.
Record = tuple[int, str]


@dataclass(frozen=True)
class Layout:
    """What the first line tells."""

    delimiter: str
    has_header: bool
    # Without a header, columns are called by their number.
    names: tuple[str, ...]

    @property
    def index(self) -> tuple[str, ...]:
        """A first column without a name: pandas writes its index so."""
        return ("",) if self.names[0] == "" and self.names.count("") == 1 < len(self.names) else ()


@dataclass(frozen=True)
class TextPlace:
    """Where a piece of the table begins."""

    row: int
    line: int
    # As the `tell` of the file returns it.
    offset: int


class TextSource(chunked.ChunkedSource):
    """Columns of numbers of a text file, parsed piece by piece; made by `open_text`.

    Always of float64: text does not say how precise it is.
    """

    def __init__(
        self, path: Path, layout: Layout, columns: tuple[str, ...], n_rows: int, places: Sequence[TextPlace]
    ) -> None:
        self._text = path.absolute()
        self._layout = layout
        self.index_columns = layout.index
        self._places = places
        super().__init__(
            name=str(path),
            shape=(n_rows, len(columns)),
            stored=np.dtype(np.float64),
            bounds=np.array([*(place.row for place in places), n_rows]),
            columns=columns,
            path=path,
            # With the places of the pieces, because finding them takes a pass over the whole file.
            recipe=(self._text, layout, columns, n_rows, places),
        )

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        place = self._places[int(np.searchsorted(self._bounds, start))]
        with _opened(self._text) as file:
            file.seek(place.offset)
            records = list(islice(_records(file, place.line), stop - start))
        return _parse(records, self.name, self._layout, self.columns)


def open_text(path: Path, columns: Columns = None) -> TextSource | ArraySource:
    r"""Columns of numbers of a text file; a first line that is not all numbers names them.

    The file is read through once, to check every cell and to know where its rows are.

    Parameters
    ----------
    path : Path
        The file, in UTF-8, as it is or compressed (.gz). Commas, semicolons or tabs stand between the
        cells. Where semicolons do, a comma in a number is a decimal comma.
    columns : sequence of str, optional
        Which columns, in this order; by default all, which must then hold numbers. A first column without a
        name is the index that pandas has written, and is left out.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = path.write_text("name,width,height\nrose,1.5,2\nlily,0.5,3\n")
    >>> open_text(path, ["height", "width"]).rows(0, 2).tolist()
    [[2.0, 1.5], [3.0, 0.5]]
    """
    name = str(path)
    with reading(name), _opened(path) as file:
        layout = _layout(file, name)
        chosen = choose_columns(name, layout.names, columns, layout.index)
        file.seek(0)
        records = _records(file)
        if layout.has_header:
            next(records)
        piece_rows = max(1, chunked.PIECE_BYTES // (8 * len(layout.names)))
        places: list[TextPlace] = []
        n_rows, offset = 0, file.tell()
        kept: list[NDArray[np.float64]] = []
        while piece := list(islice(records, piece_rows)):
            parsed = _parse(piece, name, layout, chosen, is_first=not places)
            if _is_compressed(path):
                kept.append(parsed)
            places.append(TextPlace(n_rows, piece[0][0], offset))
            n_rows, offset = n_rows + len(piece), file.tell()
    if kept:
        # Going back to a place in a compressed file unpacks all that comes before it.
        return ArraySource(np.vstack(kept), name, chosen, stamp=file_stamp(path), index_columns=layout.index)
    return TextSource(path, layout, chosen, n_rows, tuple(places))


def _is_compressed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _opened(path: Path) -> IO[str]:
    if _is_compressed(path):
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _layout(file: IO[str], name: str) -> Layout:
    first = next(_records(file), (0, ""))[1]
    if not first:
        raise InputError(f"{name}: is empty.")
    delimiter = _delimiter(first)
    cells = _cells(first, delimiter)
    has_header = names_columns([_with_point(cell, delimiter) for cell in cells])
    names = cells if has_header else [str(j) for j in range(len(cells))]
    return Layout(delimiter, has_header, tuple(name.strip() for name in names))


def names_columns(cells: Sequence[str]) -> bool:
    """Whether a first line names columns; if it does not, each of its cells should be a number.

    Some cell must be a name, not only a number that is missing; an empty first one stands over an index.
    Numbers beside names are names if they number the columns. A line of data with one bad cell is no header,
    because it would be lost silently.

    Examples
    --------
    >>> names_columns(["width", "height"]), names_columns(["label", "0", "1", "2"])
    (True, True)
    >>> names_columns(["1.5", "NA"]), names_columns(["1,234", ""]), names_columns(["rose", "1.5"])
    (False, False, False)
    """
    numbers = [cell.strip() for cell in cells if is_number(cell)]
    named = any(not is_number(cell) and not NO_NAME.fullmatch(cell.strip()) for cell in cells)
    if not numbers:
        return named
    counted = (list(map(str, range(first, first + len(numbers)))) for first in (0, 1))
    return (named or not cells[0].strip()) and len(numbers) > 1 and numbers in counted


def _delimiter(first: str) -> str:
    """What stands between the cells of the first line."""
    by_semicolon = _cells(first, ";")
    # With decimal commas there are more commas than semicolons.
    if len(by_semicolon) > 1 and all(is_number(_with_point(cell, ";")) for cell in by_semicolon):
        return ";"
    return max(DELIMITERS, key=first.count)


def _with_point(text: str, delimiter: str) -> str:
    """Decimal commas as points: between semicolons a comma can be nothing else."""
    return text.replace(",", ".") if delimiter == ";" else text


def _records(file: IO[str], line: int = 1) -> Iterator[Record]:
    """Lines that are not blank, counted from `line`; a line break inside quotes does not end a record."""
    lines: list[str] = []
    begins, inside_quotes = line, False
    # By `readline`: iteration over the file would forbid `tell`.
    for number, text in enumerate(iter(file.readline, ""), line):
        begins = begins if lines else number
        lines.append(text)
        inside_quotes ^= text.count('"') % 2 == 1
        if not inside_quotes:
            record = "".join(lines)
            if record.strip():
                yield begins, record
            lines = []
    if inside_quotes:
        raise ValueError(f"the quote that opens in line {begins} does not close")
    if lines:
        yield begins, "".join(lines)


def _parse(
    records: Sequence[Record], name: str, layout: Layout, columns: tuple[str, ...], is_first: bool = False
) -> NDArray[np.float64]:
    """Numbers of some columns, NaN for those that are missing; the first other cell is named."""
    _check_even(records, name, layout)
    positions = [layout.names.index(column) for column in columns]
    try:
        return np.loadtxt(
            [_with_point(text, layout.delimiter) for _, text in records],
            delimiter=layout.delimiter,
            quotechar='"',
            comments=None,
            usecols=positions,
            ndmin=2,
        )
    except ValueError:
        _explain(records, name, layout, columns, is_first)
        rows = [_cells(_with_point(text, layout.delimiter), layout.delimiter) for _, text in records]
        if not any(_is_gap(row[position]) for row in rows for position in positions):
            raise
    return np.array(
        [
            [np.nan if _is_gap(row[position]) else float(row[position]) for position in positions]
            for row in rows
        ]
    )


def _check_even(records: Sequence[Record], name: str, layout: Layout) -> None:
    """Refuse a record with too few or too many cells."""
    expected = len(layout.names)
    for number, text in records:
        # Counting separators is fast; only where something is quoted the cells have to be looked at.
        quoted = '"' in text
        found = len(_cells(text, layout.delimiter)) if quoted else text.count(layout.delimiter) + 1
        if found != expected:
            raise InputError(f"{name}: line {number} has {found} cells, but the first line has {expected}.")


def _explain(
    records: Sequence[Record], name: str, layout: Layout, columns: tuple[str, ...], is_first: bool
) -> None:
    """Name the first cell that is no number and no gap; in the first record, all columns with such a cell."""
    for number, text in records:
        cells = dict(zip(layout.names, _cells(text, layout.delimiter), strict=True))
        words = [
            column
            for column in columns
            if not _is_gap(cells[column]) and not is_number(_with_point(cells[column], layout.delimiter))
        ]
        if not words:
            continue
        held = repr(cells[words[0]].strip()[:40])
        if is_first and number == records[0][0]:
            raise text_columns(name, words, f"{held} (line {number})")
        raise InputError(f"{name}: line {number}, column {words[0]!r} holds {held}, which is not a number.")


def _cells(text: str, delimiter: str) -> list[str]:
    return next(csv.reader([text], delimiter=delimiter), [])


def _is_gap(cell: str) -> bool:
    return GAP.fullmatch(cell.strip()) is not None


def is_number(cell: str) -> bool:
    """Whether the text of a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
