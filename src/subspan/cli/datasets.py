"""`subspan datasets`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspan.datasets.catalog import DATASETS, data_folder, find_dataset
from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.datasets.catalog import DatasetInfo
    from subspan.datasets.stored import Stored

data_dir_option = click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the data files.  [default: the environment variable SUBSPAN_DATA]",
)


@click.group()
def datasets() -> None:
    """The paper's data sets: what is there, and how to make it."""


@datasets.command("list")
@data_dir_option
def list_datasets(data_dir: Path | None) -> None:
    """Show which data sets the data folder holds.

    \b
    Example:
      subspan datasets list --data-dir data
    """  # noqa: D301 (click needs the character itself)
    folder = data_folder(data_dir)
    lines = [("name", "rows", "columns", "classes", "file")]
    lines += [(info.name, *_columns(info, folder)) for info in DATASETS.values()]
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    for name, *numbers, file in lines:
        aligned = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        click.echo("  ".join([name.ljust(widths[0]), *aligned, file]))
    if any(line[-1] == "missing" for line in lines):
        click.echo("A missing one is made by: subspan datasets build NAME --from PATH", err=True)


@datasets.command("build")
@click.argument("name", type=click.Choice(list(DATASETS)))
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder of the unpacked official release.",
)
@data_dir_option
def build(name: str, source: Path, data_dir: Path | None) -> None:
    """Make the file of a data set from its official release.

    \b
    Example:
      subspan datasets build mnist --from downloads/mnist --data-dir data
    """  # noqa: D301 (click needs the character itself)
    from subspan.datasets import build_dataset

    stored = build_dataset(name, source, data_dir=data_dir, progress=True)
    click.echo(f"{stored.path}: {stored.n_rows} images of {stored.n_classes} classes")
    expected = find_dataset(name)
    if (stored.n_rows, stored.n_classes) != (expected.n_rows, expected.n_classes):
        usual = f"{expected.n_rows} images of {expected.n_classes} classes"
        click.echo(f"Note: the complete set has {usual}; is something missing in {source}?", err=True)


def _columns(info: DatasetInfo, folder: Path) -> tuple[str, str, str, str]:
    from subspan.datasets.stored import look

    try:
        stored: Stored | None = look(info, folder)
    except InputError as error:
        return "-", "-", "-", f"damaged: {error}"
    if stored is None:
        return "-", "-", "-", "missing"
    return str(stored.n_rows), str(stored.n_columns), str(stored.n_classes), str(stored.path)
