"""What the builders share: finding files and reading grey images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.datasets.catalog import DatasetInfo
from subspan.execution.progress import progress_bar
from subspan.extras import optional_import
from subspan.handover import InputError

Grey = NDArray[np.uint8]

# Folders that an archive may have put around its files.
FOLDER_DEPTH = 3


@dataclass(frozen=True)
class Collected:
    """Images of a release (image, row, column), their labels and whatever else is worth keeping."""

    images: Grey
    y: NDArray[np.integer]
    more: dict[str, NDArray[np.integer]] = field(default_factory=dict)


def find_files(root: Path, pattern: str, info: DatasetInfo) -> list[Path]:
    """Files of this name in the uppermost of the folders below `root` that hold any, sorted."""
    for depth in range(FOLDER_DEPTH + 1):
        found = sorted(root.glob("*/" * depth + pattern))
        if found:
            return found
    raise InputError(f"No file {pattern} was found in {root}: PATH has to hold {info.release}.")


def read_grey(path: Path, kind: str, size: tuple[int, int] | None = None) -> Any:
    """A Pillow image in grey; `kind` is Pillow's name of the format, `size` the (width, height) expected."""
    pillow = optional_import("PIL.Image", package="pillow", extra="images")
    try:
        # Only one decoder is tried, and the size is known before any pixel is decoded.
        with pillow.open(path, formats=(kind,)) as image:
            if size is not None and image.size != size:
                raise ValueError(f"{image.size[0]} x {image.size[1]} pixels instead of {size[0]} x {size[1]}")
            return image.convert("L")
    except (OSError, SyntaxError, ValueError, pillow.DecompressionBombError) as error:
        raise InputError(f"{path} is not a sound {kind} image: {_reason(error)}.") from error


def _reason(error: Exception) -> str:
    return "it cannot be recognised" if "cannot identify" in str(error) else str(error).rstrip(".")


def block_mean(image: NDArray[np.generic], side: int) -> Grey:
    """The image reduced by averaging squares of side x side pixels.

    Examples
    --------
    >>> block_mean(np.array([[0, 2], [4, 6]]), 2).tolist()
    [[3]]
    """
    height, width = image.shape
    squares = image.reshape(height // side, side, width // side, side)
    return np.asarray(np.rint(squares.mean(axis=(1, 3))), np.uint8)


def read_all(paths: Sequence[Path], read: Callable[[Path], Grey], what: str, progress: bool) -> Grey:
    """Images of all files as one array."""
    images = []
    with progress_bar(what, len(paths), show=progress) as advance:
        for path in paths:
            images.append(read(path))
            advance(1)
    return np.stack(images)
