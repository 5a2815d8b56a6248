"""From the rows of the input to points, and back: the two ends of a fit.

A point is a distinct, usable row. Zero rows and copies are set aside when the rows are read, and get their
labels when the points have theirs; no stage in between knows of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.handover import Embedding, InputError
from subspan.labeling import attach_left_out, canonical_labels
from subspan.sources import Lifted, Source, UnitRows, lifted, scan
from subspan.sources.scanning import check_range, chosen_rows, usable_rows


@dataclass(frozen=True)
class Reading:
    """How the rows of the input become points; the names are those of the estimators."""

    normalize: bool
    # What is put beside rows that are points of flats off the origin, which keep their lengths; or 0.
    constant: float
    # Whether such a row and its constant are then brought to unit norm.
    unit_lift: bool
    zero_rows: str
    duplicates: str
    n_clusters: int
    # Whether a zero row is of no use. Methods with flats off the origin accept zero rows.
    needs_directions: bool
    # Whether opposite rows are copies, as they lie in the same subspaces.
    lines: bool
    # Whether rows are hashed, so that a later fit knows them again and a changed file is noticed.
    hashed: bool


@dataclass(frozen=True)
class Points:
    """The distinct, usable rows of the input, and how the input's rows map to them."""

    source: Source
    # Input row of each point, and point of each input row (-1 for a zero row).
    row_of_point: NDArray[np.int64]
    point_of_row: NDArray[np.int64]
    # (n_points, 2) hashes by which a point is known again.
    digests: NDArray[np.uint64]
    # Which input rows are opposites of their point.
    opposite: NDArray[np.bool_]
    # How rows became points of one dimension more, for flats off the origin.
    lift: Lifted | None = None
    # Rows that were left out before, since entries are missing.
    n_incomplete: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Zero rows, rows that are copies of others, and incomplete ones if there are any."""
        n_without = int((self.point_of_row < 0).sum())
        incomplete = {"incomplete_rows": self.n_incomplete} if self.n_incomplete else {}
        return {
            "zero_rows": n_without - self.n_incomplete,
            "duplicate_rows": len(self.point_of_row) - n_without - len(self.row_of_point),
            **incomplete,
        }

    def among(self, kept: NDArray[np.int64], n_rows: int) -> Points:
        """The same points where only the rows `kept` of all rows were looked at."""
        point_of_row, opposite = np.full(n_rows, -1), np.zeros(n_rows, bool)
        point_of_row[kept], opposite[kept] = self.point_of_row, self.opposite
        rows, n_incomplete = kept[self.row_of_point], n_rows - len(kept)
        return replace(
            self, row_of_point=rows, point_of_row=point_of_row, opposite=opposite, n_incomplete=n_incomplete
        )

    def rows_of(self, points: NDArray[np.integer]) -> NDArray[np.int64]:
        """Input rows of some points."""
        rows: NDArray[np.int64] = self.row_of_point[points]
        return rows

    def expand(self, coefficients: Any) -> Any:
        """Coefficients of the points as coefficients of the input's rows; copies repeat the original's."""
        if len(self.row_of_point) == len(self.point_of_row):
            return coefficients
        if isinstance(coefficients, csr_array):
            return self._expand_sparse(coefficients)
        return coefficients.expanded(self.point_of_row, self.row_of_point, self.opposite)

    def expand_labels(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels of the input's rows: copies repeat the label of the original, zero rows have -1."""
        return np.where(self.point_of_row >= 0, labels[self.point_of_row], -1)

    def _expand_sparse(self, coefficients: csr_array) -> csr_array:
        n_rows = len(self.point_of_row)
        known = self.point_of_row >= 0
        expanded = coefficients[self.point_of_row[known]]
        lengths = np.zeros(n_rows, expanded.indptr.dtype)
        lengths[known] = np.diff(expanded.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(expanded.indptr.dtype)
        columns = self.row_of_point[expanded.indices].astype(expanded.indices.dtype)
        expanded.data[np.repeat(self.opposite, lengths)] *= -1
        return csr_array((expanded.data, columns, indptr), shape=(n_rows, n_rows))

    def label_rows(
        self, labels: NDArray[np.int64], embedding: Embedding, *, attach: bool
    ) -> NDArray[np.int64]:
        """Labels of all rows, from those that the embedding gave to some of them.

        Copies follow their original, and zero rows have the label -1. Points that the embedding left out
        join the most similar cluster, if they are to be attached.
        """
        of_points = labels[self.row_of_point]
        if attach:
            of_points = attach_left_out(self.source, of_points, embedding.components[self.row_of_point])
        return canonical_labels(self.expand_labels(of_points))


def read_points(source: Source, reading: Reading) -> Points:
    """Look at every row once: set zero rows aside, merge copies, change the others as asked."""
    n_rows, n_features = source.shape
    unit = reading.normalize and not reading.constant
    found = scan(source, unit, lines=reading.lines, hashed=reading.hashed)
    empty = found.zero_rows if reading.needs_directions else np.empty(0, np.int64)
    if len(empty) and reading.zero_rows == "raise":
        raise InputError(
            "{}: {} zero row{}, the first at row {}: it has no direction; remove it, or pass {zero_rows} "
            "to give such rows the label -1.",
            *(source.name, len(empty), "s" * (len(empty) > 1), empty[0]),
            zero_rows="label",
        )
    if not unit:
        # Methods for flats off the origin bring the rows to their own unit of length.
        check_range(source, found, small_is_fine=not reading.needs_directions)
    usable = np.setdiff1d(np.arange(n_rows), empty)
    copy_of = found.copy_of[usable] if reading.duplicates == "merge" else usable
    originals, point = np.unique(copy_of, return_inverse=True)
    if len(originals) < max(reading.n_clusters, 2):
        distinct = "directions" if unit else "rows"
        raise InputError(
            "{n_clusters}, but {} (n_samples={}, n_features={}) has only {} distinct {}.",
            *(source.name, n_rows, n_features, len(originals), distinct),
            n_clusters=reading.n_clusters,
        )
    point_of_row = np.full(n_rows, -1)
    point_of_row[usable] = point
    change: Callable[[Source], Source] | None = UnitRows if unit else None
    lift = None
    if reading.constant:
        lift = lifted(chosen_rows(source, originals), reading.constant, unit=reading.unit_lift)
        change = partial(Lifted, mean=lift.mean, length=lift.length, constant=lift.constant, unit=lift.unit)
    points = usable_rows(source, found, originals, change)
    opposite = found.opposite & (reading.duplicates == "merge")
    digests = found.digests[originals]
    return Points(points, originals, point_of_row, digests, opposite, lift=lift)
