"""Images on the command line: masks and known maps that are read, and the map of labels that is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from subspan.execution.files import whole_file
from subspan.extras import optional_import
from subspan.handover import InputError
from subspan.report.png import label_png
from subspan.sources import PixelSource, Source, open_source
from subspan.sources.faults import reading
from subspan.sources.images import DECODERS, IMAGE_SUFFIXES

PNG, NUMBERS = ".png", ".npy"


def read_image(option: str, place: str) -> NDArray[Any]:
    """A table of numbers or a grey picture as an array of lines and columns."""
    file, colon, key = place.rpartition(":")
    # A name with a colon in it may be that of the file.
    if not colon or Path(place).exists():
        file, key = place, ""
    try:
        if Path(file).suffix.lower() in IMAGE_SUFFIXES:
            return _pixels(file)
        source = open_source(file, key=key or None)
    except InputError as error:
        raise InputError(f"{option} {error}") from None
    return np.asarray(source.rows(0, source.shape[0]))


def _pixels(file: str) -> NDArray[Any]:
    if not Path(file).is_file():
        raise InputError(f"{file}: there is no such file.")
    pillow = optional_import("PIL.Image", package="pillow", extra="images")
    with reading(file), pillow.open(file, formats=DECODERS) as image:
        return np.asarray(image.convert("L"))


def check_map(label_map: str | None) -> None:
    """Everything about the place of the map that can be known before the data are opened."""
    if label_map is None:
        return
    path = Path(label_map)
    if path.suffix.lower() not in (PNG, NUMBERS):
        raise _refused(f"{path}: the name must end in {PNG} or {NUMBERS}.")
    if not path.parent.is_dir():
        raise _refused(f"there is no folder {path.parent}.")
    if path.is_dir():
        raise _refused(f"{path} is a folder.")


def _refused(hint: str) -> click.BadParameter:
    return click.BadParameter(hint, param_hint="'--map'")


def check_pixels(label_map: str | None, source: Source) -> None:
    """Refuse a map of rows that are no pixels."""
    if label_map is not None and not isinstance(source, PixelSource):
        raise InputError(
            f"--map: is for cubes of lines, columns and bands, and {source.name} is a table of "
            f"{source.shape[0]} rows."
        )


def write_map(label_map: str, source: Source, labels: NDArray[np.int64]) -> None:
    """Labels as an image in the colours of the report, or as numbers; complete or not there at all."""
    assert isinstance(source, PixelSource)
    found = source.label_map(labels)
    with whole_file(Path(label_map)) as file:
        if Path(label_map).suffix.lower() == NUMBERS:
            np.save(file, found, allow_pickle=False)
        else:
            file.write(label_png(found))
