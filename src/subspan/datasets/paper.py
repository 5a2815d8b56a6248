"""The features that the paper clusters, for each of its data sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from subspan.datasets.catalog import find_dataset
from subspan.datasets.loaders import (
    load_coil100,
    load_extended_yale_b,
    load_gtsrb,
    load_mnist,
    sample_per_class,
)
from subspan.features import cached, hog, pca
from subspan.features.cache import cache_path, read_cached
from subspan.features.scattering_transform import scattering, scattering_blocks
from subspan.handover import InputError

Features = NDArray[np.float32]
Folder = str | os.PathLike[str] | None

N_COMPONENTS = 500
SCATTERING: Mapping[str, Any] = {"n_scales": 3, "n_orientations": 8, "divide_by_maximum": True}
HOG: Mapping[str, Any] = {"n_orientations": 8, "cell": 5, "block": 2}
WHOLE = "mnist-scattering"


@dataclass(frozen=True)
class Effort:
    """How to work, without any effect on the result."""

    n_jobs: int | None
    progress: bool


def paper_features(
    name: str,
    *,
    n_per_class: int | None = None,
    random_state: int = 0,
    data_dir: Folder = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> tuple[Features, NDArray[np.int64]]:
    """Features of one of the paper's data sets, and the true classes.

    Extended Yale B and COIL-100 are clustered as pixels. MNIST becomes scattering coefficients, projected
    onto 500 principal components without centring; GTSRB becomes histograms of gradients, centred and
    projected onto 500 principal components. Rows are not scaled to unit norm: estimators do that.

    The components are those of the rows asked for, so a subset of MNIST has components of its own;
    fewer than 500 rows have as many components as rows. Results are kept in the cache folder
    (SUBSPAN_CACHE). The scattering coefficients of all of MNIST are kept too (1 GB), and once they
    are there, every subset takes its rows from them.

    Parameters
    ----------
    name : str
        "extended_yale_b", "coil100", "mnist" or "gtsrb".
    n_per_class : int, optional
        For MNIST only: images of each digit (400 for MNIST4000, 1000 for MNIST10000).
    random_state : int
        Which images those are.
    data_dir : path, optional
        Folder of the data files; by default the one named by SUBSPAN_DATA.
    n_jobs, progress
        As for `subspan.features.pca`.

    Returns
    -------
    X : array of shape (n, n_features), float32
        To be read only.
    y : array of shape (n,)
        Classes from 0.

    Examples
    --------
    >>> X, y = paper_features("mnist", n_per_class=400)  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (4000, 500)
    """
    find_dataset(name)
    if n_per_class is not None and name != "mnist":
        raise InputError(f"n_per_class is for mnist only, not for {name}.")
    effort = Effort(n_jobs, progress)
    if name == "mnist":
        return _digits(load_mnist(data_dir=data_dir), n_per_class, random_state, effort)
    if name == "gtsrb":
        return _signs(load_gtsrb(data_dir=data_dir), effort)
    load = load_coil100 if name == "coil100" else load_extended_yale_b
    X, y = load(data_dir=data_dir, return_X_y=True)
    return X.astype(np.float32), y


def _signs(signs: Bunch, effort: Effort) -> tuple[Features, NDArray[np.int64]]:
    def histograms() -> Features:
        return hog(signs.images, progress=effort.progress, **HOG)

    return _components("gtsrb-hog", signs.images, HOG, histograms, effort, center=True), signs.target


def _digits(
    digits: Bunch, n_per_class: int | None, random_state: int, effort: Effort
) -> tuple[Features, NDArray[np.int64]]:
    def of_all() -> Iterator[Features]:
        return scattering_blocks(digits.images, n_jobs=effort.n_jobs, progress=effort.progress, **SCATTERING)

    if n_per_class is None:
        images, y = digits.images, digits.target

        def coefficients() -> NDArray[np.generic]:
            return cached(WHOLE, images, SCATTERING, of_all)
    else:
        index = sample_per_class(digits.target, n_per_class, random_state)
        images, y = digits.images[index], digits.target[index]

        def coefficients() -> NDArray[np.generic]:
            whole = read_cached(cache_path(WHOLE, digits.images, SCATTERING), len(digits.images))
            if whole is not None:
                return whole[index]
            return scattering(images, n_jobs=effort.n_jobs, progress=effort.progress, **SCATTERING)

    return _components(WHOLE, images, SCATTERING, coefficients, effort, center=False), y


def _components(
    name: str,
    images: NDArray[np.uint8],
    recipe: Mapping[str, Any],
    features: Callable[[], NDArray[np.generic]],
    effort: Effort,
    *,
    center: bool,
) -> Features:
    """Principal components of the features of images, from the cache if they are there."""

    def compute() -> list[NDArray[np.floating]]:
        table = features()
        n_components = min(N_COMPONENTS, *table.shape)
        return [pca(table, n_components, center=center, n_jobs=effort.n_jobs, progress=effort.progress)]

    parameters = {**recipe, "n_components": N_COMPONENTS, "center": center}
    return np.asarray(cached(f"{name}-pca", images, parameters, compute))
