"""Nearest neighbours among sparse rows of unit length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part


@part
def keep_nearest(
    products: NDArray[np.float64], own: int, nearest: NDArray[np.int32], similarity: NDArray[np.float64]
) -> int:
    """Fill `nearest` with the rows of the largest positive products, `own` excepted; their number.

    Rows are visited in order and must be better than those before them, so ties go to the lowest index.
    """
    most = nearest.shape[0]
    n = 0
    for i in range(products.shape[0]):
        if products[i] <= 0 or i == own or (n == most and products[i] <= similarity[n - 1]):
            continue
        # Inserted by shifting the worse ones: there are only a few neighbours.
        place = n if n < most else n - 1
        n = place + 1
        while place > 0 and similarity[place - 1] < products[i]:
            similarity[place] = similarity[place - 1]
            nearest[place] = nearest[place - 1]
            place -= 1
        similarity[place] = products[i]
        nearest[place] = i
    return n


@kernel
def nearest_rows(
    start: int,
    stop: int,
    row_ends: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    column_ends: NDArray[np.int64],
    rows: NDArray[np.int32],
    column_values: NDArray[np.float64],
    products: NDArray[np.float64],
    similarity: NDArray[np.float64],
    nearest: NDArray[np.int32],
    count: NDArray[np.int32],
) -> None:
    """Nearest rows of those from `start` to `stop`, by inner products.

    Parameters
    ----------
    row_ends, columns, values : IN
        The matrix by rows.
    column_ends, rows, column_values : IN
        The same matrix by columns.
    products, similarity : scratch
        As long as there are rows, and as there are neighbours asked for.
    nearest, count : OUT
        Neighbours, most similar first, and how many there are.
    """
    for i in range(start, stop):
        for r in range(products.shape[0]):
            products[r] = 0.0
        for entry in range(row_ends[i], row_ends[i + 1]):
            column, value = columns[entry], values[entry]
            for other in range(column_ends[column], column_ends[column + 1]):
                products[rows[other]] += value * column_values[other]
        count[i] = keep_nearest(products, i, nearest[i], similarity)
