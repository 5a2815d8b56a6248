"""The members of a consensus: graphs of two families under many settings, and the partitions they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.affinity import symmetric_affinity
from subspan.base import Settled, SubspaceMethod, spectral_graph
from subspan.execution.steps import track
from subspan.handover import Embedding, Graph
from subspan.labeling import label_embedding
from subspan.methods import LSR, S3COMPC
from subspan.self_expression.thresholded_ridge import thresholded_ridge
from subspan.sources import Source

Labels = NDArray[np.int64]

# With 3 starts a member is a matter of luck, and the consensus of the digits lies between 86 and 96 %.
N_INIT = 20
# Below this many points no point is left out of a dictionary.
FEW_POINTS = 50
# Ridge coefficients that a point keeps.
N_NEIGHBORS = (5, 8, 12)


@dataclass(frozen=True)
class GraphMember:
    """A graph: its family, and the settings that are its own."""

    family: str
    method: type[SubspaceMethod]
    settings: dict[str, Any]

    def graph(self, points: Source, settled: Settled, **common: Any) -> Graph:
        """The graph of points, which are distinct and have been brought to unit norm if so asked."""
        estimator = self.method(
            settled.n_clusters,
            **self.settings,
            **common,
            normalize=False,
            duplicates="keep",
            random_state=settled.seed,
        )
        folder = settled.workplace.folder
        # Each member keeps its blocks in a folder of its own.
        own = replace(settled.workplace, folder=None if folder is None else folder / self.name)
        source, known = estimator._open(points, own)
        known = replace(known, seed=settled.seed)
        return estimator._connect(estimator._represent(source, known), known)

    @property
    def name(self) -> str:
        """Family and settings in one word."""
        return "-".join([self.family, *map(str, self.settings.values())])


def design(n_points: int) -> list[GraphMember]:
    """Every member, the same for all data but very small ones.

    The settings are spread around those that do well somewhere. No data set needs all of them, and none is
    best on all data sets.

    Examples
    --------
    >>> len(design(1000)), design(1000)[0].name
    (18, 'pursuit-2-0.01-10-3')
    """
    # Half of very few points would be too few to represent a point.
    dropping = {"n_subproblems": 10, "max_iter": 3} if n_points >= FEW_POINTS else {"dropout": 0.0}
    pursuits = [
        GraphMember("pursuit", S3COMPC, {"n_nonzero": n_nonzero, "damping": damping, **dropping})
        for n_nonzero in dict.fromkeys(min(n, n_points - 1) for n in (2, 3, 5))
        for damping in (0.01, 0.1, 0.5)
    ]
    ridges = [
        # Rows of equal length: otherwise points with small coefficients would hardly count.
        GraphMember(
            "ridge", LSR, {"regularization": regularization, "n_neighbors": n_neighbors, "scale": "l2"}
        )
        for regularization in (0.01, 0.1, 1.0)
        for n_neighbors in N_NEIGHBORS
    ]
    return [*pursuits, *ridges]


@dataclass(frozen=True)
class Partition:
    """The labels that a member gives with a number of eigenvectors; -1 where it has no opinion."""

    member: GraphMember
    n_vectors: int
    # Behind the last eigenvector that was used.
    gap: float
    labels: Labels

    def row(self) -> dict[str, Any]:
        """What a table of the members says of it."""
        known = self.labels[self.labels >= 0]
        return {
            "family": self.member.family,
            **self.member.settings,
            "n_vectors": self.n_vectors,
            "gap": self.gap,
            "sizes": np.bincount(known).tolist(),
        }


def graphs(members: Sequence[GraphMember], points: Source, settled: Settled, **common: Any) -> list[Graph]:
    """The graph of every member; `common` are settings of all of them.

    Ridge members with the same penalty keep more or fewer of the same coefficients, which are found once.
    """
    widest: dict[float, csr_array] = {}

    def graph(member: GraphMember) -> Graph:
        if member.method is not LSR:
            return member.graph(points, settled, **common)
        penalty = member.settings["regularization"]
        if penalty not in widest:
            rows = points.rows(0, points.shape[0])
            widest[penalty] = thresholded_ridge(rows, penalty, max(N_NEIGHBORS), threads=settled.threads)
        kept = largest_of_rows(widest[penalty], member.settings["n_neighbors"])
        return spectral_graph(symmetric_affinity(kept, member.settings["scale"]))

    return [graph(member) for member in track("members", members)]


def largest_of_rows(matrix: csr_array, most: int) -> csr_array:
    """The entries of the largest magnitude of each row; of equals the first.

    Examples
    --------
    >>> largest_of_rows(csr_array([[1.0, -3.0, 2.0, 2.0], [0.0, 0.0, 0.0, 5.0]]), 2).toarray().tolist()
    [[0.0, -3.0, 2.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    """
    lengths = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((matrix.indices, -np.abs(matrix.data), row))
    rank = np.arange(matrix.nnz) - matrix.indptr[row]
    kept = np.sort(order[rank < most])
    ends = np.concatenate([[0], np.cumsum(np.minimum(lengths, most))])
    return csr_array((matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape)


def partition(member: GraphMember, graph: Graph, settled: Settled) -> Partition:
    """The graph cut by as many eigenvectors as its spectrum suggests, one for each cluster at least."""
    found = graph.embed(settled.n_clusters, n_components="auto", seed=settled.seed, n_threads=settled.threads)
    n_vectors = found.vectors.shape[1]
    labels = cut(found, n_vectors, settled.n_clusters, settled.seed)
    return Partition(member, n_vectors, _gap(found.eigenvalues, n_vectors), labels)


def cut(found: Embedding, n_vectors: int, n_clusters: int, seed: int, *, n_init: int = N_INIT) -> Labels:
    """Clusters by the first `n_vectors` eigenvectors of an embedding."""
    labels = np.full(len(found.embedded), -1, np.int64)
    vectors = found.vectors[found.embedded, :n_vectors]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(lengths == 0, 1, lengths)
    labels[found.embedded] = label_embedding(rows, n_clusters, n_init=n_init, seed=seed)
    return labels


def _gap(eigenvalues: NDArray[np.float64], n_vectors: int) -> float:
    behind = eigenvalues[n_vectors : n_vectors + 1]
    return float(eigenvalues[n_vectors - 1] - behind[0]) if behind.size else float("nan")
