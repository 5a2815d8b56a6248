"""The points that stand for a cluster, and their pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.plotting.numbers.clusters import number_clusters
from subspan.plotting.numbers.graph import Affinity, open_graph, weights_by_group
from subspan.sources import open_source

N_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Representatives:
    """The most central points of each cluster; the label -1 is no cluster."""

    clusters: NDArray[Any]
    sizes: NDArray[np.intp]
    # For each cluster the rows of its representatives, the most central first, and how central they are.
    rows: tuple[NDArray[np.intp], ...]
    weights: tuple[NDArray[np.float64], ...]


def representatives(affinity: Affinity, labels: ArrayLike, n_shown: int = N_SHOWN) -> Representatives:
    """Points with the largest total weight to their own cluster; of equals, those that come first.

    Parameters
    ----------
    affinity, labels
        As for `ordered_affinity`.
    n_shown : int
        Most representatives of a cluster.

    Examples
    --------
    >>> star = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> [rows.tolist() for rows in representatives(star, ["a", "a", "a"], 2).rows]
    [[0, 1]]
    """
    clusters = number_clusters(labels)
    graph = open_graph(affinity, clusters.of_point.size)
    if n_shown < 1:
        raise InputError(f"n_shown={n_shown}: must be at least 1.")
    central = np.empty(clusters.of_point.size)
    for rows, weights in weights_by_group(graph, clusters.of_point, len(clusters.names)):
        central[rows] = weights[np.arange(len(weights)), clusters.of_point[rows]]
    chosen = []
    for number in range(clusters.n_clusters):
        members = clusters.members(number)
        chosen.append(members[np.argsort(-central[members], kind="stable")[:n_shown]])
    names, sizes = clusters.names[: clusters.n_clusters], clusters.sizes[: clusters.n_clusters]
    return Representatives(names, sizes, tuple(chosen), tuple(central[rows] for rows in chosen))


def tiles(
    X: Any, rows: ArrayLike, image_shape: tuple[int, ...], *, image_order: Literal["C", "F"] = "C"
) -> NDArray[np.float64]:
    """Rows of the data as images with values from 0 to 1, each from its own least to its greatest value.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features), path or source
        Its rows hold the pixels of an image each.
    rows : array-like of int
        Which images.
    image_shape : tuple
        (height, width), or (height, width, 3) for colours.
    image_order : {"C", "F"}
        Whether pixels are stored line by line, or column by column as MATLAB does.

    Returns
    -------
    ndarray of shape (len(rows), height, width) or (len(rows), height, width, 3)

    Examples
    --------
    >>> tiles([[0, 2, 4, 8], [1, 1, 1, 1]], [0, 1], (2, 2)).tolist()
    [[[0.0, 0.25], [0.5, 1.0]], [[0.0, 0.0], [0.0, 0.0]]]
    """
    source = open_source(X)
    shape = tuple(image_shape)
    if len(shape) not in (2, 3) or shape[2:] not in ((), (3,)):
        raise InputError(f"image_shape={image_shape}: must be (height, width) or (height, width, 3).")
    if np.prod(shape) != source.shape[1]:
        raise InputError(
            f"image_shape={image_shape}: has {np.prod(shape)} values, but X has {source.shape[1]} columns."
        )
    if image_order not in ("C", "F"):
        raise InputError(f"image_order={image_order!r}: must be 'C' or 'F'.")
    distinct, place = np.unique(np.asarray(rows, np.intp), return_inverse=True)
    pixels = source.take(distinct)[place].astype(np.float64)
    pixels -= pixels.min(axis=1, keepdims=True)
    brightest = pixels.max(axis=1, keepdims=True)
    pixels /= np.where(brightest > 0, brightest, 1.0)
    if image_order == "F":
        # All axes but the first, backwards.
        return np.moveaxis(pixels.reshape(-1, *shape[::-1]).T, -1, 0)
    return pixels.reshape(-1, *shape)
