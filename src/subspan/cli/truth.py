"""What is known of each row: its class, or its name."""

from __future__ import annotations

from pathlib import Path

from subspan.cli.labels import Labels, read_labels, refuse_missing, tidied
from subspan.handover import InputError
from subspan.sources import PixelSource, Source
from subspan.sources.images import ImageFolder

# Instead of a file: the class of an image is the folder that it lies in.
FOLDER = "folder"


def read_classes(option: str, place: str, source: Source) -> Labels:
    """The class of each row, of a file or of its column, FILE or FILE:COLUMN; none may be missing."""
    classes = _of_rows(option, place, source)
    # Otherwise it would be found after the work, and cost its result.
    refuse_missing(f"{option} {place}", classes)
    return classes


def read_names(option: str, place: str, source: Source) -> Labels:
    """The name of each row, likewise; NA may be one."""
    from subspan.metrics.checks import number_classes

    names = _of_rows(option, place, source)
    number_classes(f"{option} {place}", names)
    return names


def _of_rows(option: str, place: str, source: Source) -> Labels:
    n_rows, n_columns = source.shape
    if isinstance(source, PixelSource):
        return _of_pixels(option, place, source)
    entries = _folders(option, source) if place == FOLDER else _read(option, place, source)
    if len(entries) == n_rows:
        return entries
    hint = " Are points the columns of the data? Then add --transpose." if len(entries) == n_columns else ""
    raise InputError(
        f"{option} {place}: has {len(entries)} entries, but {source.name} has {n_rows} rows.{hint}"
    )


def _of_pixels(option: str, place: str, source: PixelSource) -> Labels:
    """An image of the same size, or one entry for each row."""
    from subspan.cli.images import read_image

    image = read_image(option, place)
    if image.shape == source.map_shape:
        return tidied(source.of_map(image))
    if image.size == source.shape[0] and 1 in image.shape:
        return tidied(image.ravel())
    height, width = source.map_shape
    raise InputError(
        f"{option} {place}: has shape {image.shape}, but {source.name} has {height} x {width} pixels."
    )


def _folders(option: str, source: Source) -> Labels:
    import numpy as np

    if not isinstance(source, ImageFolder):
        raise InputError(f"{option} {FOLDER}: is for folders of images, which {source.name} is not.")
    classes = np.array(source.folders)
    if len(set(source.folders)) == 1:
        raise InputError(f"{option} {FOLDER}: all images of {source.name} lie in one folder.")
    return classes


def _read(option: str, place: str, source: Source) -> Labels:
    file, colon, column = place.rpartition(":")
    # A name with a colon in it may be that of the file.
    whole = not colon or Path(place).exists()
    if whole and Path(place).is_dir() and isinstance(source, ImageFolder):
        raise InputError(
            f"{option} {place}: is a folder; {option} {FOLDER} takes the names of sub-folders as classes."
        )
    if whole and not Path(place).exists() and place.isidentifier():
        raise InputError(
            f"{option} {place}: there is no such file. A column of the data is written {source.name}:{place}."
        )
    try:
        return read_labels(place if whole else file, None if whole else column, f"{option} {place}:NAME")
    except InputError as error:
        raise InputError(f"{option} {error}") from None
