"""COIL-100 from its PNG files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from subspan.datasets.catalog import find_dataset
from subspan.datasets.official.release import Collected, Grey, block_mean, find_files, read_all, read_grey
from subspan.handover import InputError

COIL_FILE = re.compile(r"obj(\d+)__(\d+)\.png")
COIL_SIZE = (128, 128)


def collect_coil(root: Path, progress: bool) -> Collected:
    """Views by object and angle, in grey, 4 x 4 pixels averaged."""
    paths = find_files(root, "obj*__*.png", find_dataset("coil100"))
    numbered = sorted((*_object_and_angle(path), path) for path in paths)
    objects, angles, ordered = zip(*numbered, strict=True)
    images = read_all(ordered, _view, "Views", progress)
    return Collected(images, np.array(objects, np.int16), {"angle": np.array(angles, np.int16)})


def _object_and_angle(path: Path) -> tuple[int, int]:
    match = COIL_FILE.fullmatch(path.name)
    if match is None:
        raise InputError(f"{path} is not named like a view of COIL-100, obj1__0.png.")
    return int(match[1]), int(match[2])


def _view(path: Path) -> Grey:
    return block_mean(np.asarray(read_grey(path, "PNG", COIL_SIZE)), 4)
