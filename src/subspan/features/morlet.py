"""Filters of the two-dimensional scattering transform, as real spectra on a periodic grid.

Wavelets are Morlet's: a wave under an elongated Gaussian, with the little of the Gaussian taken off that
makes the sum zero. The low pass is a round Gaussian, hence a product of two one-dimensional ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import fft

Doubles = NDArray[np.float64]

# Width of the finest Gaussian in pixels, and frequency of the finest wave in radians per pixel.
GAUSSIAN_WIDTH = 0.8
FREQUENCY = 0.75 * math.pi
# Copies of the grid over which a filter is summed; beyond them a Gaussian is zero to rounding.
GRID_COPIES = 5


def morlet_spectrum(shape: tuple[int, int], scale: int, orientation: int, n_orientations: int) -> Doubles:
    """Spectrum of the wavelet of width 0.8 * 2**scale in one of `n_orientations` directions.

    Examples
    --------
    >>> spectrum = morlet_spectrum((16, 16), scale=1, orientation=3, n_orientations=8)
    >>> bool(abs(spectrum[0, 0]) < 1e-12)
    True
    """
    width = GAUSSIAN_WIDTH * 2.0**scale
    slant = 4 / n_orientations
    angle = math.pi * (n_orientations // 2 - 1 - orientation) / n_orientations
    row, column = np.meshgrid(*map(_coordinates, shape), indexing="ij", sparse=True)
    along = math.cos(angle) * row + math.sin(angle) * column
    across = math.cos(angle) * column - math.sin(angle) * row
    gaussian = np.exp(-(along**2 + (slant * across) ** 2) / (2 * width**2)) * slant / (2 * math.pi * width**2)
    wave = _periodic(gaussian * np.exp(1j * FREQUENCY / 2.0**scale * along), shape)
    envelope = _periodic(gaussian, shape)
    # The wavelet is its own conjugate mirror image, so that its spectrum is real.
    return np.asarray(fft.fft2(wave - wave.sum() / envelope.sum() * envelope).real)


def gaussian_spectrum(length: int, scale: int) -> Doubles:
    """Spectrum of a one-dimensional Gaussian of width 0.8 * 2**scale and integral one.

    Examples
    --------
    >>> gaussian_spectrum(32, scale=2)[:2].round(4)
    array([1.    , 0.8209])
    """
    width = GAUSSIAN_WIDTH * 2.0**scale
    gaussian = np.exp(-(_coordinates(length) ** 2) / (2 * width**2)) / (math.sqrt(2 * math.pi) * width)
    return np.asarray(fft.fft(gaussian.reshape(GRID_COPIES, length).sum(axis=0)).real)


def low_frequencies(spectrum: Doubles, resolution: int) -> Doubles:
    """The part of a spectrum that a grid coarser by 2**resolution can carry, along every axis.

    Examples
    --------
    >>> low_frequencies(np.arange(8.0), 1)
    array([0., 1., 6., 7.])
    """
    halves = [length // 2 ** (resolution + 1) for length in spectrum.shape]
    kept = [np.r_[0:half, -half:0] for half in halves]
    return np.asarray(spectrum[np.ix_(*kept)])


def smoothing_matrix(length: int, n_scales: int, resolution: int) -> NDArray[np.float32]:
    """Low pass, subsampling and removal of the border of one axis, as one matrix.

    Applied to `length // 2**resolution` samples it gives `length // 2**n_scales - 2`.

    Examples
    --------
    >>> smoothing_matrix(48, n_scales=3, resolution=1).shape
    (4, 24)
    """
    kernel = fft.ifft(low_frequencies(gaussian_spectrum(length, n_scales - 1), resolution)).real
    step = 2 ** (n_scales - resolution)
    centres = np.arange(step, len(kernel) - step, step)
    return np.asarray(kernel[centres[:, None] - np.arange(len(kernel))], np.float32)


def _coordinates(length: int) -> Doubles:
    return np.arange(-2.0 * length, 3.0 * length)


def _periodic(values: NDArray[np.inexact], shape: tuple[int, int]) -> NDArray[np.inexact]:
    """Sum of the copies of the grid."""
    height, width = shape
    return np.asarray(values.reshape(GRID_COPIES, height, GRID_COPIES, width).sum(axis=(0, 2)))
