"""Pursuits of queries over the sub-dictionaries of a set of atoms: prepared once, solved tile by tile.

There is one pursuit and two kinds of look at the scores (`kernels.pursuit.looks`). The 8-bit numbers that are
kept decide which kind a step uses. They do not change the result, not even its last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.execution.steps import track
from subspan.execution.threads import run_in_threads, stop_if_cancelled
from subspan.execution.tiles import TILE, in_panels, norms_of, tile_product
from subspan.kernels.lines import in_lines, words_length, zeros_in_lines
from subspan.kernels.pursuit.eight_bits import LARGEST, LARGEST_FACTOR, pack_words, round_rows
from subspan.kernels.pursuit.engine import pursue
from subspan.kernels.pursuit.state import (
    N_COMMON,
    Atoms,
    Dictionary,
    EightBitProducts,
    Picks,
    Problem,
    Queries,
    QueryBytes,
    Reach,
    Rules,
    Scratch,
    State,
    new_scratch,
    new_states,
)
from subspan.kernels.pursuit.step import ROW_MULTIPLE
from subspan.self_expression.kept import Kept

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]

# Common directions are split off if the first has more than this share of the energy of SAMPLE rows.
COMMON_SHARE = 0.05
SAMPLE = 1024
# Tiles that use the same buffer for their products, one after the other.
TILES = 8

NO_NUMBERS = EightBitProducts(
    words=np.empty((0, 0), np.int16),
    rows=np.empty(0, np.int32),
    units=np.empty(0),
    means=np.empty((0, 0)),
    offsets=np.empty((0, 0), np.int16),
    mean_units=np.empty(0),
    middles=np.empty(0),
)
NO_BYTES = QueryBytes(np.empty((0, 0), np.int8), np.empty(0, np.int64), np.empty(0), np.empty((0, 0)))


def padded_features(rows: Floats) -> Floats:
    """A copy of `rows` with zero columns appended, for `kernels.pursuit.step.dot`."""
    n_rows, n_features = rows.shape
    out = zeros_in_lines((n_rows, -(-n_features // ROW_MULTIPLE) * ROW_MULTIPLE), rows.dtype)
    out[:, :n_features] = rows
    return out


@dataclass(frozen=True)
class Scaled:
    """Rows in single precision, each times a power of two that makes its length about 1.

    So all inner products are in the range of single precision, for any data.
    """

    rows: NDArray[np.float32]
    # The power of two of each row, and (., N_COMMON) inner products with the common directions, as scaled.
    scales: NDArray[np.float64]
    means: NDArray[np.float32]

    def __getitem__(self, chosen: NDArray[np.integer]) -> Scaled:
        return Scaled(self.rows[chosen], self.scales[chosen], self.means[chosen])


@dataclass(frozen=True)
class Columns:
    """Atoms that rows are multiplied by, packed for `tile_product`, with their weights and means."""

    panels: NDArray[np.float32]
    means: NDArray[np.float32]
    # Relative to the largest.
    weights: NDArray[np.float32]
    largest_weight: float

    @classmethod
    def of(cls, atoms: Scaled, weights: NDArray[np.float64]) -> Columns:
        """Columns for some atoms with these weights."""
        factors = weights / atoms.scales
        largest = float(factors.max())
        means = np.ascontiguousarray(atoms.means.T)
        return cls(in_panels(atoms.rows), means, (factors / largest).astype(np.float32), largest)

    def rounded(
        self, rows: Scaled, own: Indices, products: NDArray[np.float32] | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """8-bit inner products of some rows with the atoms, and their units."""
        products = tile_product(rows.rows, self.panels, out=products)[:, : len(self.weights)]
        largest, numbers = np.empty(len(own), np.float32), np.empty(products.shape, np.int8)
        round_rows(
            products, products.view(np.int32), own, rows.means, self.means, self.weights, largest, numbers
        )
        return numbers, largest * (self.largest_weight / LARGEST) / rows.scales


@dataclass(frozen=True)
class Workspace:
    """Buffers of one running task."""

    states: State
    scratch: Scratch
    picks: Picks


class Engine:
    """Atoms and their sub-dictionaries, ready for queries.

    Parameters
    ----------
    rows : array of shape (n_atoms, n_features)
        The atoms.
    numbers : array of shape (n_atoms,)
        Their rows in the data; ties between atoms go to the lowest.
    dictionaries : sequence of arrays
        Atoms of each sub-dictionary, sorted.
    rules : Rules
    weights : array of shape (n_atoms,)
        Factors of the atoms' scores, see `Rules`.
    kept : {"none", "shared", "dictionaries", "all"}
        Which 8-bit numbers are kept.
    threads : int
    """

    def __init__(
        self,
        rows: Floats,
        numbers: Indices,
        dictionaries: Sequence[NDArray[np.int32]],
        rules: Rules,
        weights: NDArray[np.float64],
        kept: Kept,
        threads: int = 1,
    ) -> None:
        padded = padded_features(rows)
        self.n_features = rows.shape[1]
        self.atoms = Atoms(padded, norms_of(padded), weights, numbers)
        self.rules = rules
        self.kept = kept
        self.dictionaries = [self._dictionary(atoms) for atoms in dictionaries]
        self._reach = Reach(
            longest=float((weights * self.atoms.norms).max()),
            rounding=float(np.finfo(np.float32).eps) * (self.n_features + 8),
        )
        self._numbers = [NO_NUMBERS for _ in dictionaries]
        if kept != "none":
            self._directions = self._common_directions()
            self._scaled = self._scale(padded, self.atoms.norms)
            self._means = self._scaled.means / self._scaled.scales[:, None]
            self._columns = Columns.of(self._scaled, weights)
            self._units = np.zeros(len(rows))
            self._bytes = np.empty((0, 0), np.int8)
            self._fill(threads)
            # From now on only the packed copy in `_columns` is needed.
            del self._scaled

    def _dictionary(self, atoms: NDArray[np.int32]) -> Dictionary:
        n_atoms = len(self.atoms.rows)
        positions = np.full(n_atoms, -1, np.int32)
        if self.kept != "shared":
            positions[atoms] = np.arange(len(atoms), dtype=np.int32)
            return Dictionary(atoms, positions, np.empty(0, np.int16))
        positions[atoms] = atoms
        members = (positions >= 0).astype(np.int16) if len(atoms) < n_atoms else np.empty(0, np.int16)
        return Dictionary(np.arange(n_atoms, dtype=np.int32), positions, members)

    def _common_directions(self) -> NDArray[np.float32]:
        """The leading directions of a sample of the atoms, or zeros if the atoms have little in common."""
        chosen = np.linspace(0, len(self.atoms.rows) - 1, min(SAMPLE, len(self.atoms.rows))).astype(np.int64)
        rows = self.atoms.rows[chosen, : self.n_features].astype(np.float64)
        rows /= np.maximum(self.atoms.norms[chosen], np.finfo(np.float64).tiny)[:, None]
        energies, vectors = np.linalg.eigh(rows.T @ rows if len(rows) > self.n_features else rows @ rows.T)
        out = np.zeros((N_COMMON, self.n_features), np.float32)
        if energies[-1] <= COMMON_SHARE * energies.sum():
            return out
        leading = vectors[:, ::-1][:, :N_COMMON].T
        if len(rows) <= self.n_features:
            leading = leading @ rows
            leading /= np.maximum(np.linalg.norm(leading, axis=1), np.finfo(np.float64).tiny)[:, None]
        out[: len(leading)] = leading
        return out

    def _scale(self, rows: Floats, norms: NDArray[np.float64]) -> Scaled:
        """Rows as looks need them."""
        scales = np.exp2(-np.ceil(np.log2(np.where(norms > 0, norms, 1.0))))
        out = np.empty((len(rows), self.n_features), np.float32)
        for start in range(0, len(rows), TILE):
            part = slice(start, start + TILE)
            out[part] = rows[part, : self.n_features] * scales[part, None].astype(rows.dtype)
        return Scaled(out, scales, out @ self._directions.T)

    def workspace(self, n_queries: int, n_targets: int) -> Workspace:
        """Buffers for tiles of `n_queries` queries with at most `n_targets` targets each."""
        n_nonzero, n_features = self.rules.n_nonzero, self.atoms.rows.shape[1]
        longest = max(len(d.atoms) for d in self.dictionaries)
        shape = (len(self.dictionaries), n_queries, n_nonzero)
        n_together = n_queries if self.kept == "none" else 0
        return Workspace(
            states=new_states(max(n_together, 1), n_nonzero, n_targets, n_features, self.atoms.rows.dtype),
            scratch=new_scratch(n_nonzero, n_targets, longest, self.n_features, n_together),
            picks=Picks(np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape[:2], np.int32)),
        )

    def bytes_of(self, queries: Queries) -> QueryBytes:
        """The 8-bit inner products of some queries, which looks need besides the rows."""
        own = queries.own
        if self.kept == "none":
            return NO_BYTES
        # Atoms that are in all dictionaries have their rows there.
        in_all = self.kept in ("all", "shared") or all(
            (d.positions[own] >= 0).all() for d in self.dictionaries
        )
        if in_all and (own >= 0).all():
            return QueryBytes(self._bytes, own, self._units[own], self._means[own])
        scaled = self._scale(queries.rows, queries.norms)
        numbers, units = self._columns.rounded(scaled, own)
        return QueryBytes(numbers, np.arange(len(own)), units, scaled.means / scaled.scales[:, None])

    def solve(
        self, number: int, queries: Queries, query_bytes: QueryBytes, work: Workspace, events: Indices
    ) -> None:
        """Solve the active queries over one sub-dictionary; solutions go to `work.picks`."""
        dictionary, numbers = self.dictionaries[number], self._numbers[number]
        picks = Picks(*(array[number] for array in work.picks))
        problem = Problem(queries, query_bytes, self.atoms, dictionary, numbers, self._reach, self.rules)
        stop_if_cancelled()
        pursue(problem, work.states, work.scratch, picks, events)

    def _new_numbers(self, dictionary: Dictionary) -> EightBitProducts:
        """Empty arrays for the numbers of a dictionary; those of the common directions are filled."""
        m = len(dictionary.atoms)
        rows = np.full(len(self._units), -1, np.int32)
        rows[dictionary.atoms] = np.arange(m)
        words = in_lines((m, words_length(m)), np.int16)
        numbers = NO_NUMBERS._replace(words=words, rows=rows, units=self._units, means=self._means)
        if not self._directions.any():
            return numbers
        means = self.atoms.weights[dictionary.atoms] * self._means[dictionary.atoms].T
        middles = 0.5 * (means.max(axis=1) + means.min(axis=1))
        units = np.abs(means - middles[:, None]).max(axis=1) / LARGEST_FACTOR
        offsets = zeros_in_lines((N_COMMON, 2 * words_length(m)), np.int16)
        offsets[:, :m] = np.rint((means - middles[:, None]) / np.where(units > 0, units, 1.0)[:, None])
        return numbers._replace(offsets=offsets, mean_units=units, middles=middles)

    def _fill(self, threads: int) -> None:
        """Compute the numbers that are kept."""
        if self.kept == "all":
            self._fill_from_all(threads)
        elif self.kept == "shared":
            numbers = self._multiplied(self.dictionaries[0], threads)
            self._numbers = [numbers for _ in self.dictionaries]
        else:
            steps = track("8-bit rows of sub-dictionaries", self.dictionaries)
            self._numbers = [self._multiplied(dictionary, threads) for dictionary in steps]

    def _multiplied(self, dictionary: Dictionary, threads: int) -> EightBitProducts:
        """The numbers of a dictionary from a product of its own."""
        atoms, numbers = dictionary.atoms, self._new_numbers(dictionary)
        members = self._scaled[atoms]
        everything = np.arange(len(atoms), dtype=np.int32)
        units = np.zeros(len(self._units))

        def keep(own: Indices, rounded: NDArray[np.int8], found: NDArray[np.float64]) -> None:
            units[atoms[own]] = found
            pack_words(rounded, np.arange(len(own)), everything, own, numbers.words)

        _round_all(members, Columns.of(members, self.atoms.weights[atoms]), threads, keep)
        return numbers._replace(units=units)

    def _fill_from_all(self, threads: int) -> None:
        """Fill the rows of all atoms, and gather from them those of every dictionary."""
        self._numbers = [self._new_numbers(dictionary) for dictionary in self.dictionaries]
        self._bytes = np.empty((len(self._units), len(self._units)), np.int8)

        def keep(own: Indices, numbers: NDArray[np.int8], found: NDArray[np.float64]) -> None:
            self._units[own] = found
            self._bytes[own] = numbers
            for dictionary, kept in zip(self.dictionaries, self._numbers, strict=True):
                places = dictionary.positions[own].astype(np.int64)
                members = np.flatnonzero(places >= 0)
                pack_words(numbers, members, dictionary.atoms, places[members], kept.words)

        _round_all(self._scaled, self._columns, threads, keep)


def _round_all(
    atoms: Scaled,
    columns: Columns,
    threads: int,
    keep: Callable[[Indices, NDArray[np.int8], NDArray[np.float64]], None],
) -> None:
    """Hand tiles of 8-bit inner products of atoms with one another, and their units, to `keep`."""
    n_atoms = len(atoms.rows)
    width = len(columns.panels) * columns.panels.shape[2]

    def fill(first: int) -> None:
        # One buffer for several tiles, because allocating new memory takes as long as the product.
        buffer = in_lines((TILE, width), np.float32)
        for start in range(first, min(first + TILES * TILE, n_atoms), TILE):
            own = np.arange(start, min(start + TILE, n_atoms))
            keep(own, *columns.rounded(atoms[own], own, buffer[: len(own)]))

    for _ in run_in_threads(fill, range(0, n_atoms, TILES * TILE), threads, "8-bit inner products"):
        pass
