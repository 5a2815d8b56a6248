"""Folders of images."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from PIL import Image

from subspan.handover import InputError
from subspan.sources import open_source


def save(folder, name, pixels, **options):
    (folder / name).parent.mkdir(exist_ok=True)
    Image.fromarray(pixels).save(folder / name, **options)


def test_grey_images_in_the_order_of_their_names(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (5, 4, 6), np.uint8)
    for name, pixels in zip(["c.png", "a/2.png", "a/1.pgm", "b.bmp", "d.tif"], images, strict=True):
        save(tmp_path, name, pixels)
    (tmp_path / "notes.txt").write_text("not an image")
    (tmp_path / ".hidden.png").write_text("not an image")
    source = open_source(tmp_path)
    assert source.dtype == np.float32
    assert np.array_equal(source.rows(0, 5), images[[2, 1, 3, 0, 4]].reshape(5, 24))
    assert np.array_equal(source.take(np.array([0, 4])), images[[2, 4]].reshape(2, 24))
    assert np.array_equal(pickle.loads(pickle.dumps(source)).rows(1, 3), source.rows(1, 3))
    assert [file.name for file in source.files] == ["1.pgm", "2.png", "b.bmp", "c.png", "d.tif"]


def test_colours_are_flattened_or_turned_into_grey(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (3, 4, 6, 3), np.uint8)
    for i, pixels in enumerate(images):
        save(tmp_path, f"{i}.png", pixels)
    assert np.array_equal(open_source(tmp_path).rows(0, 3), images.reshape(3, 72))
    grey = open_source(tmp_path, key="grey").rows(0, 3)
    assert np.abs(grey - (images @ [0.299, 0.587, 0.114]).reshape(3, 24)).max() < 1
    with pytest.raises(InputError, match="key='red': a folder of images knows only 'grey'"):
        open_source(tmp_path, key="red")


def test_sixteen_bits_are_kept(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 2**16, (4, 6)).astype(np.uint16)
    save(tmp_path, "deep.png", pixels)
    assert np.array_equal(open_source(tmp_path).rows(0, 1)[0], pixels.ravel())


def test_image_of_another_size_or_kind_is_named(tmp_path):
    save(tmp_path, "a.png", np.zeros((4, 6), np.uint8))
    save(tmp_path, "b.png", np.zeros((6, 4), np.uint8))
    save(tmp_path, "c.png", np.zeros((6, 4), np.uint8))
    # The first one is the odd one.
    with pytest.raises(InputError, match=r": a\.png has 4 x 6 pixels, but 2 of 3 images have 6 x 4; all"):
        open_source(tmp_path).rows(0, 2)
    save(tmp_path, "b.png", np.zeros((4, 6, 3), np.uint8))
    save(tmp_path, "c.png", np.zeros((4, 6), np.uint8))
    with pytest.raises(InputError, match=r": b\.png has 4 x 6 x 3 pixels, but 2 of 3 images have 4 x 6; all"):
        open_source(tmp_path).rows(0, 2)
    for content in (b"no image", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 4\n"):
        (tmp_path / "b.png").write_bytes(content)
        with pytest.raises(InputError, match=r"b\.png: cannot be read \("):
            open_source(tmp_path).rows(0, 2)


def test_folder_without_images(tmp_path):
    with pytest.raises(InputError, match=r"has no images; those known end in \.bmp"):
        open_source(tmp_path)
