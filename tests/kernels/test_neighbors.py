"""Nearest rows against dense products and scikit-learn, compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms
from scipy.sparse import csr_array, random_array
from sklearn.neighbors import NearestNeighbors

from subspan.kernels.neighbors import nearest_rows

FORMS = both_forms(nearest_rows)
N = 40


def sparse_rows(seed: int) -> csr_array:
    """Of unit length, but for one without entries; signs differ."""
    rng = np.random.default_rng(seed)
    dense = random_array((N, 15), density=0.3, random_state=rng, data_sampler=rng.standard_normal).toarray()
    dense[3] = 0
    return csr_array(dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-300))


def run(
    form: str, rows: csr_array, most: int, start: int = 0, stop: int = N
) -> tuple[np.ndarray, np.ndarray]:
    columns = rows.tocsc()
    nearest, count = np.full((N, most), -1, np.int32), np.full(N, -1, np.int32)
    FORMS[form](
        start, stop,
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data,
        columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data,
        np.full(N, np.nan), np.full(most, np.nan), nearest, count,
    )  # fmt: skip
    return nearest, count


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("most", [1, 4, N])
@pytest.mark.parametrize("seed", range(3))
def test_largest_positive_products(form, most, seed):
    rows = sparse_rows(seed)
    products = (rows @ rows.T).toarray()
    np.fill_diagonal(products, 0)
    nearest, count = run(form, rows, most)
    for i in range(N):
        order = np.argsort(-products[i], kind="stable")
        wanted = order[products[i, order] > 0][:most]
        assert count[i] == len(wanted)
        assert products[i, nearest[i, : count[i]]] == pytest.approx(products[i, wanted])
    assert count[3] == 0
    assert count.min() < count.max() or most == 1


@pytest.mark.parametrize("form", FORMS)
def test_on_the_sphere_they_are_the_neighbours_of_scikit_learn(form):
    dense = np.abs(np.random.default_rng(0).standard_normal((N, 6)))
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    nearest, _ = run(form, csr_array(dense), 5)
    assert np.array_equal(nearest, NearestNeighbors(n_neighbors=5).fit(dense).kneighbors()[1])


@pytest.mark.parametrize("form", FORMS)
def test_ties_go_to_the_lowest_row(form):
    rows = csr_array(np.eye(4)[np.arange(N) % 4])
    nearest, _ = run(form, rows, 3)
    assert nearest[0].tolist() == [4, 8, 12]
    assert nearest[8].tolist() == [0, 4, 12]


@pytest.mark.parametrize("form", FORMS)
def test_other_rows_than_those_asked_for_are_left_alone(form):
    rows = sparse_rows(0)
    nearest, count = run(form, rows, 4, start=10, stop=20)
    assert np.array_equal(nearest[10:20], run(form, rows, 4)[0][10:20])
    assert (np.delete(nearest, range(10, 20), axis=0) == -1).all()
    assert (np.delete(count, range(10, 20)) == -1).all()
