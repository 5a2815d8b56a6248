"""Files of labels: one for each row of the data."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
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
from subspan.sources.text import DELIMITERS, is_number

Labels = NDArray[Any]

# Our name for the column, also looked for in files of others.
COLUMN = "label"


def csv_text(labels: Labels) -> str:
    r"""Labels as a table with the columns row and label.

    Examples
    --------
    >>> csv_text(np.array([1, 0]))
    'row,label\n0,1\n1,0\n'
    """
    lines = [f"row,{COLUMN}", *(f"{row},{label}" for row, label in enumerate(labels.tolist()))]
    return "\n".join(lines) + "\n"


def _write_csv(file: BinaryIO, labels: Labels) -> None:
    file.write(csv_text(labels).encode())


def _write_npy(file: BinaryIO, labels: Labels) -> None:
    np.save(file, labels, allow_pickle=False)


def _write_parquet(file: BinaryIO, labels: Labels) -> None:
    arrow = optional_import("pyarrow", package="pyarrow", extra="parquet")
    parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
    parquet.write_table(arrow.table({"row": np.arange(len(labels)), COLUMN: labels}), file)


WRITERS: dict[str, Callable[[BinaryIO, Labels], None]] = {
    ".csv": _write_csv,
    ".npy": _write_npy,
    ".parquet": _write_parquet,
}


def write_labels(path: Path, labels: Labels) -> None:
    """Labels in the format that the name of the file asks for, or else CSV; complete or not there at all."""
    with whole_file(path) as file:
        WRITERS.get(path.suffix.lower(), _write_csv)(file, labels)


def read_labels(place: str, column: str | None = None) -> Labels:
    """Labels of a file, or of text on standard input if `place` is "-".

    Parameters
    ----------
    place : str
        A .csv, .tsv, .npy, .npz or .parquet file, or any other that `open_source` reads.
    column : str, optional
        Which column or array; by default the one called label, or the only one there is.
    """
    if place == "-":
        return _of_text("standard input", sys.stdin.buffer.read(), column)
    path = Path(place).expanduser()
    if not path.is_file():
        raise InputError(f"{place}: there is no such file.")
    suffix = path.suffix.lower()
    if suffix in READERS:
        with reading(place):
            return READERS[suffix](path, column)
    if column is None:
        raise InputError(f"{place}: say with an option which of its arrays holds the labels.")
    return _single(place, open_source(path, key=column))


def read_of_rows(option: str, place: str, n_rows: int) -> Labels:
    """One entry for each row, of a file or of one of its columns: FILE or FILE:COLUMN."""
    file, colon, column = place.rpartition(":")
    # A name with a colon in it may be that of the file.
    whole = not colon or Path(place).exists()
    entries = read_labels(place) if whole else read_labels(file, column)
    if len(entries) != n_rows:
        raise InputError(f"{option} {place}: has {len(entries)} labels for {n_rows} rows of data.")
    return entries


def _single(place: str, source: Any) -> Labels:
    n_rows, n_columns = source.shape
    if n_columns != 1:
        raise InputError(f"{place}: holds a table of {n_columns} columns, not one label for each row.")
    return _tidied(source.rows(0, n_rows)[:, 0])


def _tidied(labels: Labels) -> Labels:
    """Whole numbers as such, whatever type they are stored in."""
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    is_whole = labels.dtype.kind == "f" and bool(np.all(labels == np.round(labels)))
    return labels.astype(np.int64) if is_whole else labels


def _read_npy(path: Path, column: str | None) -> Labels:
    if column is not None:
        raise InputError(f"{path}: is a single array, in which there is no {column!r} to choose.")
    return _tidied(np.load(path, allow_pickle=False))


def _read_npz(path: Path, column: str | None) -> Labels:
    with np.load(path, allow_pickle=False) as archive:
        vectors = [name for name in archive.files if archive[name].ndim == 1] if column is None else []
        return _tidied(archive[_choose(str(path), vectors or archive.files, column)])


def _read_parquet(path: Path, column: str | None) -> Labels:
    parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
    chosen = _choose(str(path), parquet.read_schema(path).names, column)
    table = parquet.read_table(path, columns=[chosen])
    return _tidied(table.column(chosen).to_numpy())


def _read_text(path: Path, column: str | None) -> Labels:
    return _of_text(str(path), path.read_bytes(), column)


READERS: dict[str, Callable[[Path, str | None], Labels]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".parquet": _read_parquet,
}


def _of_text(name: str, content: bytes, column: str | None) -> Labels:
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
    position = names.index(_choose(name, names, column))
    cells = np.array([record[position].strip() for record in records[has_header:]])
    try:
        return _tidied(cells.astype(np.float64))
    except ValueError:
        return cells


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
        raise InputError(f"{name}: holds {', '.join(present[:20])}; say with an option which are the labels.")
    return present[0]
