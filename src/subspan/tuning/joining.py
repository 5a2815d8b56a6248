"""One partition out of many.

A partition is a projection: points are replaced by the means of their clusters. The weighted mean of the
projections of all members is a symmetric matrix whose rows sum to one, the graph of what the members say
together. Its entry (i, j) is large where many members put i and j into one small cluster. Its leading
eigenvectors are embedded and clustered as those of any other graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, hstack
from scipy.sparse.csgraph import connected_components

from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Certificate, Embedding, InputError

Labels = NDArray[np.integer]

# Eigenvalues shown beyond the number of clusters, for the gap behind the last one.
SHOWN_BEYOND = 10
# Residual up to which the eigenvectors count as found.
RESIDUAL = 1e-6
# Of the agreement, in the weight of a member. Each of nine data sets left out, the other eight choose it.
POWER = 8.0


def joined_embedding(
    graph: csr_array, n_clusters: int, *, sample: NDArray[np.integer] | None = None, **_: Any
) -> Embedding:
    """Points by the leading eigenvectors of ``graph @ graph.T``, rows scaled to unit length.

    Through the small matrix ``graph.T @ graph``, densely: partitions that agree make equal eigenvalues, which
    a search from one vector might miss.

    Parameters
    ----------
    graph : csr_array of shape (n_points, clusters of all members)
        From `joined_graph`. Points that no member knows are left out.
    n_clusters : int
        Number of clusters, and of eigenvectors.
    sample : array of indices, optional
        Sorted points that stand for all others when the embedding is clustered.

    Examples
    --------
    >>> import numpy as np
    >>> agreed = joined_graph([np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
    >>> joined_embedding(agreed, 2).eigenvalues.round(6).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    with single_threaded_libraries():
        small = (graph.T @ graph).toarray()
        size = len(small)
        most = min(n_clusters + SHOWN_BEYOND, size)
        values, inner = eigh(small, subset_by_index=(size - most, size - 1))
        values, inner = np.clip(values[::-1], 0.0, 1.0), inner[:, ::-1]
        leading = inner[:, :n_clusters]
        rows = graph @ leading
        # Of the eigenvectors `rows`, by way of the small matrix: their number of entries may be large.
        misfit = small @ leading - leading * values[:n_clusters]
        residual = float(np.sqrt(np.maximum((misfit * (small @ misfit)).sum(axis=0), 0.0).max()))
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    # A point that no member knows has no row, and stays at the origin.
    rows /= np.where(lengths == 0, 1, lengths)[:, None]
    beyond = values[n_clusters : n_clusters + 1]
    excess = float(beyond[0] - values[n_clusters - 1]) if beyond.size else 0.0
    evidence = Certificate(residual <= RESIDUAL, residual, excess, 1)
    known = np.diff(graph.indptr) > 0
    standing = None if sample is None else sample[known[sample]]
    return Embedding(rows, values, _components(graph, small), known, evidence, standing)


def _components(graph: csr_array, small: NDArray[np.float64]) -> NDArray[np.int64]:
    """Connected components of ``graph @ graph.T``, the largest first; -1 for a point that no member knows.

    All clusters of a point are in one component of the small matrix.
    """
    known = np.diff(graph.indptr) > 0
    of_cluster = connected_components(csr_array(small), directed=False)[1]
    found = of_cluster[graph.indices[graph.indptr[:-1][known]]]
    names, number, sizes = np.unique(found, return_inverse=True, return_counts=True)
    rank = np.empty(len(names), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(names))
    components = np.full(graph.shape[0], -1, np.int64)
    components[known] = rank[number]
    return components


def joined_graph(partitions: Sequence[Labels], weights: NDArray[np.floating] | None = None) -> csr_array:
    """Cluster indicators of all members, scaled so that ``graph @ graph.T`` is the mean of the projections.

    Examples
    --------
    >>> import numpy as np
    >>> graph = joined_graph([np.array([0, 0, 1]), np.array([0, 1, 1])])
    >>> (graph @ graph.T).toarray().round(2).tolist()
    [[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]]
    """
    shares = _shares(partitions, weights)
    # A member without weight would only add columns of zeros.
    heard = [(share, labels) for share, labels in zip(shares, partitions, strict=True) if share > 0]
    n_points = len(partitions[0])
    columns = np.full((n_points, len(heard)), -1, np.int32)
    entries, spoken = np.zeros(columns.shape), np.zeros(n_points)
    n_columns = 0
    for member, (share, labels) in enumerate(heard):
        known = labels >= 0
        _, cluster, sizes = np.unique(labels[known], return_inverse=True, return_counts=True)
        columns[known, member] = n_columns + cluster
        entries[known, member] = np.sqrt(share) / np.sqrt(sizes[cluster])
        spoken += share * known
        n_columns += len(sizes)
    # Where some members have no opinion about a point, the others speak for them.
    entries /= np.sqrt(np.where(spoken == 0, 1, spoken))[:, None]
    filled = columns >= 0
    ends = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    return csr_array((entries[filled], columns[filled], ends), shape=(n_points, n_columns))


def mutual_agreement(partitions: Sequence[Labels]) -> NDArray[np.float64]:
    """Adjusted Rand index of every two partitions, over the points that both know.

    Examples
    --------
    >>> import numpy as np
    >>> mutual_agreement([np.array([0, 0, 1, 1]), np.array([5, 5, 2, 2]), np.array([0, 1, 0, 1])]).tolist()
    [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    shared, starts = _shared_points(partitions)
    of_cluster = np.add.reduceat(shared, starts, axis=1)
    together = _added_up(_pairs(shared), starts)
    # Pairs in one cluster of the first, among the points that the second one knows.
    first = np.add.reduceat(_pairs(of_cluster), starts, axis=0)
    possible = _pairs(np.add.reduceat(of_cluster, starts, axis=0))
    by_chance = first * first.T / np.where(possible == 0, 1, possible)
    room = (first + first.T) / 2 - by_chance
    # Without room both are one cluster, or all points stand alone: they say the same.
    return np.where(room == 0, 1.0, (together - by_chance) / np.where(room == 0, 1, room))


def mutual_information(partitions: Sequence[Labels]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bits that every two partitions share, and the mean of those that only one of them has.

    Chance gives partitions something in common: about (a - 1) (b - 1) / 2n nats for a and b clusters of n
    points [1]_, which are taken off.

    References
    ----------
    .. [1] George Miller. Note on the bias of information estimates. Information Theory in Psychology, 1955.

    Examples
    --------
    >>> import numpy as np
    >>> halves, quarters = np.repeat([0, 1], 2000), np.repeat([0, 1, 2, 3], 1000)
    >>> shared, doubted = mutual_information([halves, quarters])
    >>> shared.round(2).tolist(), doubted.round(2).tolist()
    ([[1.0, 1.0], [1.0, 2.0]], [[0.0, 0.5], [0.5, 0.0]])
    """
    table, starts = _shared_points(partitions)
    of_cluster = np.add.reduceat(table, starts, axis=1)
    n = np.maximum(np.add.reduceat(of_cluster, starts, axis=0), 1)
    entropy = np.log2(n) - np.add.reduceat(_times_log(of_cluster), starts, axis=0) / n
    joint = np.log2(n) - _added_up(_times_log(table), starts) / n
    clusters = np.add.reduceat(of_cluster > 0, starts, axis=0) - 1.0
    by_chance = clusters * clusters.T / (2 * np.log(2) * n)
    shared = entropy + entropy.T - joint - by_chance
    return shared, (entropy + entropy.T) / 2 - shared


def _shared_points(partitions: Sequence[Labels]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points that each two clusters share: a table for every two partitions, side by side.

    The second array says where the tables begin.
    """
    every = [_indicators(labels) for labels in partitions]
    starts = np.cumsum([0, *(each.shape[1] for each in every)])[:-1]
    both = csr_array(hstack(every))
    both.data[:] = 1.0
    return (both.T @ both).toarray(), starts


def _pairs(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pairs among so many points."""
    return numbers * (numbers - 1) / 2


def _times_log(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each number times its logarithm, which is 0 for 0."""
    return numbers * np.log2(np.where(numbers > 0, numbers, 1))


def _added_up(table: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums over the blocks that begin at these rows and columns."""
    sums: NDArray[np.float64] = np.add.reduceat(np.add.reduceat(table, starts, axis=0), starts, axis=1)
    return sums


def weigh(
    partitions: Sequence[Labels], families: Sequence[str], *, power: float = POWER
) -> NDArray[np.float64]:
    """How far each partition is to be trusted, from nothing but the partitions.

    A member is trusted as far as it agrees with its own family: its weight is its mean adjusted Rand index
    with the other members of the family, to a power. Where a kind of graph suits the data its settings matter
    little, and the members agree; where it does not, each setting goes wrong in its own way. Before that all
    families count the same, however many members they have. A member without companions has
    nothing to show, so it counts only where no family agrees on anything.

    Parameters
    ----------
    partitions : sequence of arrays of shape (n_points,)
        Labels given by each member, -1 where it has no opinion.
    families : sequence of str
        The kind of graph that each member comes from. Families should vary their settings about as widely:
        copies of one setting would agree for no reason.
    power : float
        0 trusts all alike; the larger, the more the best-agreeing members decide.

    Returns
    -------
    array of shape (n_members,)
        Sums to one.

    Examples
    --------
    >>> import numpy as np
    >>> sure, torn = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1])
    >>> partitions = [sure, sure, sure, torn]
    >>> weigh(partitions, ["pursuit", "pursuit", "ridge", "ridge"]).round(2).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    family = np.asarray(families)
    if family.shape != (len(partitions),):
        raise InputError(f"families: {family.size} names for {len(partitions)} partitions.")
    sizes = (family[:, None] == family).sum(axis=1)
    weights = np.maximum(mean_in_family(mutual_agreement(partitions), families), 0.0) ** power / sizes
    if weights.sum() == 0:
        weights = 1 / sizes
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares


def mean_in_family(table: NDArray[np.float64], families: Sequence[str]) -> NDArray[np.float64]:
    """Mean of each row over the other members of the same family; zero for a member alone.

    Examples
    --------
    >>> import numpy as np
    >>> mean_in_family(np.array([[1, 0.8, 0.2], [0.8, 1, 0.4], [0.2, 0.4, 1]]), ["a", "a", "b"]).tolist()
    [0.8, 0.8, 0.0]
    """
    family = np.asarray(families)
    others = (family[:, None] == family) & ~np.eye(len(family), dtype=bool)
    means: NDArray[np.float64] = np.where(others, table, 0.0).sum(axis=1) / np.maximum(others.sum(axis=1), 1)
    return means


def confidence(
    partitions: Sequence[Labels], weights: NDArray[np.floating] | None, labels: Labels
) -> NDArray[np.float64]:
    """How far the members support the label of each point, between 0 and 1.

    A member supports the label of a point with the share that this label has among the other points of the
    cluster into which the member puts it; the mean over the members, by weight, is the confidence. A point on
    its own is supported by nobody.

    Parameters
    ----------
    partitions : sequence of arrays of shape (n_points,)
        Labels given by each member, -1 where it has no opinion.
    weights : array of shape (n_members,), optional
        How far each is trusted; the same for all by default.
    labels : array of shape (n_points,)
        Labels of the joined partition, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> partitions = [np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])]
    >>> confidence(partitions, None, np.array([0, 0, 0, 1, 1])).tolist()
    [1.0, 1.0, 0.5, 0.75, 0.75]
    """
    total, known = np.zeros(len(labels)), np.zeros(len(labels))
    for share, member in zip(_shares(partitions, weights), partitions, strict=True):
        knows = member >= 0
        total[knows] += share * _support(member[knows], labels[knows])
        known += share * knows
    return np.clip(total / np.where(known == 0, 1, known), 0.0, 1.0)


def _support(member: Labels, labels: Labels) -> NDArray[np.float64]:
    """Share of the other points of a point's cluster that have its label."""
    clusters, cluster = np.unique(member, return_inverse=True)
    table = np.zeros((len(clusters), int(labels.max()) + 1))
    np.add.at(table, (cluster, labels), 1)
    others = table.sum(axis=1)[cluster] - 1
    share: NDArray[np.float64] = (table[cluster, labels] - 1) / np.maximum(others, 1)
    return share


def _shares(partitions: Sequence[Labels], weights: NDArray[np.floating] | None) -> NDArray[np.float64]:
    """Weights that sum to one."""
    n = len(partitions)
    given = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    if n == 0 or given.shape != (n,):
        raise InputError(f"weights: {given.size} of them for {n} partitions.")
    if not (given >= 0).all() or not 0 < given.sum() < np.inf:
        raise InputError("weights: must be finite and not negative, one of them at least above 0.")
    shares: NDArray[np.float64] = given / given.sum()
    return shares


def _indicators(labels: Labels) -> csr_array:
    """Points by clusters, columns of length one; a point with label -1 has an empty row."""
    known = labels >= 0
    _, cluster, sizes = np.unique(labels[known], return_inverse=True, return_counts=True)
    ends = np.concatenate([[0], np.cumsum(known)])
    return csr_array((1 / np.sqrt(sizes[cluster]), cluster, ends), shape=(len(labels), len(sizes)))
