"""Labels for the points that the embedding left out, from the data themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.execution.steps import track
from subspan.execution.threads import single_threaded_libraries
from subspan.execution.tiles import TILE, in_panels, tile_product
from subspan.handover import InputError
from subspan.sources import Source

# Labelled points that one product compares a tile with: bounds the memory.
LABELLED_PER_PRODUCT = 32 * TILE


def attach_left_out(
    points: Source,
    labels: NDArray[np.integer],
    groups: NDArray[np.integer],
    *,
    labelled_per_product: int = LABELLED_PER_PRODUCT,
) -> NDArray[np.int64]:
    """Give each point with label -1 the label of the labelled point with the largest |cosine|.

    Points of one group move together, to the label with the largest sum over the members, where a member
    counts for each label with its largest |cosine| to a point of that label. Ties go to the lowest label.

    Parameters
    ----------
    points : Source
        n points in rows, of any length. A zero row is orthogonal to everything.
    labels : array of shape (n,)
        Labels, -1 for the points to attach.
    groups : array of shape (n,)
        Group of each point, for example its connected component; -1 for a point on its own. Read only
        where the label is -1.
    labelled_per_product : int
        Labelled points compared at a time; they change nothing in the result.

    Returns
    -------
    array of shape (n,)
        The labels without -1.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.sources import ArraySource
    >>> points = ArraySource(np.array([[1.0, 0.0], [0.0, 1.0], [-3.0, 0.1], [0.9, 1.0]]))
    >>> alone = np.array([-1, -1, -1, -1])
    >>> attach_left_out(points, np.array([0, 1, -1, -1]), alone).tolist()
    [0, 1, 0, 1]
    >>> attach_left_out(points, np.array([0, 1, -1, -1]), np.array([-1, -1, 2, 2])).tolist()
    [0, 1, 0, 0]
    """
    attached = labels.astype(np.int64)
    left_out = np.flatnonzero(attached == -1)
    if left_out.size == attached.size:
        raise InputError("labels: every point has label -1, so there is no cluster to attach points to")
    if left_out.size == 0:
        return attached
    scores = _label_scores(points, attached, left_out, labelled_per_product)
    # Points on their own become groups of one, beyond the given group numbers.
    own = int(groups.max(initial=-1)) + 1 + np.arange(left_out.size)
    _, group = np.unique(np.where(groups[left_out] < 0, own, groups[left_out]), return_inverse=True)
    totals = np.zeros((left_out.size, scores.shape[1]))
    np.add.at(totals, group, scores)
    attached[left_out] = np.unique(attached[attached != -1])[np.argmax(totals, axis=1)[group]]
    return attached


def _label_scores(
    points: Source, labels: NDArray[np.int64], left_out: NDArray[np.int64], per_product: int
) -> NDArray[np.float64]:
    """Largest |cosine| of each left-out point with a point of each label, labels in ascending order."""
    labelled = np.flatnonzero(labels != -1)
    names, label = np.unique(labels[labelled], return_inverse=True)
    # Sorted by label, so that the points of one label are neighbours in a product.
    order = np.argsort(label, kind="stable")
    scores = np.zeros((left_out.size, names.size))
    with single_threaded_libraries():
        for start in track("blocks of points", range(0, order.size, per_product)):
            chosen = order[start : start + per_product]
            _raise_scores(
                scores, points, left_out, _unit_rows(_rows_at(points, labelled[chosen])), label[chosen]
            )
    return scores


def _raise_scores(
    scores: NDArray[np.float64],
    points: Source,
    left_out: NDArray[np.int64],
    labelled_rows: NDArray[np.floating],
    label: NDArray[np.int64],
) -> None:
    """Raise the scores to the |cosines| with these labelled rows, whose labels are ascending."""
    present, first = np.unique(label, return_index=True)
    panels = in_panels(labelled_rows)
    for start in range(0, left_out.size, TILE):
        rows = _unit_rows(points.take(left_out[start : start + TILE]))
        cosines = np.abs(tile_product(rows, panels)[:, : label.size])
        best = np.maximum.reduceat(cosines, first, axis=1)
        window = scores[start : start + TILE]
        window[:, present] = np.maximum(window[:, present], best)


def _rows_at(points: Source, indices: NDArray[np.int64]) -> NDArray[np.floating]:
    """Rows in the order of the indices; a source wants them sorted."""
    order = np.argsort(indices)
    rows = points.take(indices[order])
    out = np.empty_like(rows)
    out[order] = rows
    return out


def _unit_rows(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """Rows of length one, zero rows left; scaled by the largest entry first against overflow."""
    peaks = np.abs(rows).max(axis=1, keepdims=True)
    scaled = rows / np.where(peaks == 0, 1, peaks)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    unit: NDArray[np.floating] = scaled / np.where(norms == 0, 1, norms)
    return unit
