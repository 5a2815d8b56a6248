"""Files of labels: one for each row of the data."""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from subspan.execution.files import whole_file
from subspan.extras import optional_import
from subspan.handover import InputError
from subspan.sources import open_source
from subspan.sources.choosing import choose_columns
from subspan.sources.faults import reading
from subspan.sources.opening import data_suffix
from subspan.sources.text import DELIMITERS, is_number

Labels = NDArray[Any]

# Our name for the column, also looked for in files of others.
COLUMN = "label"


# What tables write where a class is not known; "-" and "none" may be classes.
MISSING = re.compile(r"|#?n/?a|<na>|nan|null|(?-i:None)", re.IGNORECASE)

# What the rows are called: columns that stand in front of the labels.
RowIds = Mapping[str, Sequence[str] | Sequence[int]]


def csv_text(labels: Labels, ids: RowIds | None = None) -> str:
    r"""Labels as a table with the columns row and label; with ids, their column stands in front.

    Examples
    --------
    >>> csv_text(np.array([1, 0]))
    'row,label\n0,1\n1,0\n'
    >>> csv_text(np.array([1, 0]), {"name": ["rose", "lily, white"]})
    'name,row,label\nrose,0,1\n"lily, white",1,0\n'
    """
    if ids is None:
        lines = [f"row,{COLUMN}", *(f"{row},{label}" for row, label in enumerate(labels.tolist()))]
        return "\n".join(lines) + "\n"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*ids, "row", COLUMN])
    writer.writerows(zip(*ids.values(), range(len(labels)), labels.tolist(), strict=True))
    return text.getvalue()


def _write_csv(file: BinaryIO, labels: Labels, ids: RowIds | None) -> None:
    file.write(csv_text(labels, ids).encode())


def _write_npy(file: BinaryIO, labels: Labels, _: RowIds | None) -> None:
    np.save(file, labels, allow_pickle=False)


def _write_parquet(file: BinaryIO, labels: Labels, ids: RowIds | None) -> None:
    arrow = optional_import("pyarrow", package="pyarrow", extra="parquet")
    parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
    named = {} if ids is None else {column: list(values) for column, values in ids.items()}
    parquet.write_table(arrow.table({**named, "row": np.arange(len(labels)), COLUMN: labels}), file)


WRITERS: dict[str, Callable[[BinaryIO, Labels, RowIds | None], None]] = {
    ".csv": _write_csv,
    ".npy": _write_npy,
    ".parquet": _write_parquet,
}


def write_labels(path: Path, labels: Labels, ids: RowIds | None = None) -> None:
    """Labels in the format that the name of the file asks for, or else CSV; complete or not there at all."""
    with whole_file(path) as file:
        WRITERS.get(path.suffix.lower(), _write_csv)(file, labels, ids)


def free_name(data: str) -> Path:
    """A name for the labels of some data, of no file that is there."""
    stem = "standard-input" if data == "-" else Path(data).resolve().name.partition(".")[0]
    names = (f"{stem}-labels{number}.csv" for number in chain([""], (f"-{n}" for n in count(2))))
    return next(path for path in map(Path, names) if not path.exists())


def read_labels(place: str, column: str | None = None, how_to_choose: str = "") -> Labels:
    """Labels of a file, or of text on standard input if `place` is "-".

    Parameters
    ----------
    place : str
        A .csv, .tsv, .npy, .npz or .parquet file, or any other that `open_source` reads.
    column : str, optional
        Which column or array; by default the one called label, or the only one there is.
    how_to_choose : str
        How the caller's user names a column, such as "--truth FILE:COLUMN"; told where it is needed.
    """
    try:
        labels = _read(place, column)
    except AmbiguousLabelsError as error:
        raise InputError(
            f"{error}; {how_to_choose or 'name the column'} says which are the labels."
        ) from None
    if labels.ndim != 1:
        shape = " x ".join(map(str, labels.shape))
        raise InputError(f"{place}: holds {shape} numbers, not one label for each row.")
    return labels


def refuse_missing(name: str, labels: Labels) -> None:
    """Every row has a class; a cell that is empty, NA or the like is none.

    Examples
    --------
    >>> refuse_missing("truth.csv", np.array(["rose", "NA"]))
    Traceback (most recent call last):
    subspan.handover.InputError: truth.csv: 1 labels are missing, the first at row 1.
    """
    from subspan.metrics.checks import number_classes

    if labels.dtype.kind in "UO":
        cells = labels.tolist()
        labels = np.array(
            [None if isinstance(cell, str) and MISSING.fullmatch(cell) else cell for cell in cells], object
        )
    number_classes(name, labels)


class AmbiguousLabelsError(InputError):
    """A file holds several columns or arrays, and nothing says which one is meant."""


