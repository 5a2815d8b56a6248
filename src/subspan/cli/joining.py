"""The table that `--join` writes: that of the data, with the labels as its last column."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import click

from subspan.cli.labels import COLUMN, Labels, text_records
from subspan.cli.opening import STANDARD_INPUT, input_file
from subspan.cli.options import DataChoice
from subspan.execution.files import whole_file
from subspan.extras import optional_import
from subspan.sources.opening import data_suffix

TEXT = (".csv", ".tsv")
PARQUET = (".parquet",)


def check_join(join: str | None, choice: DataChoice) -> None:
    """Everything about the table that can be known before the work."""
    if join is None:
        return
    path, data = Path(join), Path(choice.data)
    kinds = TEXT if choice.data == "-" or data_suffix(data) in TEXT else PARQUET
    if choice.transpose or (choice.data != "-" and data_suffix(data) not in (*TEXT, *PARQUET)):
        raise _refused(f"{choice.data} is not a table to which a column could be added; --labels has them.")
    if path.suffix.lower() not in kinds:
        raise _refused(f"{path}: the name must end in {' or '.join(kinds)}.")
    if not path.parent.is_dir():
        raise _refused(f"there is no folder {path.parent}.")


def _refused(hint: str) -> click.BadParameter:
    return click.BadParameter(hint, param_hint="'--join'")


def write_joined(join: str, choice: DataChoice, labels: Labels) -> None:
    """Write the table, complete or not at all."""
    with whole_file(Path(join)) as file:
        if Path(join).suffix.lower() in PARQUET:
            parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
            table = parquet.read_table(choice.data)
            parquet.write_table(table.append_column(_free(table.schema.names), [labels]), file)
        elif choice.data == "-":
            with input_file() as path:
                file.write(_joined(STANDARD_INPUT, path, join, labels).encode())
        else:
            file.write(_joined(choice.data, Path(choice.data), join, labels).encode())


def _joined(name: str, data: Path, join: str, labels: Labels) -> str:
    """The records as they are, each with its label; a table without names stays without."""
    table = text_records(name, data)
    text = io.StringIO()
    delimiter = "\t" if Path(join).suffix.lower() == ".tsv" else table.delimiter
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    if table.has_header:
        writer.writerow([*table.names, _free(table.names)])
    for record, label in zip(table.records, labels.tolist(), strict=True):
        writer.writerow([*record, label])
    return text.getvalue()


def _free(names: list[str]) -> str:
    """A name for the column of labels that no other has.

    Examples
    --------
    >>> _free(["width"]), _free(["label", "width"])
    ('label', 'label_2')
    """
    taken = (name for name in (COLUMN, *(f"{COLUMN}_{n}" for n in range(2, len(names) + 3))))
    return next(name for name in taken if name not in names)
