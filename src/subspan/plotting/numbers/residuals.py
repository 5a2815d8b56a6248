"""What the coefficients leave unexplained of each point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from subspan.handover import Factors, InputError
from subspan.plotting.numbers.clusters import evenly
from subspan.sources import Source, open_source

# A histogram of more points looks the same.
MAX_POINTS = 20_000
N_BARS = 50
# Rows of coefficients looked at together: their atoms are rows of the data, all in memory.
ROWS_AT_ONCE = 256

Doubles = NDArray[np.float64]
Rows = NDArray[np.intp]
# Some rows after the others, and what represents each of them.
Blocks = Iterator[tuple[Rows, Doubles]]


@dataclass(frozen=True, eq=False)
class Residuals:
    """Norm of what is left of each point."""

    # Rows looked at, ascending, and ||x_j - sum_i c_ji x_i|| of each; NaN for a zero row.
    rows: Rows
    norms: Doubles
    # A histogram of them.
    edges: Doubles
    counts: NDArray[np.intp]
    # Whether the points were brought to unit norm: then a norm of 1 means that nothing is explained.
    normalized: bool

    @property
    def median(self) -> float:
        """Of the norms."""
        return float(np.nanmedian(self.norms))


def residuals(
    X: Any, coefficients: Any, *, normalize: bool = True, max_points: int = MAX_POINTS
) -> Residuals:
    """Norm of what is left of each point after its representation by the others.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features), path or source
        The points; read a few rows at a time.
    coefficients : matrix of shape (n_points, n_points), sparse, dense or on disk, or Factors
        Row j represents point j.
    normalize : bool
        Whether the coefficients belong to points of unit norm.
    max_points : int
        Most points looked at, at even distances.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]
    >>> coefficients = csr_array(np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    >>> residuals(X, coefficients).norms.tolist()
    [0.5, 1.0, 0.0]
    """
    source = open_source(X)
    n_points = source.shape[0]
    if not hasattr(coefficients, "shape"):
        raise InputError("coefficients must be a matrix with a row and a column for each point.")
    if coefficients.shape != (n_points, n_points):
        raise InputError(f"coefficients have shape {coefficients.shape}, but X has {n_points} rows.")
    points = ScaledRows(source, normalize)
    rows = evenly(np.arange(n_points), max_points)
    represented = _by_factors if isinstance(coefficients, Factors) else _by_rows
    norms = np.concatenate(
        [
            np.linalg.norm(points.take(block) - sums, axis=1)
            for block, sums in represented(points, coefficients, rows)
        ]
    )
    norms[points.lengths[rows] == 0] = np.nan
    known = norms[np.isfinite(norms)]
    top = max(float(known.max(initial=0.0)), float(np.finfo(np.float32).eps))
    counts, edges = np.histogram(known, N_BARS, (0.0, top))
    return Residuals(rows, norms, edges, counts, normalize)


class ScaledRows:
    """Rows of a source in float64, of unit length if asked for; their lengths are found at the outset."""

    def __init__(self, source: Source, normalize: bool) -> None:
        self._source = source
        starts = range(0, source.shape[0], ROWS_AT_ONCE)
        blocks = (source.rows(start, start + ROWS_AT_ONCE).astype(np.float64) for start in starts)
        self.lengths = np.concatenate([np.linalg.norm(block, axis=1) for block in blocks])
        scaled = normalize & (self.lengths > 0)
        self._divisors = np.where(scaled, self.lengths, 1.0)

    def take(self, rows: Rows) -> Doubles:
        """Rows at sorted numbers."""
        return self._source.take(rows).astype(np.float64) / self._divisors[rows, None]


def _by_rows(points: ScaledRows, coefficients: Any, rows: Rows) -> Blocks:
    """Combinations by coefficients whose rows may be on disk, read in order, a few at a time."""
    in_memory = issparse(coefficients) or isinstance(coefficients, np.ndarray)
    matrix = csr_array(coefficients) if in_memory else coefficients
    for block in _blocks(rows):
        between = matrix[int(block[0]) : int(block[-1]) + 1]
        yield block, _combined(points, between[block - block[0]])


def _by_factors(points: ScaledRows, factors: Factors, rows: Rows) -> Blocks:
    """Left (right^T X), without the entries between copies of one point, which count as zero."""
    every = np.arange(len(points.lengths))
    summary: Any = sum(
        factors.right[block].T.astype(np.float64) @ points.take(block) for block in _blocks(every)
    )
    known = every[factors.point >= 0]
    places = (known, factors.point[known])
    same = csr_array((np.ones(len(known)), places), shape=(len(every), int(factors.point.max()) + 1))
    # Of copies only the first is an atom, so each row has one entry here.
    atoms = np.flatnonzero(factors.right.any(axis=1))
    for block in _blocks(rows):
        left = factors.left[block].astype(np.float64)
        row, atom = (same[block] @ same[atoms].T).nonzero()
        own = np.einsum("ij,ij->i", left[row], factors.right[atoms[atom]])
        between_copies = csr_array((own, (row, atoms[atom])), shape=(len(block), len(every)))
        yield block, left @ summary - _combined(points, between_copies)


def _blocks(rows: Rows) -> list[Rows]:
    return [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]


def _combined(points: ScaledRows, coefficients: csr_array) -> Doubles:
    """Combinations of points; only those with a coefficient are read."""
    atoms, place = np.unique(coefficients.indices, return_inverse=True)
    shape = (coefficients.shape[0], len(atoms))
    narrow = csr_array((coefficients.data.astype(np.float64), place, coefficients.indptr), shape=shape)
    return np.asarray(narrow @ points.take(atoms))
