"""A graph in which every edge has an end among a few vertices, the atoms. It is read row by row.

The coefficients of points over a dictionary make such a graph: row j of |C| holds the edges between point j
and the atoms that represent it. Written with the atoms first, the normalised graph is

    S = [[S_aa, B^T], [B, 0]],

because the other points have no edges among themselves. So the part x of an eigenvector on the atoms
determines the eigenvector: on the other points it is B x / mu. A search for eigenvectors only needs the
products S_aa x and B^T B x. The second takes one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from subspan.embedding.components import ranked_components
from subspan.handover import InputError
from subspan.kernels.atom_graph import EdgeRows, gather_rows, pass_through_rows, settle_roots, survey_rows

# Rows that one thread or worker sums. The sums of shards are added in order, so that the result does not
# depend on the number of threads or workers.
SHARD = 1 << 15
# Rows of a shard in memory at a time.
PIECE = 1 << 12


class WeightedRows(Protocol):
    """Rows of |C|, in pieces: edges between a row's vertex and its columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """Vertices, twice."""

    def magnitudes(self, start: int, stop: int) -> csr_array:
        """Rows start to stop, or to the end."""


@dataclass(frozen=True)
class AtomGraph:
    """Components, degrees and atoms of a graph, found in one pass over its rows."""

    rows: WeightedRows
    # Component of each vertex, 0 the largest, -1 without an edge; and whether the vertex is embedded.
    components: NDArray[np.int64]
    embedded: NDArray[np.bool_]
    # Sum of the weights at each vertex.
    degrees: NDArray[np.float64]
    # The atoms that are embedded, and the position of each vertex among them (-1 for other vertices).
    atoms: NDArray[np.int64]
    position: NDArray[np.int32]

    @property
    def roots(self) -> NDArray[np.float64]:
        """Roots of the atoms' degrees."""
        return np.sqrt(self.degrees[self.atoms])


def survey(rows: WeightedRows, n_clusters: int) -> AtomGraph:
    """Degrees, atoms and components; the `n_clusters` largest components are embedded.

    Examples
    --------
    >>> from subspan.affinity import ImplicitAffinity
    >>> C = csr_array(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    >>> graph = survey(ImplicitAffinity(C), 1)
    >>> graph.atoms.tolist(), graph.degrees.tolist(), graph.components.tolist()
    ([1], [1.0, 1.5, 0.5], [0, 0, 0])
    """
    n = rows.shape[0]
    parents, degrees, is_atom = np.arange(n, dtype=np.int32), np.zeros(n), np.zeros(n, bool)
    for first, piece in pieces(rows, 0, n):
        survey_rows(edge_rows(first, piece), parents, degrees, is_atom)
    if not is_atom.any():
        raise InputError("The affinity is all zero: no point is represented by any other.")
    settle_roots(parents)
    components = ranked_components(parents)
    embedded = (components >= 0) & (components < n_clusters)
    atoms = np.flatnonzero(is_atom & embedded)
    position = np.full(n, -1, np.int32)
    position[atoms] = np.arange(len(atoms))
    return AtomGraph(rows, components, embedded, degrees, atoms, position)


def pieces(
    rows: WeightedRows, start: int, stop: int, piece_rows: int = PIECE
) -> Iterator[tuple[int, csr_array]]:
    """First row and rows of each piece from start to stop."""
    for first in range(start, stop, piece_rows):
        yield first, rows.magnitudes(first, min(first + piece_rows, stop))


def edge_rows(first: int, piece: csr_array) -> EdgeRows:
    """A piece as kernels take it; `first` is the vertex of its first row."""
    return EdgeRows(first, piece.indptr, piece.indices, piece.data)


def edges_among_atoms(graph: AtomGraph) -> csr_array:
    """The symmetric graph of the atoms alone."""
    n_atoms = len(graph.atoms)
    parts = []
    for first, piece in pieces(graph.rows, 0, graph.rows.shape[0]):
        own = graph.atoms[slice(*np.searchsorted(graph.atoms, (first, first + piece.shape[0])))]
        if len(own):
            mine = piece[own - first]
            # Rows of an embedded component have no edges out of it.
            columns = graph.position[mine.indices]
            parts.append(csr_array((mine.data, columns, mine.indptr), shape=(len(own), n_atoms)))
    half = csr_array(vstack(parts, format="csr"))
    among = csr_array(half + half.T)
    among.eliminate_zeros()
    return among


@dataclass(frozen=True)
class PassJob:
    """B^T B times vectors on the atoms, without the roots of the atoms' degrees; one block for each shard."""

    rows: WeightedRows
    position: NDArray[np.int32]
    degrees: NDArray[np.float64]
    vectors: NDArray[np.float64]
    # Part of the job: all workers must cut the rows at the same places.
    shard_rows: int = field(default_factory=lambda: SHARD)
    piece_rows: int = PIECE

    @property
    def n_blocks(self) -> int:
        """Number of shards."""
        return -(-self.rows.shape[0] // self.shard_rows)

    def task(self, threads: int) -> Callable[[int], dict[str, NDArray[Any]]]:
        """A function from the number of a shard to its part of the sum."""
        n_rows, width = self.rows.shape[0], self.vectors.shape[1]

        def add_up(shard: int) -> dict[str, NDArray[Any]]:
            out, middle = np.zeros_like(self.vectors), np.empty(width)
            start = shard * self.shard_rows
            stop = min(start + self.shard_rows, n_rows)
            for first, piece in pieces(self.rows, start, stop, self.piece_rows):
                pass_through_rows(
                    edge_rows(first, piece), self.position, self.degrees, self.vectors, middle, out
                )
            return {"sum": out}

        return add_up


def vectors_of_all(
    graph: AtomGraph, on_atoms: NDArray[np.float64], values: NDArray[np.float64], dtype: type[np.floating]
) -> tuple[NDArray[np.floating], NDArray[np.float64]]:
    """Rows of eigenvectors for every vertex, of unit length, from the atoms' rows and the eigenvalues.

    Beside them `Embedding.lengths`.
    """
    out, lengths = np.zeros((graph.rows.shape[0], on_atoms.shape[1]), dtype), np.zeros(graph.rows.shape[0])
    spread = on_atoms / graph.roots[:, None] / values
    for first, piece in pieces(graph.rows, 0, len(out)):
        block = np.empty((piece.shape[0], on_atoms.shape[1]))
        gather_rows(edge_rows(first, piece), graph.position, spread, block)
        place = graph.position[first : first + len(block)]
        # The root of the row's own degree is left out: rows are scaled to length one anyway.
        block[place >= 0] = on_atoms[place[place >= 0]]
        norms = np.linalg.norm(block, axis=1)
        out[first : first + len(block)] = block / np.where(norms == 0, 1, norms)[:, None]
        degrees = graph.degrees[first : first + len(block)]
        lengths[first : first + len(block)] = norms / np.where(
            degrees == 0, 1, np.where(place >= 0, np.sqrt(degrees), degrees)
        )
    out[~graph.embedded], lengths[~graph.embedded] = 0, 0
    return out, lengths
