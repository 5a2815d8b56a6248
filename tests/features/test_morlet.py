import cmath
import math

import numpy as np
import pytest

from subspan.features.morlet import gaussian_spectrum, low_frequencies, morlet_spectrum, smoothing_matrix


def slow_wavelet(size, scale, orientation, n_orientations):
    """The wavelet in space, point by point, on a grid that wraps around."""
    width, slant = 0.8 * 2**scale, 4 / n_orientations
    angle = (n_orientations // 2 - 1 - orientation) * math.pi / n_orientations
    waves = np.zeros((size, size), complex)
    envelope = np.zeros((size, size))
    for row in range(-2 * size, 3 * size):
        for column in range(-2 * size, 3 * size):
            along = row * math.cos(angle) + column * math.sin(angle)
            across = column * math.cos(angle) - row * math.sin(angle)
            height = math.exp(-(along**2 + (slant * across) ** 2) / (2 * width**2))
            envelope[row % size, column % size] += height
            waves[row % size, column % size] += height * cmath.exp(0.75j * math.pi / 2**scale * along)
    wavelet = waves - waves.sum() / envelope.sum() * envelope
    return wavelet * slant / (2 * math.pi * width**2)


@pytest.mark.parametrize(("scale", "orientation", "n_orientations"), [(0, 0, 8), (1, 5, 8), (1, 2, 5)])
def test_spectrum_is_that_of_the_wavelet_in_space(scale, orientation, n_orientations):
    spectrum = morlet_spectrum((16, 16), scale, orientation, n_orientations)
    expected = np.fft.fft2(slow_wavelet(16, scale, orientation, n_orientations))
    assert np.abs(expected.imag).max() < 1e-12
    np.testing.assert_allclose(spectrum, expected.real, atol=1e-12)


def test_wavelets_have_no_mean_and_the_low_pass_keeps_it():
    for scale in range(3):
        assert abs(morlet_spectrum((48, 32), scale, 1, 8)[0, 0]) < 1e-12
        assert gaussian_spectrum(48, scale)[0] == pytest.approx(1, abs=1e-5)


def test_low_frequencies_keep_a_smooth_signal_on_the_coarser_grid():
    points = np.arange(32)
    signal = 2 + np.cos(2 * np.pi * 3 * points / 32) + np.sin(2 * np.pi * points / 32)
    coarse = np.fft.ifft(low_frequencies(np.fft.fft(signal), 2)) / 4
    np.testing.assert_allclose(coarse, signal[::4], atol=1e-12)


@pytest.mark.parametrize("resolution", [0, 1, 2])
def test_smoothing_matrix_is_convolution_subsampling_and_cut(resolution):
    n_scales, length = 3, 40
    samples = np.random.default_rng(0).standard_normal(length // 2**resolution)
    spectrum = low_frequencies(gaussian_spectrum(length, n_scales - 1), resolution)
    smooth = np.fft.ifft(np.fft.fft(samples) * spectrum).real
    expected = smooth[:: 2 ** (n_scales - resolution)][1:-1]
    matrix = smoothing_matrix(length, n_scales, resolution)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix @ samples, expected, atol=1e-6)
