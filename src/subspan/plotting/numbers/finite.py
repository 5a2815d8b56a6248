"""Arguments that have to be arrays of finite numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError


def finite_numbers(name: str, values: ArrayLike, n_dimensions: int) -> NDArray[np.float64]:
    """The values as an array, if they are what the argument of this name has to be.

    Examples
    --------
    >>> finite_numbers("changes", [1.0, float("nan")], 1)
    Traceback (most recent call last):
    subspan.handover.InputError: changes holds NaN or infinity.
    """
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must hold numbers.") from None
    if array.ndim != n_dimensions or array.size == 0:
        kind = ("a sequence", "a table")[n_dimensions - 1]
        raise InputError(f"{name} must be {kind} of numbers, got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise InputError(f"{name} holds NaN or infinity.")
    return array
