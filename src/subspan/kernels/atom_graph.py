"""Products with a graph, row by row. Every edge has at least one end among a few vertices, the atoms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


class EdgeRows(NamedTuple):
    """Some rows of the graph, compressed: an entry is an edge between the row's vertex and the column's."""

    # Vertex of the first row.
    first: int
    # Row i has the entries from ends[i] to ends[i + 1].
    ends: NDArray[np.integer]
    columns: NDArray[np.integer]
    weights: NDArray[np.floating]


@part
def find_root(parents: NDArray[np.int32], vertex: int) -> int:
    """The root of the tree of this vertex: all vertices of a tree are linked."""
    while parents[vertex] != vertex:
        # Halving the path makes later searches shorter.
        parents[vertex] = parents[parents[vertex]]
        vertex = parents[vertex]
    return vertex


@kernel
def survey_rows(
    rows: EdgeRows,
    parents: NDArray[np.int32],
    degrees: NDArray[np.float64],
    is_atom: NDArray[np.bool_],
) -> None:
    """Add the edges of some rows to the components, degrees and atoms.

    Parameters
    ----------
    rows : IN
    parents : IN and OUT
        Trees of the vertices that are linked; the root of each is its lowest vertex.
    degrees, is_atom : IN and OUT
        Sum of the weights at each vertex, and whether some row has it as a column.
    """
    for row in range(rows.ends.shape[0] - 1):
        own = rows.first + row
        for entry in range(rows.ends[row], rows.ends[row + 1]):
            other, weight = rows.columns[entry], rows.weights[entry]
            if weight == 0:
                continue
            degrees[own] += weight
            degrees[other] += weight
            is_atom[other] = True
            # The lower root stays a root: components do not depend on the order of the edges.
            one, two = find_root(parents, own), find_root(parents, other)
            if one < two:
                parents[two] = one
            else:
                parents[one] = two


@kernel
def settle_roots(parents: NDArray[np.int32]) -> None:
    """Make every vertex a child of its root."""
    for vertex in range(parents.shape[0]):
        parents[vertex] = find_root(parents, vertex)


@part
def add_rows(
    vectors: NDArray[np.float64],
    position: NDArray[np.int32],
    row: int,
    rows: EdgeRows,
    out: NDArray[np.float64],
) -> None:
    """Set `out` to the sum of the vectors at a row's atoms, times their weights."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    for entry in range(rows.ends[row], rows.ends[row + 1]):
        atom, weight = position[rows.columns[entry]], np.float64(rows.weights[entry])
        if atom >= 0:
            for k in range(out.shape[0]):
                out[k] += weight * vectors[atom, k]


@kernel
def gather_rows(
    rows: EdgeRows,
    position: NDArray[np.int32],
    vectors: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Weighted sums over the atoms of each row.

    Parameters
    ----------
    rows : IN
    position : IN
        Position of each vertex among the atoms, -1 for other vertices.
    vectors : IN
        (n_atoms, b).
    out : OUT
        (n_rows, b).
    """
    for row in range(rows.ends.shape[0] - 1):
        add_rows(vectors, position, row, rows, out[row])


@kernel
def pass_through_rows(
    rows: EdgeRows,
    position: NDArray[np.int32],
    degrees: NDArray[np.float64],
    vectors: NDArray[np.float64],
    middle: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add W^T D^-1 W `vectors` to `out`, where W holds the rows that are not atoms.

    Both products are done row by row: the atoms of a row are still in the cache at the second one.

    Parameters
    ----------
    rows, position : IN
        As for `gather_rows`; rows of atoms are skipped.
    degrees : IN
        Of all vertices.
    vectors : IN
        (n_atoms, b).
    middle : scratch
        (b,).
    out : IN and OUT
        (n_atoms, b).
    """
    for row in range(rows.ends.shape[0] - 1):
        own = rows.first + row
        if position[own] >= 0 or rows.ends[row] == rows.ends[row + 1]:
            continue
        add_rows(vectors, position, row, rows, middle)
        share = 1.0 / degrees[own]
        for k in range(middle.shape[0]):
            middle[k] *= share
        for entry in range(rows.ends[row], rows.ends[row + 1]):
            atom, weight = position[rows.columns[entry]], np.float64(rows.weights[entry])
            if atom >= 0:
                for k in range(middle.shape[0]):
                    out[atom, k] += weight * middle[k]
