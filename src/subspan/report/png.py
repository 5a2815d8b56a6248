"""Small pictures as PNG, written with nothing but zlib."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from subspan.report.colours import N_COLOURS, palette

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, TRUE_COLOURS, PALETTE = 0, 2, 3


def picture_uri(pixels: NDArray[np.uint8]) -> str:
    """A picture in grey (height, width) or in colours (height, width, 3) as the address of an image.

    Examples
    --------
    >>> picture_uri(np.zeros((2, 2), np.uint8))[:30]
    'data:image/png;base64,iVBORw0K'
    """
    return _uri(png(pixels, GREY if pixels.ndim == 2 else TRUE_COLOURS))


def shade_uri(shades: NDArray[np.uint8], colour: tuple[int, int, int]) -> str:
    """Shades of one colour, from transparent (0) to opaque (255): it shows on light and on dark pages."""
    palette = _chunk(b"PLTE", bytes(colour) * 256) + _chunk(b"tRNS", bytes(range(256)))
    return _uri(png(shades, PALETTE, palette))


def _uri(content: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(content).decode("ascii")


def label_png(labels: NDArray[np.int64]) -> bytes:
    """An image of labels (height, width) in the colours of their clusters; -1 is grey."""
    places = np.where(labels >= 0, labels % N_COLOURS + 1, 0).astype(np.uint8)
    return png(places, PALETTE, _chunk(b"PLTE", palette()))


def label_uri(labels: NDArray[np.int64]) -> str:
    """The same as the address of an image."""
    return _uri(label_png(labels))


def png(pixels: NDArray[np.uint8], kind: int, before_pixels: bytes = b"") -> bytes:
    """A PNG file; `kind` says what the numbers are."""
    height, width = pixels.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    # Each line begins with the number of its filter: 0, none.
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])
    body = _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
    return SIGNATURE + _chunk(b"IHDR", header) + before_pixels + body + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
