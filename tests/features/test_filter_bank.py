"""Wavelets on folded spectra against products of whole spectra that are subsampled afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import fft

from subspan.features.filter_bank import make_filter_bank
from subspan.features.morlet import morlet_spectrum

SHAPE, N_SCALES, N_ORIENTATIONS = (32, 48), 3, 4
PLACES = [(scale, orientation) for scale in range(N_SCALES) for orientation in range(N_ORIENTATIONS)]


@pytest.fixture(scope="module")
def bank():
    return make_filter_bank(SHAPE, N_SCALES, N_ORIENTATIONS)


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    """Two of them, on the middle axis, as the bank has fields."""
    return np.random.default_rng(0).standard_normal((SHAPE[0], 2, SHAPE[1])).astype(np.float32)


@pytest.mark.parametrize(("scale", "orientation"), PLACES)
def test_first_order(bank, images, scale, orientation):
    wavelet = bank.first[PLACES.index((scale, orientation))]
    assert wavelet.scale == scale
    found = wavelet.modulus(fft.fft2(images, axes=(0, 2)))
    spectrum = morlet_spectrum(SHAPE, scale, orientation, N_ORIENTATIONS)
    step = 2**scale
    for place in range(2):
        whole = np.abs(np.fft.ifft2(np.fft.fft2(images[:, place].astype(np.float64)) * spectrum))
        assert found[:, place] == pytest.approx(whole[::step, ::step], abs=1e-5)


def test_coarser_wavelets_follow_finer_ones(bank):
    for resolution, wavelets in enumerate(bank.second):
        assert [wavelet.scale for wavelet in wavelets] == [s for s, _ in PLACES if s > resolution]


@pytest.mark.parametrize("resolution", range(N_SCALES))
def test_smoothing_keeps_what_is_constant_and_never_goes_beyond_the_field(bank, resolution):
    sides = [side // 2**resolution for side in SHAPE]
    constant = bank.smooth(np.full((sides[0], 2, sides[1]), 3, np.float32), resolution)
    assert constant == pytest.approx(np.full(constant.shape, 3.0), rel=1e-5)
    field = np.random.default_rng(0).random((sides[0], 2, sides[1])).astype(np.float32)
    smoothed = bank.smooth(field, resolution)
    assert smoothed.shape == constant.shape
    assert smoothed.std() < 0.5 * field.std()
    # Linear, and each image for itself.
    assert bank.smooth(2 * field[:, ::-1], resolution) == pytest.approx(2 * smoothed[:, ::-1], rel=1e-5)
