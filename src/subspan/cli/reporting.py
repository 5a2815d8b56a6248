"""The page that `--report` writes: its options, and what is made of them."""

from __future__ import annotations

import math
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from subspan.cli.completing import files
from subspan.cli.options import DataChoice
from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.base import SubspaceMethod
    from subspan.sources import Source

Command = TypeVar("Command", bound=Callable[..., Any])

PAGE_SUFFIXES = (".html", ".htm")
IMAGE_SHAPE = re.compile(r"(\d+)x(\d+)(x3)?F?")

REPORT_OPTIONS = (
    click.option(
        "--report",
        metavar="FILE",
        shell_complete=files,
        help="Write a page about the result: one .html file.",
    ),
    click.option(
        "--truth",
        metavar="FILE[:COLUMN]",
        shell_complete=files,
        help="File with the true class of each row, and the column or array of it; the word folder takes the "
        "sub-folders of images.",
    ),
    click.option(
        "--row-names",
        metavar="FILE[:COLUMN]",
        shell_complete=files,
        help="For the page: file with a name for each row.  [default: numbers, or names of images]",
    ),
    click.option(
        "--image-shape",
        metavar="HEIGHTxWIDTH[F]",
        help="For the page: rows are images of this size; F if stored column by column, as MATLAB does.  "
        "[default: known for folders of images]",
    ),
)


def report_options(command: Command) -> Command:
    """Give a command the options of the page."""
    for option in reversed(REPORT_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class PageRequest:
    """What the user wants to have on the page, if there is to be one."""

    report: str | None = None
    truth: str | None = None
    row_names: str | None = None
    image_shape: str | None = None

    def check(self) -> None:
        """Everything about the options that can be known before the data are looked at."""
        if self.report is None:
            self._check_unused()
            return
        path = Path(self.report)
        if path.suffix.lower() not in PAGE_SUFFIXES:
            raise _refused(f"{path}: the name must end in .html.")
        if not path.parent.is_dir():
            raise _refused(f"there is no folder {path.parent}.")
        if path.is_dir():
            raise _refused(f"{path} is a folder.")
        if self.image_shape is not None and not IMAGE_SHAPE.fullmatch(self.image_shape):
            hint = f"{self.image_shape!r} is not a size; write it like 48x42."
            raise click.BadParameter(hint, param_hint="'--image-shape'")

    def _check_unused(self) -> None:
        given = {"--row-names": self.row_names, "--image-shape": self.image_shape}
        for option, value in given.items():
            if value is not None:
                raise click.UsageError(
                    f"{option} changes nothing but the page of --report, which is not given."
                )

    def contents(self, source: Source) -> dict[str, Any]:
        """What the files hold, read before the work as well: a wrong one must not cost a long run."""
        # Imported here: the help of all verbs must not wait for scientific libraries.
        from subspan.cli.truth import read_classes, read_names

        n_columns = source.shape[1]
        found: dict[str, Any] = {}
        if self.truth is not None:
            found["truth"] = read_classes("--truth", self.truth, source)
        if self.row_names is not None:
            found["names"] = read_names("--row-names", self.row_names, source).tolist()
        if self.image_shape is not None:
            shape = tuple(int(side) for side in self.image_shape.rstrip("F").split("x"))
            if math.prod(shape) != n_columns:
                raise InputError(
                    f"--image-shape {self.image_shape}: has {math.prod(shape)} values, but {source.name} has "
                    f"{n_columns} columns."
                )
            found["image_shape"] = shape
            found["image_order"] = "F" if self.image_shape.endswith("F") else "C"
        return found


def _refused(hint: str) -> click.BadParameter:
    return click.BadParameter(hint, param_hint="'--report'")


@dataclass(frozen=True)
class CommandRun:
    """What was clustered, and how its part of the file was chosen."""

    estimator: SubspaceMethod
    source: Source
    choice: DataChoice
    remarks: Sequence[str]


def write_page(path: str, run: CommandRun, contents: dict[str, Any]) -> None:
    """The page, with the command that was typed."""
    from subspan.report import Origin, write_report

    # What was chosen by names and patterns is now known.
    columns = list(run.source.columns) if run.choice.columns or run.choice.left_out else None
    command = shlex.join(["subspan", *sys.argv[1:]])
    key = "grey" if run.choice.grey else run.choice.key
    origin = Origin(command=command, key=key, columns=columns, remarks=run.remarks)
    write_report(run.estimator, path, run.source, origin=origin, **contents)
