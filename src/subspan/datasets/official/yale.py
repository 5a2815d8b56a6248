"""Extended Yale B from its cropped PGM files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from subspan.datasets.catalog import find_dataset
from subspan.datasets.official.release import Collected, Grey, block_mean, find_files, read_all, read_grey
from subspan.handover import InputError

# The light is named by two angles. Images without a light (Ambient) and bad ones (.bad) do not fit the name.
YALE_FILE = re.compile(r"yaleB(\d\d)_P\d\dA[+-]\d{3}E[+-]\d\d\.pgm")
YALE_SIZE = (168, 192)


def collect_yale(root: Path, progress: bool) -> Collected:
    """Faces by person and light, 4 x 4 pixels averaged; persons are numbered from 1 without gaps."""
    info = find_dataset("extended_yale_b")
    matches = [(YALE_FILE.fullmatch(path.name), path) for path in find_files(root, "yaleB??_P*.pgm", info)]
    faces = [(int(match[1]), path) for match, path in matches if match is not None]
    if not faces:
        raise InputError(f"{root} holds no image named like yaleB01_P00A+000E+00.pgm.")
    persons, paths = zip(*faces, strict=True)
    # The release has no person 14.
    _, y = np.unique(persons, return_inverse=True)
    images = read_all(paths, _face, "Faces", progress)
    return Collected(images, (y + 1).astype(np.int16), {"person": np.array(persons, np.int16)})


def _face(path: Path) -> Grey:
    return block_mean(np.asarray(read_grey(path, "PPM", YALE_SIZE)), 4)
