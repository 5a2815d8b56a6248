"""Products with a graph, row by row. Every edge has at least one end among a few vertices, the atoms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


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
    first: int,
    row_ends: NDArray[np.integer],
    columns: NDArray[np.integer],
    weights: NDArray[np.floating],
    parents: NDArray[np.int32],
    degrees: NDArray[np.float64],
    is_atom: NDArray[np.bool_],
) -> None:
    """Add the edges of some rows to the components, degrees and atoms.

    Parameters
    ----------
    first : IN
        Vertex of the first row.
    row_ends, columns, weights : IN
        The rows, compressed; an entry is an edge of that weight between the row's vertex and the column's.
    parents : IN and OUT
        Trees of the vertices that are linked; the root of each is its lowest vertex.
    degrees, is_atom : IN and OUT
        Sum of the weights at each vertex, and whether some row has it as a column.
    """
    for row in range(row_ends.shape[0] - 1):
        own = first + row
        for entry in range(row_ends[row], row_ends[row + 1]):
            other, weight = columns[entry], weights[entry]
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
    row_ends: NDArray[np.integer],
    columns: NDArray[np.integer],
    weights: NDArray[np.floating],
    out: NDArray[np.float64],
) -> None:
    """Set `out` to the sum of the vectors at a row's atoms, times their weights."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    for entry in range(row_ends[row], row_ends[row + 1]):
        atom, weight = position[columns[entry]], np.float64(weights[entry])
        if atom >= 0:
            for k in range(out.shape[0]):
                out[k] += weight * vectors[atom, k]


@kernel
def gather_rows(
    row_ends: NDArray[np.integer],
    columns: NDArray[np.integer],
    weights: NDArray[np.floating],
    position: NDArray[np.int32],
    vectors: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Weighted sums over the atoms of each row.

    Parameters
    ----------
    row_ends, columns, weights : IN
        Rows of the graph.
    position : IN
        Position of each vertex among the atoms, -1 for other vertices.
    vectors : IN
        (n_atoms, b).
    out : OUT
        (n_rows, b).
    """
    for row in range(row_ends.shape[0] - 1):
        add_rows(vectors, position, row, row_ends, columns, weights, out[row])


@kernel
def pass_through_rows(
    first: int,
    row_ends: NDArray[np.integer],
    columns: NDArray[np.integer],
    weights: NDArray[np.floating],
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
    first, row_ends, columns, weights, position : IN
        Rows of the graph as above; rows of atoms are skipped.
    degrees : IN
        Of all vertices.
    vectors : IN
        (n_atoms, b).
    middle : scratch
        (b,).
    out : IN and OUT
        (n_atoms, b).
    """
    for row in range(row_ends.shape[0] - 1):
        if position[first + row] >= 0 or row_ends[row] == row_ends[row + 1]:
            continue
        add_rows(vectors, position, row, row_ends, columns, weights, middle)
        share = 1.0 / degrees[first + row]
        for k in range(middle.shape[0]):
            middle[k] *= share
        for entry in range(row_ends[row], row_ends[row + 1]):
            atom, weight = position[columns[entry]], np.float64(weights[entry])
            if atom >= 0:
                for k in range(middle.shape[0]):
                    out[atom, k] += weight * middle[k]
