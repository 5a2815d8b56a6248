"""What is done to rows before a fit, learned from its data and done to new rows too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.execution.threads import single_threaded_libraries
from subspan.execution.tiles import in_panels, tile_product
from subspan.handover import InputError
from subspan.sources import Source
from subspan.sources.views import View

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

BLOCK_ROWS = 1024


@dataclass(frozen=True)
class Wishes:
    """What is to be done; the names are those of `SubspaceClustering`."""

    center: bool = False
    standardize: bool = False
    # A number of directions, or the share of energy that they hold.
    pca: int | float | None = None
    missing: str = "raise"

    @property
    def any(self) -> bool:
        """Whether anything is to be done."""
        return self != Wishes()


@dataclass(frozen=True, eq=False)
class Preparation:
    """Missing entries, a shift and a scale of each column, directions: in this order."""

    missing: str = "raise"
    # (n_features,) entries for missing ones, what is taken away, and what is divided by.
    fill: Doubles | None = None
    shift: Doubles | None = None
    scale: Doubles | None = None
    # (n_directions, n_features) orthonormal rows.
    axes: Doubles | None = None

    def n_features_in(self, n_features_out: int) -> int:
        """Columns of the rows that come in, where those that come out have so many."""
        return n_features_out if self.axes is None else int(self.axes.shape[1])

    def apply(self, rows: Floats, source: Source, start: int) -> tuple[Floats, NDArray[np.bool_]]:
        """The rows that can be used, prepared, and which of all rows they are.

        `source` and `start` say in a message where the rows are from.
        """
        lacking = np.isnan(rows)
        gaps = lacking.any(axis=1)
        usable: NDArray[np.bool_] = np.ones(len(rows), np.bool_)
        if gaps.any():
            if self.missing == "raise":
                row = int(np.flatnonzero(gaps)[0])
                column = int(np.flatnonzero(lacking[row])[0])
                raise InputError(
                    "{}: row {}, column {} is NaN or inf; {missing} would take missing entries.",
                    *(source.name, start + row, column),
                    missing="mean",
                )
            if self.missing == "drop":
                usable = np.logical_not(gaps)
                rows = rows[usable]
            else:
                rows = np.where(lacking, np.asarray(self.fill), rows)
        return self._changed(rows), usable

    def _changed(self, rows: Floats) -> Floats:
        if self.shift is None and self.scale is None and self.axes is None:
            return rows
        wide: Floats = rows.astype(np.float64)
        if self.shift is not None:
            wide -= self.shift
        if self.scale is not None:
            wide /= self.scale
        if self.axes is not None:
            wide = tile_product(wide, in_panels(self.axes))[:, : len(self.axes)]
        return wide.astype(rows.dtype)


@dataclass(frozen=True)
class PreparedRows(View):
    """Rows of a source after a preparation that drops none."""

    preparation: Preparation

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        axes = self.preparation.axes
        n_rows, n_columns = self.source.shape
        return n_rows, n_columns if axes is None else len(axes)

    @property
    def columns(self) -> tuple[str, ...]:
        """Directions have no names."""
        return self.source.columns if self.preparation.axes is None else ()

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop, prepared."""
        return self.preparation.apply(self.source.rows(start, stop), self.source, start)[0]

    def take(self, indices: NDArray[np.integer]) -> Floats:
        """The rows at sorted `indices`, prepared."""
        return self.preparation.apply(self.source.take(indices), self.source, 0)[0]

    def fingerprint(self) -> str:
        """That of the source, with what is done to it."""
        done = self.preparation
        parts = ("fill", done.fill), ("shift", done.shift), ("scale", done.scale), ("axes", done.axes)
        marks = [f"{name}={np.sum(value):.17g}" for name, value in parts if value is not None]
        return " ".join([self.source.fingerprint(), *marks])


def complete_rows(source: Source) -> NDArray[np.int64]:
    """Rows without a missing entry."""
    return np.concatenate(
        [start + np.flatnonzero(~np.isnan(block).any(axis=1)) for start, block in _blocks(source)]
    )


def learn_preparation(source: Source, wishes: Wishes) -> Preparation:
    """What is to be done to the rows of `source` and to all that come later.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> rows = ArraySource(np.array([[1.0, 5.0], [3.0, np.nan], [5.0, 7.0]]))
    >>> learned = learn_preparation(rows, Wishes(center=True, missing="mean"))
    >>> PreparedRows(rows, learned).rows(0, 3).tolist()
    [[-2.0, -1.0], [0.0, 0.0], [2.0, 1.0]]
    """
    fill = shift = scale = axes = None
    if wishes.missing == "mean" or wishes.center or wishes.standardize:
        means = _column_means(source)
        fill = means if wishes.missing == "mean" else None
        shift = means if wishes.center or wishes.standardize else None
    before = Preparation(wishes.missing, fill, shift)
    if wishes.standardize:
        squares = sum((block**2).sum(axis=0) for block in _changed_blocks(source, before))
        deviation = np.sqrt(np.asarray(squares) / source.shape[0])
        # A constant column stays as it is.
        scale = np.where(deviation > 0, deviation, 1.0)
        before = Preparation(wishes.missing, fill, shift, scale)
    if wishes.pca is not None:
        axes = _leading_directions(source, before, wishes.pca)
    return Preparation(wishes.missing, fill, shift, scale, axes)


def _blocks(source: Source) -> Iterator[tuple[int, Floats]]:
    for start in range(0, source.shape[0], BLOCK_ROWS):
        yield start, source.rows(start, start + BLOCK_ROWS)


def _changed_blocks(source: Source, before: Preparation) -> Iterator[Doubles]:
    for start, block in _blocks(source):
        yield before.apply(block, source, start)[0].astype(np.float64)


def _column_means(source: Source) -> Doubles:
    """Of the entries that are there."""
    totals, counts = np.zeros(source.shape[1]), np.zeros(source.shape[1], np.int64)
    for _, block in _blocks(source):
        there = ~np.isnan(block)
        totals += np.where(there, block, 0).sum(axis=0, dtype=np.float64)
        counts += there.sum(axis=0)
    if not np.isfinite(totals).all():
        raise InputError(f"{source.name}: column {int(np.isfinite(totals).argmin())} contains NaN or inf.")
    if not counts.all():
        raise InputError(f"{source.name}: column {int(counts.argmin())} has no entry at all.")
    return np.asarray(totals / counts)


def _leading_directions(source: Source, before: Preparation, wanted: int | float) -> Doubles:
    """Directions of the largest spread around the origin, in rows."""
    n_rows, n_features = source.shape
    if wanted >= 1 and wanted > min(n_rows, n_features):
        raise InputError(
            "{pca}, but {} has {} rows and {} columns.", source.name, n_rows, n_features, pca=wanted
        )
    scatter = np.zeros((n_features, n_features))
    with single_threaded_libraries():
        for block in _changed_blocks(source, before):
            scatter += block.T @ block
        energies, vectors = eigh(scatter)
    energies, vectors = np.maximum(energies[::-1], 0), vectors[:, ::-1]
    if wanted < 1:
        held = np.cumsum(energies) / max(float(energies.sum()), np.finfo(np.float64).tiny)
        wanted = int((held < wanted * (1 - 1e-12)).sum()) + 1
    axes = vectors[:, : int(wanted)].T
    # Each direction points to where its largest entry is positive.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return np.ascontiguousarray(axes * signs[:, None])
