"""Histograms of oriented gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.execution.progress import progress_bar
from subspan.extras import optional_import
from subspan.features.images import check_images
from subspan.handover import InputError

# Images between two signs of progress.
STEP = 100


def hog(
    images: ArrayLike,
    *,
    n_orientations: int = 8,
    cell: int = 5,
    block: int = 2,
    progress: bool = False,
) -> NDArray[np.float32]:
    """Histograms of oriented gradients by scikit-image, one row for each image.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Grey values, row-major.
    n_orientations : int
        Bins over the half circle.
    cell : int
        Side in pixels of the square cells that get one histogram.
    block : int
        Side in cells of the overlapping blocks that are normalised together.
    progress : bool
        Show progress on stderr.

    Returns
    -------
    array of shape (n_images, n_features), float32
        1568 columns for 40 x 40 pixels: 7 x 7 blocks of 2 x 2 cells with 8 bins.

    References
    ----------
    N. Dalal and B. Triggs: Histograms of oriented gradients for human detection, CVPR 2005.

    Examples
    --------
    >>> import numpy as np
    >>> hog(np.eye(40)[None]).shape
    (1, 1568)
    """
    describe = optional_import("skimage.feature", package="scikit-image", extra="features").hog
    checked = check_images(images)
    height, width = (side // cell - block + 1 for side in checked.shape[1:])
    if min(height, width) < 1:
        raise InputError(f"images of shape {checked.shape[1:]} are smaller than one block of {block} cells.")
    out = np.empty((len(checked), height * width * block**2 * n_orientations), np.float32)
    with progress_bar("Histograms of gradients", len(checked), show=progress) as advance:
        for i, image in enumerate(checked):
            out[i] = describe(
                image,
                orientations=n_orientations,
                pixels_per_cell=(cell, cell),
                cells_per_block=(block, block),
            )
            if (i + 1) % STEP == 0 or i + 1 == len(checked):
                advance(i % STEP + 1)
    return out
