"""Rows of a table in a text file (.csv, .tsv), read into memory."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.choosing import choose_columns, text_column
from subspan.sources.faults import check_table, reading
from subspan.sources.identity import file_stamp

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class Layout:
    """What the first line tells."""

    delimiter: str
    has_header: bool
    # Without a header, columns are called by their number.
    names: tuple[str, ...]


def open_text(path: Path, columns: Sequence[str] | None = None) -> ArraySource:
    r"""Columns of numbers of a text file; a first line that is not all numbers names them.

    Parameters
    ----------
    path : Path
        The file, in UTF-8. Commas, semicolons or tabs stand between the cells.
    columns : sequence of str, optional
        Which columns, in this order; by default all, which must then hold numbers.

    Returns
    -------
    ArraySource
        Always of float64: text does not say how precise it is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = path.write_text("name,width,height\nrose,1.5,2\nlily,0.5,3\n")
    >>> open_text(path, ["height", "width"]).array.tolist()
    [[2.0, 1.5], [3.0, 0.5]]
    """
    name = str(path)
    with reading(name), path.open(encoding="utf-8-sig", newline="") as file:
        layout = _layout(file, name)
        chosen = choose_columns(name, layout.names, columns)
        file.seek(0)
        try:
            array = _parse(file, name, layout, chosen)
        except ValueError as error:
            file.seek(0)
            _explain(file, name, layout, chosen)
            raise error
    check_table(name, array.shape)
    return ArraySource(array, name, chosen, file_stamp(path))


def _layout(file: IO[str], name: str) -> Layout:
    first = next(_records(file), (0, ""))[1]
    if not first:
        raise InputError(f"{name}: is empty.")
    delimiter = max(DELIMITERS, key=first.count)
    cells = _cells(first, delimiter)
    has_header = not all(_is_number(cell) for cell in cells)
    names = cells if has_header else [str(j) for j in range(len(cells))]
    return Layout(delimiter, has_header, tuple(name.strip() for name in names))


def _parse(file: IO[str], name: str, layout: Layout, columns: tuple[str, ...]) -> np.ndarray:
    lines = (line for _, line in _even_records(file, name, layout))
    position = {column: j for j, column in enumerate(layout.names)}
    return np.loadtxt(
        lines,
        delimiter=layout.delimiter,
        quotechar='"',
        comments=None,
        usecols=[position[column] for column in columns],
        ndmin=2,
    )


def _even_records(file: IO[str], name: str, layout: Layout) -> Iterator[tuple[int, str]]:
    """Records of data and the lines they begin at; one with too few or too many cells is refused."""
    records = _records(file)
    if layout.has_header:
        next(records)
    expected = len(layout.names)
    for number, line in records:
        # Counting separators is fast; only where something is quoted the cells have to be looked at.
        quoted = '"' in line
        found = len(_cells(line, layout.delimiter)) if quoted else line.count(layout.delimiter) + 1
        if found != expected:
            raise InputError(f"{name}: line {number} has {found} cells, but the first line has {expected}.")
        yield number, line


def _records(file: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; a line break inside quotes does not end a record."""
    record, begins = "", 0
    for number, line in enumerate(file, 1):
        begins = begins if record else number
        record += line
        if record.count('"') % 2 == 0:
            if record.strip():
                yield begins, record
            record = ""
    if record:
        yield begins, record


def _explain(file: IO[str], name: str, layout: Layout, columns: tuple[str, ...]) -> None:
    """Name the first cell that is not a number."""
    position = {column: j for j, column in enumerate(layout.names)}
    is_first = True
    for number, line in _even_records(file, name, layout):
        cells = _cells(line, layout.delimiter)
        for column in columns:
            cell = cells[position[column]].strip()
            if not _is_number(cell):
                if is_first and cell:
                    raise text_column(name, column, f"{cell[:40]!r} (line {number})")
                held = f"holds {cell[:40]!r}, which is not a number" if cell else "is empty"
                raise InputError(f"{name}: line {number}, column {column!r} {held}.")
        is_first = False


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
