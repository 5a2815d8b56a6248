"""The symmetrically normalised affinity as an operator on blocks of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.embedding.search import Product

ROWS_PER_TASK = 1024


@contextmanager
def normalised_product(
    affinity: csr_array, root_degrees: NDArray[np.float64], n_threads: int
) -> Iterator[Product]:
    """Product with D^-1/2 A D^-1/2, its rows shared out to threads while the context is open.

    Each row of the result is one sum in a fixed order, so it does not depend on `n_threads`.

    Parameters
    ----------
    affinity : csr_array of shape (n, n)
        Symmetric, non-negative, every vertex with an edge.
    root_degrees : array of shape (n,)
        Square roots of the row sums.
    n_threads : int
        Threads for one product.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> graph = csr_array(np.array([[0.0, 4.0], [4.0, 0.0]]))
    >>> with normalised_product(graph, np.array([2.0, 2.0]), 1) as product:
    ...     product(np.eye(2)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    starts = range(0, affinity.shape[0], ROWS_PER_TASK)
    parts = [_normalised_rows(affinity, root_degrees, first) for first in starts]
    with ThreadPoolExecutor(n_threads, thread_name_prefix="subspan") as pool:
        run = map if n_threads == 1 else pool.map
        yield lambda block: np.vstack(list(run(lambda part: part @ block, parts)))


def _normalised_rows(affinity: csr_array, root_degrees: NDArray[np.float64], first: int) -> csr_array:
    rows = affinity[first : first + ROWS_PER_TASK]
    own_roots = np.repeat(root_degrees[first : first + ROWS_PER_TASK], np.diff(rows.indptr))
    # Two divisions: the product of two tiny roots may underflow where the quotient is near one.
    rows.data = rows.data / own_roots / root_degrees[rows.indices]
    return rows
