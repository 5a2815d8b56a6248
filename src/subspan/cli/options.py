"""What several verbs have in common: options, and where messages go."""

from __future__ import annotations

from collections.abc import Callable

import click

# A path also completes names of files in the shell.
data_argument = click.argument("data", type=click.Path(allow_dash=True))
key_option = click.option("--key", help="Which array of a .npz, HDF5, MATLAB or Zarr file.")
columns_option = click.option(
    "--columns", metavar="A,B,...", help="Which columns of a table.  [default: all]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object about the run.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress and no messages other than errors.")


def speaker(quiet: bool) -> Callable[[str], None]:
    """What to call with a message: it goes to standard error, or nowhere."""
    return _silent if quiet else _say


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silent(line: str) -> None:
    """Nothing to say."""
