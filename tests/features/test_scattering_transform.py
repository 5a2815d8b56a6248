import warnings

import numpy as np
import pytest

from subspan.features import scattering
from subspan.features.scattering_transform import (
    BATCHES_AHEAD,
    IMAGES_PER_BATCH,
    n_coefficients,
    scattering_blocks,
)
from subspan.handover import InputError

DIGITS = np.random.default_rng(7).random((5, 28, 28), np.float32)


def kymatio_scattering(images, n_scales, n_orientations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frontend = pytest.importorskip("kymatio.scattering2d.frontend.numpy_frontend")
        transform = frontend.ScatteringNumPy2D(J=n_scales, shape=images.shape[1:], L=n_orientations)
    coefficients = transform(images)
    # kymatio writes pi as 3.1415 in the norm of each filter, one per order and one for the low pass.
    pairs = n_scales * (n_scales - 1) // 2
    n_filters = np.repeat([1, 2, 3], [1, n_scales * n_orientations, pairs * n_orientations**2])
    return coefficients * (3.1415 / np.pi) ** n_filters[:, None, None]


@pytest.mark.parametrize(
    ("shape", "n_scales", "n_orientations"),
    [((32, 32), 3, 8), ((24, 40), 3, 5), ((16, 20), 2, 6), ((12, 8), 1, 4)],
)
def test_agrees_with_kymatio(shape, n_scales, n_orientations):
    images = np.random.default_rng(0).random((3, *shape), np.float32)
    expected = kymatio_scattering(images, n_scales, n_orientations)
    ours = scattering(images, n_scales=n_scales, n_orientations=n_orientations, divide_by_maximum=False)
    scale = np.abs(expected).max(axis=(2, 3), keepdims=True)
    difference = np.abs(ours.reshape(expected.shape) - expected) / scale
    assert difference.max() < 1e-5


def test_digits_get_zeros_around_them():
    padded = np.pad(DIGITS, ((0, 0), (2, 2), (2, 2)))
    assert scattering(DIGITS).shape == (5, 3472)
    assert np.array_equal(scattering(DIGITS), scattering(padded))


def test_every_path_is_divided_by_its_maximum():
    plain = scattering(DIGITS, divide_by_maximum=False).reshape(5, 217, 16)
    expected = plain / np.abs(plain).max(axis=2, keepdims=True)
    np.testing.assert_allclose(scattering(DIGITS).reshape(5, 217, 16), expected, rtol=1e-6)


def test_a_blank_image_has_no_coefficients():
    features = scattering(np.zeros((1, 28, 28)))
    assert not features.any()


def test_brightness_does_not_matter_and_bytes_are_numbers():
    images = np.random.default_rng(1).integers(0, 256, (2, 28, 28)).astype(np.uint8)
    np.testing.assert_allclose(scattering(images), scattering(images / 255), atol=1e-5)


def test_an_image_has_the_same_bits_whatever_stands_around_it():
    images = np.random.default_rng(2).random((IMAGES_PER_BATCH + 11, 28, 28), np.float32)
    alone = scattering(images, n_jobs=1)
    order = np.random.default_rng(3).permutation(len(images))
    assert np.array_equal(scattering(images[order], n_jobs=2), alone[order])
    assert np.array_equal(scattering(images[70:73]), alone[70:73])


def test_blocks_join_to_the_whole():
    # More than the threads are given at a time.
    images = np.random.default_rng(4).random((BATCHES_AHEAD * IMAGES_PER_BATCH + 3, 12, 12), np.float32)
    blocks = list(scattering_blocks(images, n_scales=2, n_orientations=2))
    assert [len(block) for block in blocks] == [IMAGES_PER_BATCH] * BATCHES_AHEAD + [3]
    assert np.array_equal(np.concatenate(blocks), scattering(images, n_scales=2, n_orientations=2))


def test_no_images_give_no_rows():
    assert scattering(np.empty((0, 28, 28))).shape == (0, n_coefficients((28, 28)))


@pytest.mark.parametrize(
    ("images", "options", "message"),
    [
        (np.zeros((28, 28)), {}, r"three axes .* got shape \(28, 28\)"),
        (np.zeros((2, 0, 28)), {}, "at least one pixel"),
        (np.zeros((1, 8, 28)), {}, r"n_scales=3 needs images of more than 8 x 8 pixels, got \(8, 28\)"),
        (np.full((2, 28, 28), np.nan), {}, "images: 2 rows contain NaN"),
        (np.zeros((1, 28, 28), complex), {}, "real numbers, got type complex128"),
        (np.zeros((1, 28, 28)), {"n_scales": 0}, "n_scales=0"),
        (np.zeros((1, 28, 28)), {"n_orientations": -1}, "n_orientations=-1"),
    ],
)
def test_bad_input_is_named(images, options, message):
    with pytest.raises(InputError, match=message):
        scattering(images, **options)
