"""How much of a row each class of atoms leaves, once the row has its code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


@part
def remaining(
    row: NDArray[np.floating],
    atoms: NDArray[np.floating],
    classes: NDArray[np.int64],
    picks: NDArray[np.int32],
    values: NDArray[np.float64],
    wanted: int | np.int64,
    residual: NDArray[np.float64],
) -> float:
    """Squared length of a row minus the part of its code in one class; of its whole code if `wanted` < 0."""
    for d in range(row.shape[0]):
        residual[d] = row[d]
    for e in range(picks.shape[0]):
        atom = picks[e]
        if wanted < 0 or classes[atom] == wanted:
            for d in range(row.shape[0]):
                residual[d] -= values[e] * atoms[atom, d]
    total = 0.0
    for d in range(row.shape[0]):
        total += residual[d] * residual[d]
    return total


@kernel
def class_residuals(
    rows: NDArray[np.floating],
    atoms: NDArray[np.floating],
    classes: NDArray[np.int64],
    picks: NDArray[np.int32],
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    residual: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Squared residual of every row for every class, and in the last column for its whole code.

    Parameters
    ----------
    rows, atoms, classes : IN
        (n, n_features), (n_atoms, n_features) and (n_atoms,).
    picks, values, counts : IN
        The codes: (n, most) atoms and coefficients, of which the first `counts` of a row count.
    residual : scratch
        (n_features,).
    out : OUT
        (n, n_classes + 1).
    """
    last = out.shape[1] - 1
    for i in range(rows.shape[0]):
        chosen, coefficients = picks[i, : counts[i]], values[i, : counts[i]]
        nothing = remaining(rows[i], atoms, classes, picks[i, :0], values[i, :0], np.int64(-1), residual)
        for c in range(last):
            out[i, c] = nothing
        for e in range(counts[i]):
            c = classes[chosen[e]]
            # Several atoms of one class: its residual is there already.
            if out[i, c] == nothing:
                out[i, c] = remaining(rows[i], atoms, classes, chosen, coefficients, c, residual)
        out[i, last] = remaining(rows[i], atoms, classes, chosen, coefficients, np.int64(-1), residual)


@kernel
def group_energies(
    coordinates: NDArray[np.float64], firsts: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Sum of the squares of each group of columns; group c has the columns firsts[c] to firsts[c + 1].

    Parameters
    ----------
    coordinates, firsts : IN
    out : OUT
        (n, n_groups).
    """
    for i in range(coordinates.shape[0]):
        for c in range(out.shape[1]):
            total = 0.0
            for j in range(firsts[c], firsts[c + 1]):
                total += coordinates[i, j] * coordinates[i, j]
            out[i, c] = total
