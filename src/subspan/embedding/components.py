"""Connected components of the affinity graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def ordered_components(affinity: csr_array | NDArray[np.floating]) -> NDArray[np.int64]:
    """Component of each vertex: 0 the largest, then by size, ties by the smallest first vertex.

    A vertex without an edge to another one belongs to no component and has -1.

    Parameters
    ----------
    affinity : csr_array or array of shape (n, n)
        Symmetric graph; if sparse, without explicit zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> graph = np.zeros((6, 6))
    >>> graph[0, 1] = graph[1, 0] = graph[3, 4] = graph[4, 3] = graph[4, 5] = graph[5, 4] = 1.0
    >>> ordered_components(csr_array(graph)).tolist()
    [1, 1, -1, 0, 0, 0]
    """
    if isinstance(affinity, np.ndarray):
        named = _dense_components(affinity)
    else:
        _, named = connected_components(affinity, directed=False)
    return ranked_components(named)


def ranked_components(named: NDArray[np.integer]) -> NDArray[np.int64]:
    """Components with any names, numbered as in `ordered_components`; a single vertex is no component.

    Examples
    --------
    >>> ranked_components(np.array([7, 5, 2, 5])).tolist()
    [-1, 0, -1, 0]
    """
    _, first, raw, sizes = np.unique(named, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    rank[sizes == 1] = -1
    components: NDArray[np.int64] = rank[raw]
    return components


def _dense_components(affinity: NDArray[np.floating]) -> NDArray[np.int64]:
    """The first vertex of each vertex's component, found by reading rows in place.

    In the dense graphs of closed-form methods the first row usually links all vertices.
    """
    component = np.empty(len(affinity), np.int64)
    unseen = np.arange(len(affinity))
    waiting: list[int] = []
    while unseen.size:
        if not waiting:
            waiting = [int(unseen[0])]
            component[unseen[0]] = unseen[0]
            unseen = unseen[1:]
        vertex = waiting.pop()
        linked = affinity[vertex, unseen] != 0
        component[unseen[linked]] = component[vertex]
        waiting.extend(unseen[linked].tolist())
        unseen = unseen[~linked]
    return component
