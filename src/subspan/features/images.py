"""One look at images before features are made of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.sources.checks import check_finite


def check_images(images: ArrayLike) -> NDArray[np.generic]:
    """`images` as an array of shape (n_images, height, width) of finite real numbers.

    Examples
    --------
    >>> check_images([[1, 2], [3, 4]])
    Traceback (most recent call last):
    subspan.handover.InputError: images must have three axes (image, row, column), got shape (2, 2).
    """
    array = np.asanyarray(images)
    if array.ndim != 3:
        raise InputError(f"images must have three axes (image, row, column), got shape {array.shape}.")
    if 0 in array.shape[1:]:
        raise InputError(f"images must have at least one pixel, got shape {array.shape}.")
    if array.dtype.kind not in "buif":
        raise InputError(f"images must hold real numbers, got type {array.dtype}.")
    if array.dtype.kind == "f" and len(array):
        # Pixels of an image are counted row by row in the message.
        check_finite(array.reshape(len(array), -1), "images")
    return array
