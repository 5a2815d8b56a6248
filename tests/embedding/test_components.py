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


FORMS = [csr_array, np.asarray]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.01, 0.03, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_equals_flood_fill(seed, share, form):
    rng = np.random.default_rng(seed)
    # Weights of all sizes, 1 among them.
    upper = np.triu((rng.random((40, 40)) < share) * rng.choice([1e-300, 0.5, 1.0, 7.0], (40, 40)), 1)
    graph = upper + upper.T
    assert ordered_components(form(graph)).tolist() == slow_components(graph)


@pytest.mark.parametrize("form", FORMS)
def test_a_path_is_one_component_in_whatever_order(form):
    order = np.random.default_rng(0).permutation(30)
    graph = np.zeros((30, 30))
    graph[order[1:], order[:-1]] = graph[order[:-1], order[1:]] = 1
    assert not ordered_components(form(graph)).any()


@pytest.mark.parametrize("form", FORMS)
def test_graph_without_edges(form):
    assert ordered_components(form(np.zeros((3, 3)))).tolist() == [-1, -1, -1]
