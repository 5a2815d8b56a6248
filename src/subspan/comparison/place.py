"""Where the results of a comparison go: one file, known by its ending, or a folder for all of them."""

from __future__ import annotations

from pathlib import Path

from subspan.handover import InputError

ENDINGS = (".csv", ".md", ".tex", ".svg", ".png")


def is_file(path: Path) -> bool:
    """Whether a path names one file and not a folder for all of them.

    Examples
    --------
    >>> is_file(Path("table.tex")), is_file(Path("results"))
    (True, False)
    """
    return path.suffix.lower() in ENDINGS and not path.is_dir()


def check_place(path: Path) -> None:
    """Refuse a path that is neither a folder nor a file of a kind that can be written."""
    if is_file(path):
        if not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}.")
    elif path.is_file() or (path.suffix and not path.is_dir()):
        known = ", ".join(ENDINGS)
        raise InputError(f"{path}: the name must end in one of {known}, or be that of a folder.")
