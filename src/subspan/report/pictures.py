"""Rows that are images, as small pictures in the page."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from subspan.plotting.numbers import tiles
from subspan.report.material import Material
from subspan.report.png import picture_uri

# Numbers in all pictures together, so that the page stays small enough to be sent.
MOST_NUMBERS = 1_000_000


def pictures(material: Material, rows: Iterable[int]) -> dict[int, str]:
    """Addresses of the pictures of some rows; none if the rows are not images."""
    if material.image_shape is None:
        return {}
    shown = np.unique(np.fromiter(rows, np.intp))
    # As plain rows: what a picture is made of may be stored line by line or column by column.
    pixels = tiles(material.source, shown, (1, math.prod(material.image_shape)))[:, 0]
    step = _step(pixels)
    images = (np.reshape(one, material.image_shape, order=material.image_order) for one in pixels)
    return {
        int(row): picture_uri(np.rint(255 * _shrunk(image, step)).astype(np.uint8))
        for row, image in zip(shown, images, strict=True)
    }


def _step(pixels: NDArray[np.float64]) -> int:
    """Pixels that become one in both directions, until all pictures fit."""
    return max(1, int(np.ceil(np.sqrt(pixels.size / MOST_NUMBERS))))


def _shrunk(image: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    height, width = (side // step * step for side in image.shape[:2])
    if step == 1 or not height or not width:
        return image
    blocks = image[:height, :width].reshape(height // step, step, width // step, step, -1)
    means: NDArray[np.float64] = blocks.mean(axis=(1, 3))
    return means.reshape(height // step, width // step, *image.shape[2:])
