"""Neighbours of coefficients against a search through all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize

from subspan.affinity.neighbors import neighbor_affinity
from subspan.handover import InputError


def sparse_rows(n: int, k: int, dtype: str = "float64") -> csr_array:
    rng = np.random.default_rng(0)
    return csr_array(
        random_array((n, k), density=0.2, random_state=rng, data_sampler=rng.standard_normal), dtype=dtype
    )


@pytest.mark.parametrize("n_neighbors", [1, 3, 10])
@pytest.mark.parametrize("k", [40, 300])
def test_links_are_those_of_all_pairs(n_neighbors, k):
    rows = sparse_rows(300, k)
    links = kneighbors_graph(normalize(rows.toarray()), n_neighbors, include_self=False).toarray()
    found = neighbor_affinity(rows, n_neighbors)
    assert np.array_equal(found.toarray(), (links + links.T) / 2)
    assert found.has_sorted_indices


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_type_is_kept_and_threads_change_nothing(dtype):
    rows = sparse_rows(300, 50, dtype)
    one, two = (neighbor_affinity(rows, 3, threads=threads) for threads in (1, 2))
    assert one.dtype == dtype
    assert np.array_equal(one.toarray(), two.toarray())


def test_length_does_not_matter_but_sign_does():
    rows = csr_array(np.array([[1e-200, 0.0], [1e200, 1e199], [-1.0, 0.0], [-5.0, 1.0]]))
    assert neighbor_affinity(rows, 3).toarray().tolist() == [
        [0, 1, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]


def test_ties_go_to_the_lowest_index():
    rows = csr_array(np.array([[1.0], [2.0], [3.0], [4.0]]))
    links = neighbor_affinity(rows, 1).toarray() > 0
    assert np.argwhere(np.triu(links)).tolist() == [[0, 1], [0, 2], [0, 3]]


def test_rows_without_anything_in_common_have_no_edge():
    rows = csr_array(np.array([[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    assert neighbor_affinity(rows, 2).sum(axis=1).tolist() == [1, 1, 0, 0]


def test_copies_have_the_neighbours_of_the_first_of_them():
    rows = sparse_rows(60, 20).toarray()
    copies = np.concatenate([rows, rows[:5], rows[:5]])
    found = neighbor_affinity(csr_array(copies), 3).toarray()
    without = neighbor_affinity(csr_array(rows), 3).toarray()
    assert np.array_equal(found[:60, :60], without)
    # Links of the first towards others; those from others go to the first alone.
    assert np.array_equal(found[60:65], found[65:])
    assert ((found[60:65, :60] > 0) <= (without[:5] > 0)).all()
    assert (found[60:, :60].sum(axis=1) == 1.5).all()


def test_no_neighbours_is_refused():
    with pytest.raises(InputError, match="n_neighbors=0: must be at least 1"):
        neighbor_affinity(sparse_rows(5, 5), 0)
