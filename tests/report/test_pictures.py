"""Pictures are read back by another library."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest

from subspan.report.material import gather
from subspan.report.pictures import MOST_NUMBERS, pictures
from subspan.report.png import picture_uri, shade_uri
from subspan.sources import ArraySource

Image = pytest.importorskip("PIL.Image", reason="pillow reads the pictures back")


def read(uri: str, mode: str | None = None) -> np.ndarray:
    kind, _, text = uri.partition(",")
    assert kind == "data:image/png;base64"
    image = Image.open(io.BytesIO(base64.b64decode(text, validate=True)))
    return np.asarray(image.convert(mode) if mode else image)


@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (4, 3, 3)])
def test_pixels_come_back(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    assert np.array_equal(read(picture_uri(pixels)), pixels)


def test_shades_are_transparency_of_one_colour():
    shades = np.arange(256, dtype=np.uint8).reshape(16, 16)
    image = read(shade_uri(shades, (1, 2, 3)), "RGBA")
    assert np.array_equal(image[..., 3], shades)
    assert (image[..., :3] == (1, 2, 3)).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_become_pictures(model, points, order):
    X, _ = points
    material = gather(model, X, image_shape=(4, 3), image_order=order)
    rows = [int(row) for rows in material.representatives for row in rows]
    shown = pictures(material, rows)
    assert set(shown) == set(rows)
    for row, uri in shown.items():
        pixels = X[row] - X[row].min()
        wanted = np.rint(255 * pixels / pixels.max()).reshape((4, 3), order=order)
        assert np.array_equal(read(uri), wanted)


def test_large_pictures_shrink_until_all_fit(model):
    side = 420
    X = np.random.default_rng(0).random((len(model.labels_), side * side), np.float32)
    material = gather(model, ArraySource(X), image_shape=(side, side))
    shown = pictures(material, np.concatenate([*material.representatives]))
    sizes = {read(uri).shape for uri in shown.values()}
    assert len(shown) == 18
    assert sizes == {(210, 210)}
    assert 18 * 210 * 210 <= MOST_NUMBERS < 18 * side * side
