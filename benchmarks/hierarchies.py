"""Graphs of graphs: cliques in groups, with links so weak that eigenvalues crowd just below 1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh, subspace_angles
from scipy.sparse import csr_array

from subspan.embedding import spectral_embedding
from subspan.handover import Embedding

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "hierarchies.md"
GAPS = (2.0, 1e-3, 1e-6, 1e-8, 1e-10, -1.0)
BESIDE = {"below": "one cluster fewer", "at": "as many clusters as parts", "above": "one more"}
HEAD = """# Groups of cliques with faint links

{} random graphs: 2 to 6 groups of 2 to 6 cliques each, with links of weight 1e-2 to 1e-14 inside a group
and between groups. There are as many clusters as groups or cliques, one fewer or one more. The embedding is
compared with all eigenvectors by LAPACK: `python -m benchmarks.hierarchies`. The angle is the sine of the
largest one between the spaces.

| graphs | number | `converged` | largest angle of these | largest gap of the others | most products |
|---|---:|---:|---:|---:|---:|
"""


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


def beside_a_level(made: Hierarchy, n_clusters: int) -> str:
    """Whether there are as many clusters as groups or cliques, or one fewer or more."""
    levels = {int(made.group.max()) + 1, int(made.clique.max()) + 1}
    return "at" if n_clusters in levels else "below" if n_clusters + 1 in levels else "above"


def compare(seed: int) -> dict[str, Any]:
    """The certificate of one random hierarchy beside what LAPACK finds."""
    made, n_clusters = random_hierarchy(seed)
    embedding = spectral_embedding(made.graph, n_clusters, seed=seed)
    gap, truth = dense_truth(made.graph, n_clusters)
    return {
        "n": made.clique.size,
        "n_clusters": n_clusters,
        "beside": beside_a_level(made, n_clusters),
        "gap": gap,
        "converged": embedding.certificate.converged,
        "angle": angle_to(embedding, made.graph, truth),
        "products": embedding.certificate.n_products,
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Counts by the gap that LAPACK sees and by the number of clusters."""
    text = HEAD.format(len(rows))
    for high, low in pairwise(GAPS):
        group = [row for row in rows if low <= row["gap"] < high]
        text += _row(f"gap below {high:g}", group) if high < GAPS[0] else _row(f"gap from {low:g}", group)
    for beside, name in BESIDE.items():
        text += _row(name, [row for row in rows if row["beside"] == beside])
    return text + _row("all", rows)


def _row(name: str, group: Sequence[dict[str, Any]]) -> str:
    proved = [row for row in group if row["converged"]]
    angle = f"{max(row['angle'] for row in proved):.1e}" if proved else "-"
    gaps = [row["gap"] for row in group if not row["converged"]]
    gap = f"{max(gaps):.1e}" if gaps else "-"
    products = max((row["products"] for row in group), default=0)
    return f"| {name} | {len(group)} | {len(proved)} | {angle} | {gap} | {products} |\n"


def main(n_graphs: int = 200) -> None:
    """Compare random hierarchies, and keep the table."""
    text = table([compare(seed) for seed in range(n_graphs)])
    print(text)
    RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
