import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.embedding import ordered_components


def slow_components(graph):
    """Flood fill, then order by size and first vertex."""
    unseen, found = set(range(len(graph))), []
    while unseen:
        stack, members = [min(unseen)], set()
        while stack:
            vertex = stack.pop()
            if vertex not in members:
                members.add(vertex)
                stack.extend(np.flatnonzero(graph[vertex]).tolist())
        unseen -= members
        found.append(sorted(members))
    result = [-1] * len(graph)
    linked = [members for members in found if len(members) > 1]
    for number, members in enumerate(sorted(linked, key=lambda members: (-len(members), members[0]))):
        for vertex in members:
            result[vertex] = number
    return result


@pytest.mark.parametrize("seed", range(6))
def test_equals_flood_fill(seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((40, 40)) < 0.03, 1)
    graph = (upper | upper.T).astype(float)
    assert ordered_components(csr_array(graph)).tolist() == slow_components(graph)


def test_graph_without_edges():
    assert ordered_components(csr_array((3, 3))).tolist() == [-1, -1, -1]
