"""Rows from a folder of images: one image, one row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.extras import optional_import
from subspan.handover import InputError
from subspan.sources.chunked import ChunkedSource, even_bounds
from subspan.sources.faults import reading

IMAGE_SUFFIXES = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff")
# Decoders that may be tried: Pillow would go by the content, and some kinds start other programs.
DECODERS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF")


class ImageFolder(ChunkedSource):
    """The images in a folder and those below it, in the order of their names; all of one size.

    Parameters
    ----------
    path : Path
        The folder. Files that are not images are passed over.
    grey : bool
        Turn colours into grey; otherwise a colour image is flattened with its three colours.
    """

    def __init__(self, path: Path, grey: bool = False) -> None:
        name = str(path)
        self._pillow = optional_import("PIL.Image", package="pillow", extra="images")
        with reading(name):
            self.files = sorted(file for file in path.rglob("*") if _is_image(file.relative_to(path)))
        if not self.files:
            raise InputError(f"{name}: has no images; those known end in {', '.join(IMAGE_SUFFIXES)}.")
        self._grey = grey
        self._folder = path
        self._form: tuple[tuple[int, ...], np.dtype] | None = None
        first = self._pixels(self.files[0])
        self._form = (first.shape, first.dtype)
        super().__init__(
            name=name,
            shape=(len(self.files), first.size),
            stored=first.dtype,
            bounds=even_bounds(len(self.files), 1, first.nbytes),
            path=path,
            recipe=(path.absolute(), grey),
        )

    @property
    def image_shape(self) -> tuple[int, ...]:
        """(height, width) of each image, or (height, width, 3) in colours."""
        assert self._form is not None
        return self._form[0]

    @property
    def names(self) -> list[str]:
        """Path of each image below the folder, as it is written on all systems."""
        return [file.relative_to(self._folder).as_posix() for file in self.files]

    @property
    def folders(self) -> list[str]:
        """Folder of each image below the folder; "." for those that lie in it."""
        return [file.relative_to(self._folder).parent.as_posix() for file in self.files]

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        return np.stack([self._pixels(file).ravel() for file in self.files[start:stop]])

    def _pixels(self, file: Path) -> NDArray[Any]:
        """Pixels of an image, as (row, column) or (row, column, colour)."""
        with reading(str(file)), self._pillow.open(file, formats=DECODERS) as image:
            if self._form is not None and image.size[::-1] != self._form[0][:2]:
                raise self._unequal()
            pixels = np.asarray(image.convert(self._mode(image.mode)))
        if self._form is not None and (pixels.shape, pixels.dtype) != self._form:
            raise self._unequal()
        return pixels

    def _mode(self, mode: str) -> str:
        """Pillow's name of what is made of an image: grey of 8 or 16 bits, or three colours."""
        if mode.startswith("I;16") or mode in ("I", "F"):
            return mode
        return "L" if self._grey or mode in ("1", "L", "LA") else "RGB"

    def _unequal(self) -> InputError:
        """The error about images of several sizes, which names images of the rarer sizes."""
        sizes = {name: self._size(file) for name, file in zip(self.names, self.files, strict=True)}
        (common, n_common), *_ = Counter(sizes.values()).most_common(1)
        odd = [name for name, size in sizes.items() if size != common]
        more = f" ({len(odd) - 1} more differ)" if len(odd) > 1 else ""
        return InputError(
            f"{self.name}: {odd[0]} has {sizes[odd[0]]} pixels{more}, but {n_common} of {len(sizes)} images "
            f"have {common}; all must be of one size."
        )

    def _size(self, file: Path) -> str:
        with reading(str(file)), self._pillow.open(file, formats=DECODERS) as image:
            colours = " x 3" if self._mode(image.mode) == "RGB" else ""
            return " x ".join(map(str, image.size[::-1])) + colours


def _is_image(file: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.parts)
    return file.suffix.lower() in IMAGE_SUFFIXES and not hidden
