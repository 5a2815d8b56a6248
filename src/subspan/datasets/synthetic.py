"""Points on a union of random subspaces, the model that subspace clustering is made for."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from subspan.handover import InputError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


def make_union_of_subspaces(
    n_subspaces: int = 5,
    dimension: int = 6,
    ambient: int = 9,
    n_per_subspace: int | Sequence[int] = 100,
    *,
    noise: float = 0.0,
    affine: bool | float = False,
    orthogonal: bool = False,
    n_outliers: int = 0,
    shuffle: bool = True,
    random_state: int | np.random.Generator | None = None,
    dtype: DTypeLike = np.float64,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Draw points from a union of random subspaces.

    Each subspace is uniformly random, and its points are uniform on its unit sphere. The defaults are
    the paper's synthetic setup, where `n_per_subspace` goes from 30 to 3396. For one seed the subspaces
    do not depend on `n_per_subspace`, nor the points on `noise`.

    Parameters
    ----------
    n_subspaces : int
        Number of subspaces, and of classes.
    dimension : int
        Dimension of each subspace.
    ambient : int
        Dimension of the space around them: the number of columns of `X`.
    n_per_subspace : int or sequence of int
        Points on each subspace; a sequence gives every subspace its own number.
    noise : float
        Root mean square length of the Gaussian noise added to every point of a subspace, relative to
        the radius of the sphere. Noisy points are not scaled back to unit length.
    affine : bool or float
        Shifts every subspace away from the origin by this much (True: by 1), in a random direction at a
        right angle to it.
    orthogonal : bool
        Makes the subspaces mutually orthogonal, their shifts included. There has to be room for that.
    n_outliers : int
        Additional points, uniform on the unit sphere of the whole space, with the label -1.
    shuffle : bool
        Mixes the rows; otherwise they come subspace by subspace, outliers last.
    random_state : int, numpy.random.Generator or None
        An int gives the same data in every call.
    dtype : numpy.float64 or numpy.float32
        Type of `X`.

    Returns
    -------
    X : ndarray of shape (n_points, ambient)
        The points, one per row.
    y : ndarray of shape (n_points,)
        Number of the subspace of each point, from 0; -1 for outliers.

    Raises
    ------
    InputError
        If an argument has no meaning, or the subspaces do not fit into the space.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.datasets import make_union_of_subspaces
    >>> X, y = make_union_of_subspaces(n_subspaces=2, dimension=3, n_per_subspace=[20, 30], random_state=0)
    >>> X.shape
    (50, 9)
    >>> np.linalg.matrix_rank(X[y == 0])
    np.int64(3)
    """
    n_subspaces = _whole_number("n_subspaces", n_subspaces, least=1)
    dimension = _whole_number("dimension", dimension, least=1)
    ambient = _whole_number("ambient", ambient, least=1)
    n_outliers = _whole_number("n_outliers", n_outliers, least=0)
    sizes = _sizes(n_per_subspace, n_subspaces)
    noise = _length("noise", noise)
    shift = _length("affine", affine)
    target = _float_type(dtype)
    rng = _generator(random_state)

    # A shifted subspace needs one direction more than it has dimensions.
    frames = _frames(rng, n_subspaces, dimension + (shift > 0), ambient, orthogonal=orthogonal)
    parts = [_points(rng, frame, size, dimension, shift) for frame, size in zip(frames, sizes, strict=True)]
    parts.append(_unit_rows(rng, n_outliers, ambient))
    X = np.concatenate(parts)
    y = np.repeat(np.append(np.arange(n_subspaces), -1), np.append(sizes, n_outliers))
    order = rng.permutation(y.size) if shuffle else np.arange(y.size)
    # Noise is drawn last and in unshuffled order, so that it leaves everything else as it was.
    if noise > 0:
        inliers = y.size - n_outliers
        X[:inliers] += noise / math.sqrt(ambient) * rng.standard_normal((inliers, ambient))
    return X[order].astype(target, copy=False), y[order].astype(np.int64, copy=False)


def _frames(
    rng: np.random.Generator, n_frames: int, width: int, ambient: int, *, orthogonal: bool
) -> list[NDArray[np.float64]]:
    """Uniformly random orthonormal frames, one per subspace, as columns."""
    needed = n_frames * width if orthogonal else width
    if needed > ambient:
        what = f"{n_frames} orthogonal subspaces need" if orthogonal else "a subspace needs"
        raise InputError(f"ambient={ambient} is too small: {what} {needed} dimensions, shifts included.")
    if orthogonal:
        return np.split(_orthonormal(rng, ambient, needed), n_frames, axis=1)
    return [_orthonormal(rng, ambient, width) for _ in range(n_frames)]


def _orthonormal(rng: np.random.Generator, ambient: int, width: int) -> NDArray[np.float64]:
    frame, triangle = np.linalg.qr(rng.standard_normal((ambient, width)))
    # The signs of QR are LAPACK's habit, not random: without this, shifts would point to one side.
    return np.asarray(frame * np.sign(np.diagonal(triangle)))


def _unit_rows(rng: np.random.Generator, n_rows: int, n_columns: int) -> NDArray[np.float64]:
    rows = rng.standard_normal((n_rows, n_columns))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _points(
    rng: np.random.Generator, frame: NDArray[np.float64], size: int, dimension: int, shift: float
) -> NDArray[np.float64]:
    points = _unit_rows(rng, size, dimension) @ frame[:, :dimension].T
    return points + shift * frame[:, dimension] if shift > 0 else points


def _whole_number(name: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, got {value!r}.") from None
    if number < least:
        raise InputError(f"{name} must be at least {least}, got {number}.")
    return number


def _sizes(given: Any, n_parts: int, name: str = "n_per_subspace", parts: str = "n_subspaces") -> list[int]:
    if np.ndim(given) == 0:
        return [_whole_number(name, given, least=1)] * n_parts
    sizes = [_whole_number(f"{name}[{i}]", size, least=1) for i, size in enumerate(given)]
    if len(sizes) != n_parts:
        raise InputError(f"{name} has {len(sizes)} entries, but {parts} is {n_parts}.")
    return sizes


def _length(name: str, value: Any) -> float:
    try:
        length = float(value)
    except (TypeError, ValueError):
        length = math.nan
    if not 0 <= length < math.inf:
        raise InputError(f"{name} must be a finite number of at least 0, got {value!r}.")
    return length


def _float_type(dtype: Any) -> np.dtype[Any]:
    # A list of two instead of any name that numpy would take.
    for allowed in (np.float64, np.float32):
        if dtype in (allowed, np.dtype(allowed), np.dtype(allowed).name):
            return np.dtype(allowed)
    raise InputError(f"dtype must be float32 or float64, got {dtype!r}.")


def _generator(random_state: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        allowed = "None, a whole number of at least 0 or a numpy Generator"
        raise InputError(f"random_state must be {allowed}, got {random_state!r}.") from None
