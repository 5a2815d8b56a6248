"""The spectral embedding seen from the side where it is widest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from subspan.handover import InputError
from subspan.plotting.numbers.clusters import check_length, number_clusters, thinned
from subspan.plotting.numbers.finite import finite_numbers

# A scatter plot of more points is no clearer.
MAX_POINTS = 5000
# And of more than these t-SNE takes long. With few there are no neighbours to speak of.
MAX_NEIGHBOURS = 1500
FEWEST_NEIGHBOURS = 30


@dataclass(frozen=True, eq=False)
class EmbeddingPlane:
    """Points in two coordinates."""

    # (n_shown, 2).
    coordinates: NDArray[np.float64]
    # Row of each point shown, ascending, and position of its label among `clusters`.
    rows: NDArray[np.intp]
    cluster: NDArray[np.intp]
    # Distinct labels of the embedded points; -1, "in no cluster", last.
    clusters: NDArray[Any]
    # Share of the variance along each of the two coordinates.
    shares: tuple[float, float]
    # Points in the embedding, whether shown or not.
    n_embedded: int
    # How the coordinates came about.
    drawn_by: Literal["projection", "t-SNE"] = "projection"


def embedding_neighbours(
    embedding: ArrayLike, labels: ArrayLike, max_points: int = MAX_NEIGHBOURS
) -> EmbeddingPlane:
    """Draw the rows of the embedding so that neighbours stay neighbours, by t-SNE of scikit-learn.

    Where a projection shows little of many clusters, this shows all of them; distances between groups mean
    nothing. Parameters are as for `embedding_plane`; with too few points for t-SNE its result is returned.

    Examples
    --------
    >>> corners = np.repeat(np.eye(5), 8, axis=0)
    >>> embedding_neighbours(corners, np.repeat(np.arange(5), 8)).drawn_by
    't-SNE'
    """
    # Imported here: no other number needs it.
    from sklearn.manifold import TSNE

    from subspan.execution.threads import single_threaded_libraries

    plane = embedding_plane(embedding, labels, max_points)
    if len(plane.rows) <= FEWEST_NEIGHBOURS:
        return plane
    vectors = finite_numbers("embedding", embedding, 2)[plane.rows]
    unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    # Points in one place have no neighbours to choose from: a trace of noise gives them some.
    unit += 1e-4 * np.random.default_rng(0).standard_normal(unit.shape)
    perplexity = min(30.0, (len(unit) - 1) / 3)
    # The same picture whatever the number of threads.
    with single_threaded_libraries():
        drawn = TSNE(init="random", perplexity=perplexity, max_iter=500, random_state=0, n_jobs=1)
        places = drawn.fit_transform(unit)
    return replace(plane, coordinates=places.astype(np.float64), drawn_by="t-SNE")


def embedding_plane(embedding: ArrayLike, labels: ArrayLike, max_points: int = MAX_POINTS) -> EmbeddingPlane:
    """Project the embedding, its rows brought to unit length, onto its two leading principal directions.

    Parameters
    ----------
    embedding : array-like of shape (n_points, n_components)
        Zero rows are points that were left out.
    labels : array-like of shape (n_points,)
        Cluster of every point.
    max_points : int
        Most points returned, each cluster with at least one; the directions are those of all points.

    Examples
    --------
    >>> corners = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    >>> plane = embedding_plane(corners, [0, 0, 1, 1])
    >>> plane.coordinates.round(2).tolist(), plane.rows.tolist()
    ([[0.47, 0.0], [0.47, 0.0], [-0.94, 0.0]], [0, 1, 2])
    """
    vectors = finite_numbers("embedding", embedding, 2)
    check_length(number_clusters(labels), len(vectors), "embedding")
    lengths = np.linalg.norm(vectors, axis=1)
    embedded = np.flatnonzero(lengths > 0)
    if embedded.size == 0:
        raise InputError("embedding has only zero rows, so there is no point to show.")
    unit = vectors[embedded] / lengths[embedded, None]
    clusters = number_clusters(np.asarray(labels)[embedded])
    shown = thinned(clusters, max_points)
    centre = unit.mean(axis=0)
    directions, shares = _leading_directions(unit - centre)
    return EmbeddingPlane(
        coordinates=(unit[shown] - centre) @ directions,
        rows=embedded[shown],
        cluster=clusters.of_point[shown],
        clusters=clusters.names,
        shares=shares,
        n_embedded=embedded.size,
    )


def _leading_directions(
    centred: NDArray[np.float64],
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Two directions of largest variance, (n_components, 2), and their shares of it."""
    # Imported here: with it comes the compiler of the kernels, which no other number needs.
    from subspan.embedding.shared import positive_peaks

    variances, directions = np.linalg.eigh(centred.T @ centred)
    total = max(float(variances.sum()), np.finfo(np.float64).tiny)
    # An embedding with one column, or with all points in one place, has no second direction.
    plane = np.zeros((len(directions), 2))
    n_found = min(2, len(directions))
    plane[:, :n_found] = positive_peaks(directions[:, ::-1][:, :n_found])
    first, second = [*np.maximum(variances[::-1][:n_found], 0.0) / total, 0.0][:2]
    return plane, (float(first), float(second))
