"""What several verbs have in common: options, which data are meant, and where messages go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object about the run.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress and no messages other than errors.")

# What people type who mean -k.
TYPED_FOR_K = ("--k", "--clusters", "--n_clusters")


class DataCommand(click.Command):
    """A command that reads DATA, with an answer to what people often type."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Turn two common mistakes into a hint."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self.unknown_option(error, ctx) from None
        except click.UsageError as error:
            raise _too_many(error, ctx) from None

    def unknown_option(self, error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
        """The answer to an unknown option: what may have been meant."""
        if error.option_name in TYPED_FOR_K and any("-k" in param.opts for param in self.get_params(ctx)):
            return click.UsageError(
                f"No such option {error.option_name}. The number of clusters is -k, as in -k 3.", ctx
            )
        # One suggestion is enough: of all that click finds, the first is the closest.
        hint = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return click.UsageError(f"No such option {error.option_name}.{hint}", ctx)


def _too_many(error: click.UsageError, ctx: click.Context) -> click.UsageError:
    """The answer to more than one DATA, which a shell makes of faces/*.png."""
    begins = "Got unexpected extra argument"
    if not error.message.startswith(begins):
        return error
    extra = error.message.partition("(")[2].rstrip(")").split()
    shown = " ".join(extra[:2]) + (f" and {len(extra) - 2} more" if len(extra) > 2 else "")
    return click.UsageError(
        f"DATA is one file or one folder, but there is more: {shown}. A folder of images is given by its own "
        "name, without *.",
        ctx,
    )


# Names of columns, with commas between them.
NAMES = "A,B,..."


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(","))


DATA_OPTIONS = (
    # A path also completes names of files in the shell.
    click.argument("data", type=click.Path(allow_dash=True)),
    click.option("--key", help="Which array of a .npz, HDF5, MATLAB or Zarr file."),
    click.option(
        "--columns",
        metavar=NAMES,
        callback=_names,
        help="Which columns of a table; 'sensor_*' means all that begin so.  [default: all]",
    ),
    click.option("--exclude", metavar=NAMES, callback=_names, help="Columns of a table to leave out."),
    click.option("--id", "row_id", metavar="COLUMN", help="The column of a table that names the rows."),
    click.option(
        "--mask",
        metavar="FILE[:ARRAY]",
        help="For a cube of lines, columns and bands, whose pixels are points: an image that is 0 where a "
        "pixel is left out.",
    ),
    click.option("--grey", is_flag=True, help="Turn the colours of images into grey."),
    click.option("--transpose", is_flag=True, help="Points are the columns of DATA, not its rows."),
)


@dataclass(frozen=True)
class DataChoice:
    """Which rows and columns are meant, as the options say."""

    data: str
    key: str | None = None
    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    row_id: str | None = None
    mask: str | None = None
    grey: bool = False
    transpose: bool = False

    @property
    def left_out(self) -> tuple[str, ...] | None:
        """Columns that are not data: those excluded, and the one that names the rows."""
        names = (*(self.exclude or ()), *([self.row_id] if self.row_id is not None else []))
        return names or None


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of the data; it gets them as one `DataChoice`, its first argument."""

    @wraps(command)
    def with_choice(**given: Any) -> Any:
        choice = DataChoice(**{field.name: given.pop(field.name) for field in fields(DataChoice)})
        return command(choice, **given)

    for option in reversed(DATA_OPTIONS):
        with_choice = option(with_choice)
    return with_choice


def speaker(quiet: bool) -> Callable[[str], None]:
    """What to call with a message: it goes to standard error, or nowhere."""
    return _silent if quiet else say


def say(line: str) -> None:
    """A message on standard error; in a terminal, lines end between words."""
    click.echo(wrapped(line), err=True)


def inert(text: str) -> str:
    r"""Text in which nothing can steer a terminal: names of files and columns may hold any character.

    Examples
    --------
    >>> inert("a\x1b[31m.npy: is\n\tred")
    'a\\x1b[31m.npy: is\n\tred'
    """
    return "".join(char if char.isprintable() or char in "\n\t" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode()


def wrapped(text: str) -> str:
    """Text for a person: as wide as the terminal, and with nothing that could steer it."""
    import shutil
    import sys
    import textwrap

    text = inert(text)
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    width = shutil.get_terminal_size().columns
    # Paths and numbers stay whole, so that they can be copied.
    lines = [
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    ]
    return "\n".join(lines)


def _silent(line: str) -> None:
    """Nothing to say."""
