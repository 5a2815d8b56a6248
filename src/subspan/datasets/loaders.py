"""The paper's data sets, from the files of the data folder."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from subspan.datasets.catalog import TRAFFIC_SIGNS, DatasetInfo, data_folder, find_dataset
from subspan.datasets.stored import read_images
from subspan.handover import InputError

Folder = str | os.PathLike[str] | None
# A Bunch, or (data, target); scikit-learn has no types that would tell the two apart.
Loaded = Any


def load_extended_yale_b(*, data_dir: Folder = None, return_X_y: bool = False) -> Loaded:
    """Load Extended Yale B: 2414 images of 38 faces under changing light, 48 x 42 pixels.

    Parameters
    ----------
    data_dir : path, optional
        Folder with `extended_yale_b.npz`; by default the one named by SUBSPAN_DATA.
    return_X_y : bool
        Return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` (n, 2016) uint8, row-major pixels; `images` the same as (n, 48, 42); `target` from 0 to 37;
        `target_names`, `image_shape`, `filename`, `DESCR`.

    Examples
    --------
    >>> faces = load_extended_yale_b()  # doctest: +SKIP
    >>> faces.images.shape  # doctest: +SKIP
    (2414, 48, 42)
    """
    bunch = _load(find_dataset("extended_yale_b"), data_dir)
    bunch.target_names = np.array([f"person {number}" for number in bunch.class_ids])
    return _as_asked(bunch, return_X_y)


def load_coil100(*, data_dir: Folder = None, return_X_y: bool = False) -> Loaded:
    """Load COIL-100: 72 views each of 100 objects, 32 x 32 pixels in grey.

    Parameters
    ----------
    data_dir : path, optional
        Folder with `coil100.npz`; by default the one named by SUBSPAN_DATA.
    return_X_y : bool
        Return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` (n, 1024) uint8, row-major pixels; `images` the same as (n, 32, 32); `target` from 0 to 99;
        `angle` of the turntable in degrees; `target_names`, `image_shape`, `filename`, `DESCR`.

    Examples
    --------
    >>> X, y = load_coil100(return_X_y=True)  # doctest: +SKIP
    """
    bunch = _load(find_dataset("coil100"), data_dir)
    bunch.target_names = np.array([f"object {number}" for number in bunch.class_ids])
    return _as_asked(bunch, return_X_y)


def load_gtsrb(*, data_dir: Folder = None, return_X_y: bool = False) -> Loaded:
    """Load the 14 classes of GTSRB: 12 390 photographs of traffic signs, 40 x 40 pixels in grey.

    Parameters
    ----------
    data_dir : path, optional
        Folder with `gtsrb.npz`; by default the one named by SUBSPAN_DATA.
    return_X_y : bool
        Return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` (n, 1600) uint8, row-major pixels; `images` the same as (n, 40, 40); `target` from 0 to 13 with
        `class_ids[target]` the number in the release; `track` of an image, which together with its class
        names the physical sign; `target_names`, `image_shape`, `filename`, `DESCR`.

    Examples
    --------
    >>> signs = load_gtsrb()  # doctest: +SKIP
    >>> signs.target_names[signs.target[0]]  # doctest: +SKIP
    np.str_('priority road')
    """
    bunch = _load(find_dataset("gtsrb"), data_dir)
    bunch.target_names = np.array(
        [TRAFFIC_SIGNS.get(number, f"sign {number}") for number in bunch.class_ids.tolist()]
    )
    return _as_asked(bunch, return_X_y)


def load_mnist(
    n_per_class: int | None = None,
    *,
    random_state: int = 0,
    data_dir: Folder = None,
    return_X_y: bool = False,
) -> Loaded:
    """Load MNIST: 70 000 handwritten digits of 28 x 28 pixels, or as many at random of each.

    Parameters
    ----------
    n_per_class : int, optional
        Images of each digit: 400 gives the paper's MNIST4000, 1000 its MNIST10000. All by default.
    random_state : int
        Which ones; the same in every version of NumPy.
    data_dir : path, optional
        Folder with `mnist.npz`; by default the one named by SUBSPAN_DATA.
    return_X_y : bool
        Return `(data, target)` instead of a Bunch.

    Returns
    -------
    Bunch
        `data` (n, 784) uint8, row-major pixels; `images` the same as (n, 28, 28); `target` the digit;
        `index` of the rows among the 70 000, ascending; `target_names`, `image_shape`, `filename`, `DESCR`.

    Examples
    --------
    >>> digits = load_mnist(400, random_state=3)  # doctest: +SKIP
    >>> digits.data.shape  # doctest: +SKIP
    (4000, 784)
    """
    bunch = _load(find_dataset("mnist"), data_dir)
    bunch.target_names = np.array([str(digit) for digit in bunch.class_ids])
    bunch.index = np.arange(len(bunch.target))
    if n_per_class is not None:
        bunch.index = sample_per_class(bunch.target, n_per_class, random_state)
        bunch.images, bunch.target = bunch.images[bunch.index], bunch.target[bunch.index]
        bunch.data = bunch.images.reshape(len(bunch.images), -1)
    return _as_asked(bunch, return_X_y)


def sample_per_class(target: NDArray[np.int64], n_per_class: int, random_state: int) -> NDArray[np.int64]:
    """Ascending rows, `n_per_class` of every class, a pure function of the arguments.

    Examples
    --------
    >>> sample_per_class(np.array([0, 0, 0, 1, 1]), 2, random_state=0).tolist()
    [0, 2, 3, 4]
    """
    if not 0 <= random_state < 2**64:
        raise InputError(f"random_state must be a whole number of at least 0, got {random_state!r}.")
    classes, sizes = np.unique(target, return_counts=True)
    smallest = int(sizes.argmin())
    if not 1 <= n_per_class <= sizes[smallest]:
        raise InputError(
            f"n_per_class={n_per_class} must lie between 1 and {sizes[smallest]}, "
            f"the number of images of class {classes[smallest]}."
        )
    # Raw words of a counter-based generator are the same in every version of NumPy.
    words = np.random.Philox(key=random_state).random_raw(len(target))
    order = np.lexsort((words, target))
    starts = np.cumsum(sizes) - sizes
    chosen = order[(starts[:, None] + np.arange(n_per_class)).ravel()]
    return np.sort(chosen)


def _load(info: DatasetInfo, data_dir: Folder) -> Bunch:
    folder = data_folder(data_dir)
    arrays, images = read_images(info, folder)
    class_ids, target = np.unique(arrays.pop("y"), return_inverse=True)
    more: dict[str, Any] = {
        name: values for name, values in arrays.items() if name not in ("X", "image_shape", "pixel_order")
    }
    return Bunch(
        data=images.reshape(len(images), -1),
        target=target.astype(np.int64),
        images=images,
        image_shape=images.shape[1:],
        class_ids=class_ids,
        filename=str(folder / info.filename),
        DESCR=f"{info.title}. {info.description}",
        **more,
    )


def _as_asked(bunch: Bunch, return_X_y: bool) -> Loaded:
    return (bunch.data, bunch.target) if return_X_y else bunch
