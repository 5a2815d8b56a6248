"""`subspan datasets`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from subspan.cli.options import json_option, quiet_option, speaker
from subspan.datasets.catalog import DATASETS, data_folder, find_dataset
from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.datasets.catalog import DatasetInfo

HEADINGS = ("name", "rows", "columns", "classes", "file")

data_dir_option = click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the data files.  [default: the environment variable SUBSPAN_DATA]",
)


@click.group()
def datasets() -> None:
    """The paper's data sets: what is there, and how to make it.

    \b
    Examples:
      subspan datasets list --data-dir data
      subspan datasets build mnist --from downloads/mnist --data-dir data
    """  # noqa: D301 (click needs the character itself)


@datasets.command("list")
@data_dir_option
@json_option
@quiet_option
def list_datasets(data_dir: Path | None, as_json: bool, quiet: bool) -> None:
    """Show which data sets the data folder holds.

    \b
    Example:
      subspan datasets list --data-dir data
    """  # noqa: D301 (click needs the character itself)
    folder = data_folder(data_dir)
    found = [_facts(info, folder) for info in DATASETS.values()]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    lines = [HEADINGS, *(_line(facts) for facts in found)]
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    for name, *numbers, file in lines:
        aligned = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        click.echo("  ".join([name.ljust(widths[0]), *aligned, file]))
    if any(line[-1] == "missing" for line in lines):
        speaker(quiet)("A missing one is made by: subspan datasets build NAME --from PATH")


@datasets.command("build")
@click.argument("name", metavar="NAME", type=click.Choice(list(DATASETS)))
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder of the unpacked official release.",
)
@data_dir_option
@quiet_option
def build(name: str, source: Path, data_dir: Path | None, quiet: bool) -> None:
    """Make the file of a data set from its official release.

    NAME is one of those that `subspan datasets list` shows.

    \b
    Example:
      subspan datasets build mnist --from downloads/mnist --data-dir data
    """  # noqa: D301 (click needs the character itself)
    from subspan.datasets import build_dataset

    stored = build_dataset(name, source, data_dir=data_dir, progress=not quiet)
    click.echo(f"{stored.path}: {stored.n_rows} images of {stored.n_classes} classes")
    expected = find_dataset(name)
    if (stored.n_rows, stored.n_classes) != (expected.n_rows, expected.n_classes):
        usual = f"{expected.n_rows} images of {expected.n_classes} classes"
        speaker(quiet)(f"Note: the complete set has {usual}; is something missing in {source}?")


def _facts(info: DatasetInfo, folder: Path) -> dict[str, Any]:
    """What there is of a data set; the state tells why there is nothing."""
    from subspan.datasets.stored import find_stored

    nothing = dict.fromkeys(HEADINGS) | {"name": info.name}
    try:
        stored = find_stored(info, folder)
    except InputError as error:
        return {**nothing, "state": f"damaged: {error}"}
    if stored is None:
        return {**nothing, "state": "missing"}
    sizes = (stored.n_rows, stored.n_columns, stored.n_classes)
    return dict(zip(HEADINGS, (info.name, *sizes, str(stored.path)), strict=True)) | {"state": "present"}


def _line(facts: dict[str, Any]) -> tuple[str, ...]:
    name, *sizes, file = (facts[heading] for heading in HEADINGS)
    return (name, *("-" if size is None else str(size) for size in sizes), file or facts["state"])
