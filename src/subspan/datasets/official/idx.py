"""MNIST from its four idx files, packed with gzip or not."""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from subspan.datasets.catalog import find_dataset
from subspan.datasets.official.release import Collected, find_files
from subspan.handover import InputError

# An idx file begins with two zero bytes, the code of unsigned bytes, and its number of axes.
UNSIGNED_BYTES = b"\x00\x00\x08"
# Far more than any of the four files unpacks to.
MOST_IDX_BYTES = 2**28


def collect_idx(root: Path, progress: bool) -> Collected:
    """Training images first, then test images; quick enough to need no progress."""
    del progress
    parts = [_part(root, part) for part in ("train", "t10k")]
    images, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Collected(images, y.astype(np.int8))


def read_idx(path: Path, n_axes: int) -> NDArray[np.uint8]:
    """The array of unsigned bytes in an idx file."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            start = file.read(4 * (1 + n_axes))
            if start[:4] != UNSIGNED_BYTES + bytes([n_axes]) or len(start) < 4 * (1 + n_axes):
                raise InputError(f"{path} is not an idx file of unsigned bytes with {n_axes} axes.")
            shape = [int(side) for side in np.frombuffer(start, ">u4", offset=4)]
            expected = math.prod(shape)
            values = file.read(min(expected, MOST_IDX_BYTES) + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged or cut short: {error}.") from error
    if len(values) != expected:
        more = "more than" if len(values) > expected else "only"
        raise InputError(
            f"{path} is damaged or cut short: {expected} bytes announced, {more} "
            f"{min(len(values), expected)} there."
        )
    return np.frombuffer(values, np.uint8).reshape(shape)


def _part(root: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    info = find_dataset("mnist")
    # Some copies of the files have a dot where the others have a hyphen.
    (image_path, *_), (label_path, *_) = (
        find_files(root, f"{part}-{what}?idx{axes}-ubyte*", info)
        for what, axes in (("images", 3), ("labels", 1))
    )
    images, labels = read_idx(image_path, 3), read_idx(label_path, 1)
    if images.shape[1:] != (28, 28):
        raise InputError(f"{image_path} has images of shape {images.shape[1:]} instead of (28, 28).")
    if len(images) != len(labels):
        raise InputError(
            f"{image_path} has {len(images)} images, but {label_path.name} {len(labels)} labels."
        )
    if labels.max(initial=0) > 9:
        raise InputError(f"{label_path}: label {labels.max()} at row {labels.argmax()} is no digit.")
    return images, labels
