"""Pixels of an image with many bands, such as a hyperspectral cube, as rows."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.base import Source
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_table


@dataclass(frozen=True)
class PixelSource(ArraySource):
    """Each pixel is a row with a number for each band, line by line; a mask leaves pixels out.

    Examples
    --------
    >>> cube = np.arange(24.0).reshape(2, 3, 4)
    >>> source = open_cube(cube, "cube")
    >>> source.shape, source.rows(5, 6).tolist()
    ((6, 4), [[20.0, 21.0, 22.0, 23.0]])
    >>> masked(source, [[1, 0, 1], [0, 0, 1]]).label_map([7, 8, 9]).tolist()
    [[7, -1, 8], [-1, -1, 9]]
    """

    # Lines and columns of the image.
    map_shape: tuple[int, int] = (0, 0)
    # Place of each row among all pixels, line by line.
    pixels: NDArray[np.int64] | None = None

    @property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Line and column of each row."""
        chosen = np.arange(self.shape[0]) if self.pixels is None else self.pixels
        lines, columns = np.unravel_index(chosen, self.map_shape)
        return lines, columns

    @property
    def names(self) -> list[str]:
        """What each pixel is called."""
        lines, columns = self.places
        return [f"line {i}, column {j}" for i, j in zip(lines.tolist(), columns.tolist(), strict=True)]

    def label_map(self, labels: ArrayLike) -> NDArray[np.int64]:
        """Labels of the rows as an image; -1 where the mask leaves pixels out."""
        found = np.full(self.map_shape, -1, np.int64)
        found[self.places] = labels
        return found

    def of_map(self, image: NDArray[Any]) -> NDArray[Any]:
        """The entries of an image of the same size that belong to the rows."""
        return image[self.places]


def open_cube(cube: NDArray[Any], name: str, stamp: str = "") -> PixelSource:
    """The pixels of an array of lines, columns and bands."""
    height, width, n_bands = cube.shape
    shape = check_table(name, (height * width, n_bands))
    rows = np.ascontiguousarray(cube, float_type(cube.dtype, name)).reshape(shape)
    return PixelSource(rows, name, stamp=stamp, map_shape=(height, width))


def masked(source: Source, mask: ArrayLike) -> PixelSource:
    """Only the pixels where the mask is not zero."""
    if not isinstance(source, PixelSource):
        raise InputError(
            "{mask:name}: is for cubes of lines, columns and bands, which {} is not.", source.name, mask=None
        )
    shown = np.asarray(mask)
    if shown.shape != source.map_shape:
        raise InputError(
            "{mask:name}: has shape {}, but {} has {} x {} pixels.",
            *(shown.shape, source.name, *source.map_shape),
            mask=None,
        )
    pixels = np.flatnonzero(shown)
    if not pixels.size:
        raise InputError("{mask:name}: leaves no pixel of {}.", source.name, mask=None)
    return PixelSource(
        source.array[pixels],
        source.name,
        stamp=f"{source.stamp} pixels={blake2b(pixels.tobytes(), digest_size=8).hexdigest()}".strip(),
        map_shape=source.map_shape,
        pixels=pixels,
    )
