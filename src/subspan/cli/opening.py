"""DATA of a command line: its rows, and what they are called."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from subspan.cli.images import read_image
from subspan.cli.labels import RowIds
from subspan.cli.method_options import Options
from subspan.cli.options import DataChoice
from subspan.handover import InputError
from subspan.sources import ArraySource, PixelSource, Source, open_source
from subspan.sources.choosing import ColumnChoice
from subspan.sources.images import ImageFolder
from subspan.sources.text import open_text

STANDARD_INPUT = "standard input"


def open_data(choice: DataChoice) -> Source:
    """Rows of a file, a folder or, if the data are "-", of CSV on standard input."""
    source = _read_input(choice) if choice.data == "-" else _open_path(choice)
    return _transposed(source) if choice.transpose else source


def _open_path(choice: DataChoice) -> Source:
    key = choice.key
    if choice.grey:
        if not Path(choice.data).is_dir():
            raise InputError(f"--grey: is for folders of images, which {choice.data} is not.")
        key = "grey"
    mask = None if choice.mask is None else read_image("--mask", choice.mask)
    return open_source(choice.data, key=key, columns=choice.columns, exclude=choice.left_out, mask=mask)


def _transposed(source: Source) -> ArraySource:
    whole = source.rows(0, source.shape[0])
    return ArraySource(np.ascontiguousarray(whole.T), source.name)


def _read_input(choice: DataChoice) -> Source:
    if choice.mask is not None:
        raise InputError("--mask: standard input is read as CSV, which has no pixels.")
    if choice.key is not None:
        raise InputError("--key: standard input is read as CSV, which has columns only.")
    with input_file() as path:
        try:
            source = open_text(path, ColumnChoice(choice.columns, choice.left_out or ()))
            rows = source.rows(0, source.shape[0])
            return ArraySource(rows, STANDARD_INPUT, source.columns, index_columns=source.index_columns)
        except InputError as error:
            raise InputError(error.worded(Options()).replace(str(path), STANDARD_INPUT)) from None


@contextmanager
def input_file() -> Iterator[Path]:
    """What came through standard input, as a file for a while: a text file is read more than once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input.csv"
        path.write_bytes(_standard_input())
        yield path


@cache
def _standard_input() -> bytes:
    # What comes through a pipe can only be read once.
    return sys.stdin.buffer.read()


def row_ids(choice: DataChoice, source: Source) -> RowIds | None:
    """What the rows are called: the column of --id or the index of pandas, paths of images, places of pixels.

    None if they only have numbers.
    """
    if isinstance(source, ImageFolder):
        return {"file": source.names}
    if isinstance(source, PixelSource):
        lines, columns = source.places
        return {"line": lines.tolist(), "column": columns.tolist()}
    if choice.row_id is None:
        index = getattr(source, "index_columns", ())
        return {_name_of_index(column): _cells(choice, column) for column in index} or None
    ids = _cells(choice, choice.row_id)
    if len(ids) != source.shape[0]:
        raise InputError(f"--id {choice.row_id}: names {len(ids)} rows, but there are {source.shape[0]}.")
    return {choice.row_id: ids}


def _name_of_index(column: str) -> str:
    """What pandas leaves without a name, or names itself, is the index."""
    return "index" if column == "" or column.startswith("__index_level_") else column


def _cells(choice: DataChoice, column: str) -> list[str]:
    """A column of the table as it is written."""
    from subspan.cli.labels import read_text_column

    if choice.data != "-":
        return read_text_column(choice.data, column)
    with input_file() as path:
        return read_text_column(str(path), column)
