"""Files that a command writes: none of them may be one that it reads, or writes otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click


def check_places(written: Mapping[str, str | None], read: Mapping[str, str | None]) -> None:
    """Refuse a command that would overwrite what it reads, or one result by another.

    Parameters
    ----------
    written : mapping
        Options and the files that they name, if any.
    read : mapping
        What is read, such as "the data", and its file, perhaps with a column: FILE or FILE:COLUMN.
    """
    taken = {_resolved(place): what for what, place in read.items() if place not in (None, "-")}
    for option, place in written.items():
        if place in (None, "-"):
            continue
        path = Path(str(place)).resolve()
        if path in taken:
            hint = f"{place} is {taken[path]}; take another name."
            raise click.BadParameter(hint, param_hint=f"'{option}'")
        taken[path] = f"the file of {option}"


def _resolved(place: str | None) -> Path:
    path = Path(str(place))
    file, colon, _ = str(place).rpartition(":")
    # A name with a colon in it may be that of the file.
    return (Path(file) if colon and not path.exists() else path).expanduser().resolve()