def _read(place: str, column: str | None) -> Labels:
    if place == "-":
        return _of_text("standard input", sys.stdin.buffer.read(), column)
    path = Path(place).expanduser()
    if path.is_dir():
        raise InputError(f"{place}: is a folder, not a file with one label for each row.")
    if not path.is_file():
        raise InputError(f"{place}: there is no such file.")
    suffix = data_suffix(path)
    if suffix in READERS:
        with reading(place):
            return READERS[suffix](path, column)
    if column is None:
        raise AmbiguousLabelsError(f"{place}: may hold several arrays")
    return _single(place, open_source(path, key=column))


def read_text_column(place: str, column: str) -> list[str]:
    """A column of a table as it is written: 007 stays 007."""
    path = Path(place).expanduser()
    suffix = data_suffix(path)
    if suffix == ".parquet":
        return [str(value) for value in _read_parquet(path, column).tolist()]
    if suffix not in TEXT_SUFFIXES:
        raise InputError(f"--id {column}: {place} is not a table with names of columns.")
    with reading(place):
        return [str(cell) for cell in text_cells(place, _unpacked(path), column)]


def _single(place: str, source: Any) -> Labels:
    n_rows, n_columns = source.shape
    if n_columns != 1:
        raise InputError(f"{place}: holds a table of {n_columns} columns, not one label for each row.")
    return tidied(source.rows(0, n_rows)[:, 0])


def tidied(labels: Labels) -> Labels:
    """Whole numbers as such, whatever type they are stored in."""
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    is_whole = labels.dtype.kind == "f" and bool(np.all(labels == np.round(labels)))
    return labels.astype(np.int64) if is_whole else labels


def _read_npy(path: Path, column: str | None) -> Labels:
    if column is not None:
        raise InputError(f"{path}: is a single array, in which there is no {column!r} to choose.")
    return tidied(np.load(path, allow_pickle=False))


def _read_npz(path: Path, column: str | None) -> Labels:
    with np.load(path, allow_pickle=False) as archive:
        vectors = [name for name in archive.files if archive[name].ndim == 1] if column is None else []
        return tidied(archive[_choose(str(path), vectors or archive.files, column)])


def _read_parquet(path: Path, column: str | None) -> Labels:
    parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
    chosen = _choose(str(path), parquet.read_schema(path).names, column)
    table = parquet.read_table(path, columns=[chosen])
    return tidied(table.column(chosen).to_numpy())


def _read_text(path: Path, column: str | None) -> Labels:
    return _of_text(str(path), _unpacked(path), column)


def _unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix.lower() == ".gz" else content


TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
READERS: dict[str, Callable[[Path, str | None], Labels]] = {
    **dict.fromkeys(TEXT_SUFFIXES, _read_text),
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
}


def _of_text(name: str, content: bytes, column: str | None) -> Labels:
    cells = text_cells(name, content, column)
    try:
        return tidied(cells.astype(np.float64))
    except ValueError:
        return cells


@dataclass(frozen=True)
class TextRecords:
    """A text file as a table: names of its columns, and its records below them."""

    delimiter: str
    has_header: bool
    names: list[str]
    records: list[list[str]]


def text_cells(name: str, content: bytes, column: str | None) -> Labels:
    """A column of a text file, as it is written."""
    table = _parsed(name, content)
    position = table.names.index(_choose(name, table.names, column))
    return np.array([record[position].strip() for record in table.records])


def text_records(name: str, path: Path) -> TextRecords:
    """All cells of a text file, as they are written."""
    with reading(name):
        return _parsed(name, _unpacked(path))


def _parsed(name: str, content: bytes) -> TextRecords:
    with reading(name):
        text = content.decode("utf-8-sig")
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].count)
    records = [record for record in csv.reader(io.StringIO(text), delimiter=delimiter) if any(record)]
    if not records:
        raise InputError(f"{name}: is empty.")
    width = len(records[0])
    uneven = next((number for number, record in enumerate(records, 1) if len(record) != width), None)
    if uneven is not None:
        raise InputError(f"{name}: record {uneven} has {len(records[uneven - 1])} cells, the first {width}.")
    has_header = _is_header(records)
    names = [cell.strip() for cell in records[0]] if has_header else [str(j) for j in range(width)]
    return TextRecords(delimiter, has_header, names, records[has_header:])


def _is_header(records: list[list[str]]) -> bool:
    """Whether the first line holds names: no numbers, and nothing that is a class further down."""
    first = [cell.strip() for cell in records[0]]
    if any(is_number(cell) for cell in first):
        return False
    return not any(cell in (record[j].strip() for record in records[1:]) for j, cell in enumerate(first))


def _choose(name: str, present: list[str], column: str | None) -> str:
    if column is not None:
        return choose_columns(name, present, [column])[0]
    if COLUMN in present:
        return COLUMN
    if len(present) != 1:
        raise AmbiguousLabelsError(f"{name}: holds {', '.join(present[:20])}")
    return present[0]
