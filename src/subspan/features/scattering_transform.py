"""The two-dimensional scattering transform: wavelets, moduli and averages, twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from subspan.execution.progress import progress_bar
from subspan.execution.threads import n_threads, run_in_threads
from subspan.features.filter_bank import FilterBank, Pixels, make_filter_bank
from subspan.features.images import check_images
from subspan.handover import InputError

# Images transformed together. The last batch is filled up with blank ones: what a product gives for
# one image then does not depend on the images around it.
IMAGES_PER_BATCH = 64
# Batches handed to the threads at a time, so that results do not pile up before a slow reader.
BATCHES_AHEAD = 32


def scattering(
    images: ArrayLike,
    *,
    n_scales: int = 3,
    n_orientations: int = 8,
    divide_by_maximum: bool = True,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NDArray[np.float32]:
    """Scattering coefficients of order 0, 1 and 2, one row for each image.

    An image is filled up with zeros around to sides divisible by 2**n_scales (digits of 28 x 28 become
    32 x 32) and continued by reflection over its border. Every path of wavelets gives a small image
    of local averages, 1 / 2**n_scales as wide and high.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Grey values, row-major.
    n_scales : int
        Number of scales J: wavelets of width 0.8, 1.6, ... pixels.
    n_orientations : int
        Number of directions L over the half circle.
    divide_by_maximum : bool
        Divide what each path gives by its largest magnitude in that image, as is usual before
        clustering. A path that is zero everywhere stays zero.
    n_jobs, progress
        As for `pca`.

    Returns
    -------
    array of shape (n_images, n_paths * height / 2**n_scales * width / 2**n_scales), float32
        3472 columns for digits: 217 paths of 4 x 4. Paths in the order: none, first wavelet by scale
        and direction, pairs by first and then second wavelet.

    References
    ----------
    J. Bruna and S. Mallat: Invariant scattering convolution networks, IEEE TPAMI 35(8), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> scattering(np.eye(28)[None]).shape
    (1, 3472)
    """
    checked = check_images(images)
    out = np.empty((len(checked), n_coefficients(checked.shape[1:], n_scales, n_orientations)), np.float32)
    start = 0
    blocks = scattering_blocks(
        checked,
        n_scales=n_scales,
        n_orientations=n_orientations,
        divide_by_maximum=divide_by_maximum,
        n_jobs=n_jobs,
        progress=progress,
    )
    for block in blocks:
        out[start : start + len(block)] = block
        start += len(block)
    return out


def scattering_blocks(
    images: NDArray[np.generic],
    *,
    n_scales: int = 3,
    n_orientations: int = 8,
    divide_by_maximum: bool = True,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Iterator[NDArray[np.float32]]:
    """The rows of `scattering` in blocks, for results that need not be in memory as a whole."""
    bank, border = _prepare(images.shape[1:], n_scales, n_orientations)

    def transform(start: int) -> NDArray[np.float32]:
        batch = np.zeros((IMAGES_PER_BATCH, *images.shape[1:]), np.float32)
        n_images = len(images[start : start + IMAGES_PER_BATCH])
        batch[:n_images] = images[start : start + IMAGES_PER_BATCH]
        coefficients = _coefficients(_field(batch, border, n_scales), bank)[:n_images]
        if divide_by_maximum:
            _divide_by_maximum(coefficients)
        return coefficients.reshape(n_images, -1)

    ahead = IMAGES_PER_BATCH * BATCHES_AHEAD
    with progress_bar("Scattering", len(images), show=progress) as advance:
        for start in range(0, len(images), ahead):
            starts = range(start, min(start + ahead, len(images)), IMAGES_PER_BATCH)
            for block in run_in_threads(transform, starts, n_threads(n_jobs)):
                yield block
                advance(len(block))


def n_coefficients(shape: tuple[int, ...], n_scales: int = 3, n_orientations: int = 8) -> int:
    """Number of columns that `scattering` gives for images of this shape.

    Examples
    --------
    >>> n_coefficients((28, 28))
    3472
    """
    pairs = n_scales * (n_scales - 1) // 2
    n_paths = 1 + n_scales * n_orientations + pairs * n_orientations * n_orientations
    unit: int = 2**n_scales
    height, width = (-(-side // unit) for side in shape)
    return n_paths * height * width


def _prepare(
    shape: tuple[int, ...], n_scales: int, n_orientations: int
) -> tuple[FilterBank, tuple[tuple[int, int], ...]]:
    """Filters for images of this shape, and the zeros to put around them."""
    if n_scales < 1 or n_orientations < 1:
        raise InputError(
            f"n_scales={n_scales} and n_orientations={n_orientations} must be whole numbers of at least 1."
        )
    unit = 2**n_scales
    missing = [-side % unit for side in shape]
    border = tuple((extra // 2, extra - extra // 2) for extra in missing)
    height, width = (side + extra for side, extra in zip(shape, missing, strict=True))
    if min(height, width) <= unit:
        raise InputError(
            f"n_scales={n_scales} needs images of more than {unit} x {unit} pixels, got {shape}."
        )
    return make_filter_bank((height + 2 * unit, width + 2 * unit), n_scales, n_orientations), border


def _field(batch: Pixels, border: tuple[tuple[int, int], ...], n_scales: int) -> Pixels:
    """Images with zeros and reflections around them, as (rows, images, columns)."""
    unit = 2**n_scales
    blank = np.pad(batch, ((0, 0), *border))
    reflected = np.pad(blank, ((0, 0), (unit, unit), (unit, unit)), mode="reflect")
    return np.ascontiguousarray(reflected.transpose(1, 0, 2))


def _coefficients(field: Pixels, bank: FilterBank) -> Pixels:
    """Averages of all paths, as (images, paths, rows, columns)."""
    spectrum = fft.fft2(field, axes=(0, 2))
    averages, of_pairs = [bank.smooth(field, 0)], []
    for wavelet in bank.first:
        modulus = wavelet.modulus(spectrum)
        averages.append(bank.smooth(modulus, wavelet.scale))
        followers = bank.second[wavelet.scale]
        if followers:
            modulus_spectrum = fft.fft2(modulus, axes=(0, 2))
            of_pairs += [
                bank.smooth(follower.modulus(modulus_spectrum), follower.scale) for follower in followers
            ]
    return np.stack(averages + of_pairs).transpose(2, 0, 1, 3).copy()


def _divide_by_maximum(coefficients: Pixels) -> None:
    """Scale every path of every image to the largest magnitude one, in place."""
    largest = np.abs(coefficients).max(axis=(2, 3), keepdims=True)
    np.divide(coefficients, largest, out=coefficients, where=largest > 0)
