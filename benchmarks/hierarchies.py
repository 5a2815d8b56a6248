"""Graphs of graphs: cliques in groups, with links so weak that eigenvalues crowd just below 1."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, subspace_angles
from scipy.sparse import csr_array

from subspan.embedding import spectral_embedding
from subspan.handover import Embedding

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hierarchy:
    """A graph, and the clique and the group of each vertex."""

    graph: csr_array
    clique: np.ndarray
    group: np.ndarray


def hierarchy(
    seed: int, n_groups: int, n_cliques: int, size: int, inside: float, between: float
) -> Hierarchy:
    """Cliques of a group in a ring of links with weight `inside`, groups in one with weight `between`."""
    rng = np.random.default_rng(seed)
    clique = np.repeat(np.arange(n_groups * n_cliques), size)
    weights = np.where(clique[:, None] == clique, rng.uniform(0.5, 1, (clique.size, clique.size)), 0)
    weights = np.triu(weights, 1)

    def vertex(number: int) -> int:
        return int(number * size + rng.integers(size))

    for number in range(n_groups * n_cliques):
        group, place = divmod(number, n_cliques)
        weights[vertex(number), vertex(group * n_cliques + (place + 1) % n_cliques)] = inside
    for group in range(n_groups):
        weights[vertex(group * n_cliques), vertex((group + 1) % n_groups * n_cliques)] = between
    np.fill_diagonal(weights, 0)
    return Hierarchy(csr_array(weights + weights.T), clique, clique // n_cliques)


def random_hierarchy(seed: int) -> tuple[Hierarchy, int]:
    """A hierarchy with links from 1e-2 to 1e-14, and a number of clusters near one of its levels."""
    rng = np.random.default_rng([24, seed])
    n_groups, n_cliques = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    size = int(rng.integers(8, 60))
    inside, between = 10.0 ** -rng.uniform(2, 14, size=2)
    made = hierarchy(seed, n_groups, n_cliques, size, inside, between)
    around = rng.choice([n_groups, n_groups * n_cliques]) + rng.integers(-1, 2)
    return made, max(2, int(around))


def dense_truth(graph: csr_array, n_vectors: int) -> tuple[float, np.ndarray]:
    """Gap behind the leading eigenvectors, and these, by LAPACK."""
    roots = np.sqrt(graph.sum(axis=1))
    values, vectors = eigh(graph.toarray() / roots[:, None] / roots)
    return float(values[-n_vectors] - values[-n_vectors - 1]), vectors[:, -n_vectors:]


def angle_to(embedding: Embedding, graph: csr_array, vectors: np.ndarray) -> float:
    """Sine of the largest angle between the embedding's space and that of some vectors."""
    degrees = graph.sum(axis=1)
    # The first column is the root of the degree, so the length that each row had is known.
    lengths = np.sqrt(degrees / degrees.sum()) / embedding.vectors[:, 0]
    return float(np.sin(subspace_angles(embedding.vectors * lengths[:, None], vectors).max()))


def compare(seed: int) -> dict[str, float]:
    """The certificate of one random hierarchy beside what LAPACK finds."""
    made, n_clusters = random_hierarchy(seed)
    embedding = spectral_embedding(made.graph, n_clusters, seed=seed)
    gap, truth = dense_truth(made.graph, n_clusters)
    return {
        "n": made.clique.size,
        "n_clusters": n_clusters,
        "gap": gap,
        "converged": embedding.certificate.converged,
        "angle": angle_to(embedding, made.graph, truth),
        "products": embedding.certificate.n_products,
    }


def main(n_graphs: int = 200) -> None:
    """One line per graph, then the counts."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    rows = []
    for seed in range(n_graphs):
        rows.append(compare(seed))
        log.info("%d %s", seed, " ".join(f"{name}={value:.3g}" for name, value in rows[-1].items()))
    proved = [row for row in rows if row["converged"]]
    doubted = [row for row in rows if not row["converged"]]
    log.info("%d graphs, %d converged", len(rows), len(proved))
    log.info("largest angle of a converged one: %.1e", max((row["angle"] for row in proved), default=0.0))
    log.info("largest gap of another: %.1e", max((row["gap"] for row in doubted), default=0.0))
    log.info("most products: %d", max(row["products"] for row in rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
