"""Fourteen classes of GTSRB from its training images, listed in one CSV file for each class."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from subspan.datasets.catalog import TRAFFIC_SIGNS, find_dataset
from subspan.datasets.official.release import Collected, Grey, find_files, read_grey
from subspan.execution.progress import progress_bar
from subspan.handover import InputError

# Track and number within the track.
GTSRB_FILE = re.compile(r"(\d{5})_\d{5}\.ppm")
SIDE = 40


@dataclass(frozen=True)
class Listed:
    """A line of a CSV file."""

    path: Path
    size: tuple[int, int]
    track: int


def collect_gtsrb(root: Path, progress: bool) -> Collected:
    """Signs by class, track and distance: whole images with their border, in grey and 40 x 40 pixels."""
    info = find_dataset("gtsrb")
    signs = [
        (kind, sign)
        for kind in TRAFFIC_SIGNS
        for sign in _listed(find_files(root, _csv_name(kind), info)[0], kind)
    ]
    images = np.empty((len(signs), SIDE, SIDE), np.uint8)
    with progress_bar("Signs", len(signs), show=progress) as advance:
        for i, (_, sign) in enumerate(signs):
            images[i] = _sign(sign)
            advance(1)
    y = np.array([kind for kind, _ in signs], np.int16)
    return Collected(images, y, {"track": np.array([sign.track for _, sign in signs], np.int16)})


def _csv_name(kind: int) -> str:
    return f"{kind:05d}/GT-{kind:05d}.csv"


def _listed(path: Path, kind: int) -> list[Listed]:
    """Lines of the CSV file of one class, by file name."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file, delimiter=";"))
    if not lines:
        raise InputError(f"{path} lists no images.")
    signs = [_line(path, number, line, kind) for number, line in enumerate(lines, start=2)]
    return sorted(signs, key=lambda sign: sign.path.name)


def _line(path: Path, number: int, line: dict[str, str], kind: int) -> Listed:
    try:
        match = GTSRB_FILE.fullmatch(line["Filename"])
        size = int(line["Width"]), int(line["Height"])
        if match is None or int(line["ClassId"]) != kind:
            raise ValueError(f"{line['Filename']} of class {line['ClassId']}")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}, line {number}, does not list an image of class {kind} ({error})."
        ) from error
    return Listed(path.parent / match[0], size, int(match[1]))


def _sign(sign: Listed) -> Grey:
    image = read_grey(sign.path, "PPM", sign.size)
    # Resampling.BILINEAR is 2 in every release of Pillow; reducing, it averages over all pixels.
    return np.asarray(image.resize((SIDE, SIDE), 2))
