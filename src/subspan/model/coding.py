"""Codes of new rows over the atoms of a model, by the problem that the method solved for its own points.

Every product is made by `tile_product`, so the code of a row does not depend on the rows beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import single_threaded_libraries
from subspan.execution.tiles import (
    TILE,
    gram_matrix,
    in_panels,
    norms_of,
    padded,
    squared_norms,
    tile_product,
)
from subspan.kernels.pursuit.state import Queries
from subspan.self_expression.consensus import SELECTIONS, ConsensusSettings, rules_of
from subspan.self_expression.engine import Engine, padded_features
from subspan.self_expression.lasso_codes import CodingProblem, WorkingSets, reach, tile_codes

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]


class RowCodes(NamedTuple):
    """Atoms and coefficients of some rows: the first `counts` of each row count."""

    picks: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: Indices


# Without damping a pursuit passes over a copy of its row: in a fit the two would be a cluster of their own. A
# new row shall follow its copy: this is damping, and too little to change a bit.
LEAST_DAMPING = float(np.finfo(np.float64).tiny)

# Takes rows and, of each row that is an atom itself, that atom (or -1), which must not represent it.
Coder = Callable[[Floats, Indices], RowCodes]


class Coding(Protocol):
    """A problem whose solution is the code of a row; its fields are plain numbers and words."""

    kind: ClassVar[str]

    def coder(self, atoms: Floats, n_rows: int, threads: int) -> Coder:
        """Solves it over these atoms, for about `n_rows` rows."""


@dataclass(frozen=True)
class PursuitCoding:
    """The pursuit of S3COMP over all atoms."""

    kind: ClassVar[str] = "pursuit"
    # With fewer rows than this a table of 8-bit products would take longer than it saves.
    FEW_ROWS: ClassVar[int] = 512

    n_nonzero: int
    damping: float = 0.0
    residual_tol: float = 1e-3
    selection: str = "psi"

    def coder(self, atoms: Floats, n_rows: int, threads: int) -> Coder:
        """Pursuits; the table decides about their time, not about a bit of the result."""
        damping = max(self.damping, LEAST_DAMPING)
        settings = ConsensusSettings(
            min(self.n_nonzero, len(atoms)), damping, self.residual_tol, selection=self.selection
        )
        selection = SELECTIONS[self.selection](norms_of(atoms), damping)
        everything = np.arange(len(atoms), dtype=np.int32)
        engine = Engine(
            atoms,
            everything.astype(np.int64),
            [everything],
            rules_of(settings, selection, atoms.dtype),
            selection.weights,
            "none" if n_rows < self.FEW_ROWS else "dictionaries",
            threads,
        )

        def code(rows: Floats, own: Indices) -> RowCodes:
            queries = _queries(rows, own)
            work = engine.workspace(len(rows), 1)
            engine.solve(0, queries, engine.bytes_of(queries), work, np.zeros(2, np.int64))
            return RowCodes(work.picks.atoms[0], work.picks.values[0], work.picks.counts[0].astype(np.int64))

        return code


def _queries(rows: Floats, own: Indices) -> Queries:
    """New rows, without any target."""
    n = len(rows)
    wide = padded_features(rows)
    return Queries(
        rows=wide,
        norms=norms_of(wide),
        own=own,
        active=np.ones(n, np.bool_),
        target_atoms=np.zeros((n, 1), np.int32),
        target_values=np.zeros((n, 1)),
        target_counts=np.zeros(n, np.int32),
    )


@dataclass(frozen=True)
class RidgeCoding:
    """Least squares with a penalty on the squares; of each row the largest coefficients are kept."""

    kind: ClassVar[str] = "ridge"

    regularization: float
    n_largest: int

    def coder(self, atoms: Floats, n_rows: int, threads: int) -> Coder:
        """One matrix has all solutions: a row times it is its code."""
        wide = atoms.astype(np.float64)
        with single_threaded_libraries():
            system = wide.T @ wide + self.regularization * np.eye(wide.shape[1])
            solutions = np.linalg.solve(system, wide.T).T
        panels = in_panels(np.ascontiguousarray(solutions, atoms.dtype))
        n_largest = min(self.n_largest, len(atoms))

        def code(rows: Floats, own: Indices) -> RowCodes:
            codes = tile_product(rows, panels)[:, : len(atoms)]
            known = np.flatnonzero(own >= 0)
            codes[known, own[known]] = 0
            picks = np.argpartition(np.abs(codes), -n_largest, axis=1)[:, -n_largest:]
            # In one order: the sums that follow are then the same, whatever the partition did.
            picks.sort(axis=1)
            values = np.take_along_axis(codes, picks, axis=1).astype(np.float64)
            return RowCodes(picks.astype(np.int32), values, np.full(len(rows), n_largest))

        return code


@dataclass(frozen=True)
class ElasticNetCoding:
    """1/2 ||x - cA||^2 + tau alpha ||c||_1 + (1 - tau) alpha/2 ||c||^2."""

    kind: ClassVar[str] = "elastic net"
    TOL: ClassVar[float] = 1e-6
    # Fewer at once than in a fit: a fifth to a third less time on five sets, and the same codes up to TOL.
    SIZES: ClassVar[WorkingSets] = WorkingSets(candidates=50)

    tau: float
    # alpha is the largest correlation of a row divided by tau * gamma, unless it is given.
    gamma: float
    alpha: float | None = None

    def coder(self, atoms: Floats, n_rows: int, threads: int) -> Coder:
        """Exact up to the optimality conditions; the Gram matrix of the atoms is kept."""
        whole = padded(atoms)
        gram, panels = gram_matrix(whole, threads), in_panels(whole)

        def tile(rows: Floats, own: Indices) -> RowCodes:
            filled = padded(rows)
            correlations = tile_product(filled, panels)
            largest = reach(correlations, own, len(atoms))
            alpha = largest / (self.tau * self.gamma) if self.alpha is None else self.alpha
            # A row that no atom resembles has no code, whatever the penalty.
            alpha = np.maximum(np.broadcast_to(alpha, len(rows)), np.finfo(np.float64).tiny)
            problem = CodingProblem(
                correlations, len(atoms), squared_norms(filled), own,
                self.tau * alpha, (1 - self.tau) * alpha, self.TOL * largest, self.SIZES,
            )  # fmt: skip
            codes = tile_codes(problem, gram)
            return RowCodes(codes.atoms, codes.values, codes.counts.astype(np.int64))

        def code(rows: Floats, own: Indices) -> RowCodes:
            starts = range(0, len(rows), TILE)
            return _joined([tile(rows[i : i + TILE], own[i : i + TILE]) for i in starts])

        return code


def _joined(parts: list[RowCodes]) -> RowCodes:
    """Codes of tiles below each other, as wide as the widest."""
    width = max(part.picks.shape[1] for part in parts)

    def widened(array: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.pad(array, ((0, 0), (0, width - array.shape[1])))

    return RowCodes(
        np.concatenate([widened(part.picks) for part in parts]).astype(np.int32),
        np.concatenate([widened(part.values) for part in parts]).astype(np.float64),
        np.concatenate([part.counts for part in parts]),
    )


CODINGS: dict[str, type[PursuitCoding] | type[RidgeCoding] | type[ElasticNetCoding]] = {
    each.kind: each for each in (PursuitCoding, RidgeCoding, ElasticNetCoding)
}
