"""The .npz files of the data folder: read with suspicion, written as a whole."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.datasets.catalog import DatasetInfo
from subspan.execution.files import whole_file
from subspan.handover import InputError

Array = NDArray[Any]

# The largest set has 55 MB; a file that unpacks to more than this is not one of ours.
MOST_STORED_BYTES = 2**30


@dataclass(frozen=True)
class Stored:
    """What a data file says about itself, read without its images."""

    path: Path
    n_rows: int
    n_columns: int
    n_classes: int


def read_arrays(
    info: DatasetInfo, folder: Path, names: list[str] | None = None, *, most_bytes: int = MOST_STORED_BYTES
) -> dict[str, Array]:
    """Arrays of a data file, all or those named; a missing or damaged one is answered with what to do."""
    path = folder / info.filename
    if not path.is_file():
        raise InputError(
            f"There is no {info.filename} in {folder}: get {info.release} and run '{info.build_command}', "
            f"where PATH is the folder that holds them."
        )
    try:
        _check_size(path, most_bytes)
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in (names or file.files)}
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, OSError) as error:
        raise _damaged(path, info, error) from error


def read_images(info: DatasetInfo, folder: Path) -> tuple[dict[str, Array], Array]:
    """Arrays of a data file, checked against each other, and its images as (image, row, column)."""
    arrays = read_arrays(info, folder)
    path = folder / info.filename
    try:
        X, y = arrays["X"], arrays["y"]
        height, width = (int(side) for side in arrays["image_shape"])
        order = str(arrays["pixel_order"])
        if order not in ("C", "F") or X.shape != (len(y), height * width) or X.dtype != np.uint8:
            raise ValueError(
                f"X is {X.dtype} of shape {X.shape} for {height} x {width} pixels, order {order}"
            )
    except (KeyError, ValueError, TypeError) as error:
        raise _damaged(path, info, error) from error
    if order == "F":
        return arrays, np.ascontiguousarray(X.reshape(-1, width, height).transpose(0, 2, 1))
    return arrays, X.reshape(-1, height, width)


def find_stored(info: DatasetInfo, folder: Path) -> Stored | None:
    """Size of a data file without unpacking its images; None if there is no file."""
    path = folder / info.filename
    if not path.is_file():
        return None
    classes = read_arrays(info, folder, ["y"])["y"]
    try:
        with zipfile.ZipFile(path) as archive, archive.open("X.npy") as member:
            version = np.lib.format.read_magic(member)
            reader = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }
            (n_rows, n_columns), _, _ = reader[version](member)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise _damaged(path, info, error) from error
    return Stored(path, n_rows, n_columns, len(np.unique(classes)))


def write_images(info: DatasetInfo, folder: Path, images: Array, y: Array, **more: Array) -> Stored:
    """Write the data file of images (image, row, column) with their labels."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / info.filename
    X = images.reshape(len(images), -1)
    shape, order = np.array(images.shape[1:]), np.array("C")
    arrays: dict[str, Any] = {"X": X, "y": y, "image_shape": shape, "pixel_order": order, **more}
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)
    return Stored(path, *X.shape, len(np.unique(y)))


def _check_size(path: Path, most_bytes: int) -> None:
    """Refuse an archive that says it unpacks to far more than any of the data sets."""
    with zipfile.ZipFile(path) as archive:
        total = sum(member.file_size for member in archive.infolist())
    if total > most_bytes:
        raise ValueError(f"it would unpack to {total / 1e9:.1f} GB")


def _damaged(path: Path, info: DatasetInfo, error: Exception) -> InputError:
    return InputError(
        f"{path} is not a sound file of {info.title} ({error}): make it again with '{info.build_command}'."
    )
