"""The filters of a scattering transform in the form in which they are applied.

Fields are kept as (rows, images, columns): then transforms along both axes and the smoothing matrices
run over a whole batch at once. A convolution that is followed by subsampling folds its spectrum first,
so that the inverse transform has the small size already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from subspan.features.morlet import low_frequencies, morlet_spectrum, smoothing_matrix

Pixels = NDArray[np.float32]
Frequencies = NDArray[np.complex64]

# Parts of a wavelet's spectrum below this share of its peak are zero in single precision.
NEGLIGIBLE = 1e-7


@dataclass(frozen=True)
class Tile:
    """A part of a wavelet's spectrum that folds onto the small spectrum as a whole."""

    rows: slice
    columns: slice
    # Every number twice, for real and imaginary parts; an axis of length one for the images.
    weights: Pixels


@dataclass(frozen=True)
class Wavelet:
    """One filter together with the subsampling that follows it."""

    scale: int
    tiles: tuple[Tile, ...]

    def modulus(self, spectrum: Frequencies) -> Pixels:
        """|field * wavelet| on the coarser grid, from the spectrum of the field."""
        parts = spectrum.view(np.float32)
        first, *others = self.tiles
        folded = parts[first.rows, :, first.columns] * first.weights
        for tile in others:
            folded += parts[tile.rows, :, tile.columns] * tile.weights
        return np.asarray(np.abs(fft.ifft2(folded.view(np.complex64), axes=(0, 2), overwrite_x=True)))


@dataclass(frozen=True)
class FilterBank:
    """All filters for fields of one shape."""

    # Those for the image itself.
    first: tuple[Wavelet, ...]
    # Those for what a first wavelet of scale j left: all of coarser scales.
    second: tuple[tuple[Wavelet, ...], ...]
    # Smoothing matrices for rows and columns of fields of resolution j.
    smoothing: tuple[tuple[Pixels, Pixels], ...]

    def smooth(self, field: Pixels, resolution: int) -> Pixels:
        """Local averages of a field, on the coarsest grid and without the border."""
        rows, columns = self.smoothing[resolution]
        height, n_images, width = field.shape
        partial: Pixels = rows @ field.reshape(height, n_images * width)
        averages: Pixels = partial.reshape(-1, width) @ columns.T
        return averages.reshape(len(rows), n_images, len(columns))


def make_filter_bank(shape: tuple[int, int], n_scales: int, n_orientations: int) -> FilterBank:
    """Filters for images padded to `shape`, sides that 2**n_scales divides.

    Examples
    --------
    >>> bank = make_filter_bank((48, 48), n_scales=3, n_orientations=8)
    >>> len(bank.first), [len(wavelets) for wavelets in bank.second]
    (24, [16, 8, 0])
    """
    spectra = [
        (scale, morlet_spectrum(shape, scale, orientation, n_orientations))
        for scale in range(n_scales)
        for orientation in range(n_orientations)
    ]
    return FilterBank(
        first=tuple(_wavelet(spectrum, scale, 0) for scale, spectrum in spectra),
        second=tuple(
            tuple(_wavelet(spectrum, scale, resolution) for scale, spectrum in spectra if scale > resolution)
            for resolution in range(n_scales)
        ),
        smoothing=tuple(
            (smoothing_matrix(shape[0], n_scales, j), smoothing_matrix(shape[1], n_scales, j))
            for j in range(n_scales)
        ),
    )


def _wavelet(spectrum: NDArray[np.float64], scale: int, resolution: int) -> Wavelet:
    """The wavelet for fields of a given resolution; what it gives has the resolution `scale`."""
    step = 2 ** (scale - resolution)
    spectrum = low_frequencies(spectrum, resolution)
    height, width = (side // step for side in spectrum.shape)
    # Subsampling by `step` divides the folded spectrum by step**2.
    weights = np.repeat(spectrum / step**2, 2, axis=1).astype(np.float32)[:, None, :]
    floor = NEGLIGIBLE * np.abs(weights).max()
    tiles = []
    for top in range(0, spectrum.shape[0], height):
        for left in range(0, 2 * spectrum.shape[1], 2 * width):
            rows, columns = slice(top, top + height), slice(left, left + 2 * width)
            part = weights[rows, :, columns]
            if np.abs(part).max() > floor:
                tiles.append(Tile(rows, columns, np.ascontiguousarray(part)))
    return Wavelet(scale, tuple(tiles))
