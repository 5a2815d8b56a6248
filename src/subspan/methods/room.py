"""What the arrays of a fit take beside the rows and sparse matrices.

For methods that do not go block by block. Each is a bound: the arrays that are there at once, rounded up.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from subspan.base import Settled
from subspan.execution.memory import check_room
from subspan.execution.tiles import TILE
from subspan.self_expression.lasso_codes import WORKING_SETS
from subspan.sources import Source

# Double-precision columns of the basis of eigenvectors, its images and what is made of them, for each vector.
BASIS_COLUMNS = 24
# A graph of this many points at most is solved densely, with so many matrices.
DENSE_POINTS, DENSE_MATRICES = 600, 5
# Rows of a dense graph that a thread forms together, and how often it holds them.
GRAPH_ROWS = 3 * 256
DOUBLE = 8


# Bytes of small arrays, whatever the size of the fit.
LEAST = 2**20


class Own(NamedTuple):
    """Bytes of the arrays that are a method's own, and what may be done if they are too many."""

    n_bytes: int
    advice: str


@runtime_checkable
class SaysBytes(Protocol):
    """A method that knows what its arrays take."""

    n_components: Any

    def _own_bytes(self, shape: tuple[int, int], itemsize: int, threads: int) -> Own: ...


def check_fit(method: SaysBytes, points: Source, settled: Settled) -> Own:
    """Refuse a fit whose arrays do not fit into the budget; what the method takes by itself."""
    own = method._own_bytes(points.shape, points.dtype.itemsize, settled.threads)
    needed = fit_bytes(method, points.shape[0], settled.n_clusters, own)
    check_room(needed, settled.budget, own.advice)
    return own


def fit_bytes(method: SaysBytes, n_points: int, n_clusters: int, own: Own) -> int:
    """What the arrays of a fit take."""
    return LEAST + own.n_bytes + embedding_bytes(n_points, method.n_components, n_clusters)


def embedding_bytes(n_points: int, n_components: object, n_clusters: int) -> int:
    """Eigenvectors and the search for them."""
    # The number that "auto" arrives at is not known before.
    n_vectors = n_components if isinstance(n_components, int) else n_clusters
    n_vectors = 2 * n_vectors if n_components == "auto" else max(n_vectors, n_clusters)
    dense = DENSE_MATRICES * min(n_points, max(DENSE_POINTS, 5 * n_vectors)) ** 2
    return DOUBLE * (n_points * BASIS_COLUMNS * (n_vectors + 3) + dense)


def dense_graph_bytes(n_points: int, itemsize: int, threads: int) -> int:
    """A number for every pair of points, and the rows that threads are at."""
    return n_points * itemsize * (n_points + GRAPH_ROWS * threads)


def closed_form_bytes(n_points: int, n_features: int, itemsize: int) -> int:
    """Principal axes, and coefficients as a product of thin matrices."""
    rank = min(n_points, n_features)
    return n_points * rank * (4 * DOUBLE + 4 * itemsize) + 4 * DOUBLE * rank**2


def coding_bytes(n_atoms: int, itemsize: int, threads: int) -> int:
    """Tiles of points that are coded over the atoms, and their working sets."""
    room = min(WORKING_SETS.room, n_atoms)
    return tile_bytes(n_atoms, itemsize, threads) + 4 * DOUBLE * room * (room + TILE) * threads


def tile_bytes(n_atoms: int, itemsize: int, threads: int) -> int:
    """Numbers for each of a tile of points and all atoms, as often as a thread holds them."""
    return 4 * TILE * n_atoms * itemsize * threads
