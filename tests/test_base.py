"""The one fit: odd data give right results and one warning, any stage can be entered, nothing is changed."""

from __future__ import annotations

import warnings
from hashlib import sha256
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_matrix, csr_array

from subspan import LSR, S3COMP, S3COMPC, SSCOMP
from subspan.base import SubspaceMethod
from subspan.datasets import make_union_of_subspaces
from subspan.execution.memory import peak_memory
from subspan.handover import DataWarning
from subspan.methods import planning
from subspan.metrics import clustering_accuracy
from subspan.self_expression.kept import Kept

METHODS = [S3COMP, S3COMPC, SSCOMP]
Data = tuple[NDArray[np.floating], NDArray[np.int64]]


@pytest.fixture
def points() -> Data:
    return make_union_of_subspaces(4, 3, 30, 40, random_state=1)


def with_copies(data: Data, change: Any = lambda rows: rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Half as many rows again, made from others; with the classes and with the row each was made from."""
    X, y = data
    rng = np.random.default_rng(0)
    origin = np.append(np.arange(len(X)), rng.integers(0, len(X), len(X) // 2))
    order = rng.permutation(len(origin))
    X = np.vstack([X, change(X[origin[len(X) :]])])
    return X[order], y[origin[order]], origin[order]


def fit_with_one_warning(model: SubspaceMethod, X: Any, *remarks: str) -> SubspaceMethod:
    """Fit; there must be one warning that makes all these remarks, or none at all."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    assert [warning.category for warning in caught] == ([DataWarning] if remarks else [])
    for remark in remarks:
        assert remark in str(caught[0].message)
        # The caller's line is the one to look at.
        assert caught[0].filename == __file__
    return model


def model_of(method: type[SubspaceMethod], **parameters: Any) -> SubspaceMethod:
    return method(**{"n_clusters": 4, "n_nonzero": 3, "n_init": 5, "random_state": 0} | parameters)


@pytest.mark.parametrize("method", METHODS)
def test_clean_data_give_no_warning(method, points):
    model = fit_with_one_warning(model_of(method), points[0])
    assert clustering_accuracy(points[1], model.labels_) == 1.0
    assert {name for name, count in model.counts_.items() if count} == {"components"}


@pytest.mark.parametrize("method", METHODS)
def test_copies_get_the_label_of_their_original(method, points):
    # A multiple by a power of two is the same direction to the last bit.
    X, y, origin = with_copies(points, lambda rows: 4 * rows)
    model = fit_with_one_warning(model_of(method), X, "duplicate rows: 80")
    assert model.counts_["duplicate_rows"] == 80
    assert clustering_accuracy(y, model.labels_) == 1.0
    for copies in (np.flatnonzero(origin == i) for i in range(160)):
        assert len(set(model.labels_[copies])) == 1
        rows = model.representation_[copies].toarray()
        assert (rows == rows[0]).all()
        # Only the first of them is an atom.
        assert model.representation_[:, copies[1:]].nnz == 0


@pytest.mark.parametrize("method", METHODS)
def test_copies_may_be_kept(method, points):
    X, y, _ = with_copies(points)
    remarks = ["copies of a point passed over"] if method is SSCOMP else []
    model = fit_with_one_warning(model_of(method, duplicates="keep"), X, *remarks)
    assert model.counts_["duplicate_rows"] == 0
    assert clustering_accuracy(y, model.labels_) == 1.0


@pytest.mark.parametrize("change", ["opposite", "nearly equal"])
@pytest.mark.parametrize("method", METHODS)
def test_collinear_atoms_without_damping(method, change, points):
    """Twins are no atoms for one another: they would represent each other alone and leave the graph."""
    noise = 1e-4 * np.random.default_rng(1).standard_normal((80, 30)) / np.sqrt(30)
    changes = {"opposite": lambda rows: -2 * rows, "nearly equal": lambda rows: rows + noise}
    X, y, _ = with_copies(points, changes[change])
    parameters = {"duplicates": "keep"} | ({} if method is SSCOMP else {"damping": 0.0})
    model = fit_with_one_warning(
        model_of(method, **parameters), X.astype(np.float32), "copies of a point passed over"
    )
    assert clustering_accuracy(y, model.labels_) == 1.0
    assert np.isfinite(model.representation_.data).all()
    assert np.abs(model.representation_.data).max() < 100


@pytest.mark.parametrize("kept", get_args(Kept))
def test_dependent_atoms_are_passed_over(kept, monkeypatch):
    """All points lie in six dimensions but for a little noise; of the eight atoms asked for two depend."""
    X, y = make_union_of_subspaces(2, 3, 6, 60, orthogonal=True, random_state=0)
    noise = 8e-4 * np.random.default_rng(0).standard_normal((120, 32)) / np.sqrt(32)
    X = (np.pad(X, ((0, 0), (0, 26))) + noise).astype(np.float32)
    monkeypatch.setattr(planning, "choose_kept", lambda *_: kept)
    model = model_of(S3COMP, n_clusters=2, n_nonzero=8, damping=0.0, residual_tol=0.0)
    fit_with_one_warning(model, X, "dependent atoms")
    assert model.counts_["dependent_atoms"] > 1000
    assert clustering_accuracy(y, model.labels_) == 1.0
    assert np.abs(model.representation_.data).max() < 2


def test_more_atoms_than_dimensions():
    X, y = make_union_of_subspaces(2, 2, 4, 60, random_state=0)
    undamped = S3COMP(2, n_nonzero=6, damping=0.0, random_state=0)
    model = fit_with_one_warning(
        undamped, X, "in excess of n_features, which no pursuit can use without damping: 2"
    )
    assert clustering_accuracy(y, model.labels_) == 1.0
    assert np.diff(model.representation_.indptr).max() <= 4 * 15
    # With damping more atoms than dimensions are the paper's own choice.
    model = fit_with_one_warning(S3COMP(2, n_nonzero=6, random_state=0), X)
    assert clustering_accuracy(y, model.labels_) == 1.0


def with_orthogonal_point(data: Data) -> tuple[np.ndarray, np.ndarray]:
    X, y = data
    return np.vstack([np.pad(X, ((0, 0), (0, 1))), np.eye(31)[-1:]]), y


@pytest.mark.parametrize("method", METHODS)
def test_empty_representation(method, points):
    X, y = with_orthogonal_point(points)
    model = fit_with_one_warning(
        model_of(method),
        X,
        "points with an empty representation: 1",
        "isolated points: 1",
        "which joined the most similar cluster",
    )
    assert clustering_accuracy(y, model.labels_[:-1]) == 1.0
    assert 0 <= model.labels_[-1] < 4
    assert model.representation_[[160]].nnz == 0
    assert (model.embedding_[160] == 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_isolated_points_may_be_labelled(method, points):
    X, y = with_orthogonal_point(points)
    model = fit_with_one_warning(
        model_of(method, left_out="label"), X, "isolated points: 1", "which got the label -1"
    )
    assert model.labels_[-1] == -1
    assert clustering_accuracy(y, model.labels_[:-1]) == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_zero_rows_may_be_labelled(method, points):
    X, y = points
    X = np.insert(X, [3, 50, 160], 0, axis=0)
    zero = np.flatnonzero((X == 0).all(axis=1))
    model = fit_with_one_warning(
        model_of(method, zero_rows="label"), X, "zero rows, which got the label -1: 3"
    )
    assert np.flatnonzero(model.labels_ == -1).tolist() == zero.tolist()
    others = np.delete(np.arange(163), zero)
    assert clustering_accuracy(y, model.labels_[others]) == 1.0
    assert model.representation_[zero].nnz == model.representation_[:, zero].nnz == 0
    assert model.counts_["isolated_points"] == model.counts_["left_out"] == 0
    without = model_of(method).fit(X[others])
    assert np.array_equal(without.labels_, model.labels_[others])


def test_surplus_components_of_a_graph_get_no_label():
    graph = np.zeros((22, 22))
    graph[:10, :10] = graph[10:20, 10:20] = graph[20:, 20:] = 1
    model = fit_with_one_warning(
        model_of(SSCOMP, n_clusters=2, affinity="precomputed"), graph,
        "components of the graph in excess of n_clusters: 1",
        "points outside the embedding, which got the label -1: 2",
    )  # fmt: skip
    assert model.labels_.tolist() == [0] * 10 + [1] * 10 + [-1] * 2


@pytest.mark.parametrize("cousin", [0, 1])
def test_surplus_components_join_what_they_resemble(cousin):
    """A pair that represents each other, and leans towards one of two large subspaces."""
    X, y = make_union_of_subspaces(2, 3, 6, 60, orthogonal=True, random_state=0)
    pair = np.append(0.3 * X[y == cousin][0], 1.0) + [[0.0], [1e-5]]
    X = np.vstack([np.pad(X, ((0, 0), (0, 1))), pair])
    remarks = [
        "components of the graph in excess of n_clusters: 1",
        "points outside the embedding, which joined the most similar cluster: 2",
    ]
    model = fit_with_one_warning(model_of(SSCOMP, n_clusters=2), X, *remarks)
    assert model.counts_["components"] == 3
    assert clustering_accuracy(np.append(y, [cousin, cousin]), model.labels_) == 1.0


FORMS = {
    "csr": csr_array,
    "coo": coo_array,
    "csc matrix": csc_matrix,
    "dense": lambda matrix: matrix.toarray(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", METHODS)
def test_every_stage_can_be_entered(method, form):
    X, _ = make_union_of_subspaces(4, 4, 12, 40, noise=0.1, random_state=1)
    whole = model_of(method).fit(X)
    given = {"precomputed": whole.affinity_, "precomputed_representation": whole.representation_}
    for affinity, matrix in given.items():
        model = model_of(method, affinity=affinity).fit(FORMS[form](matrix))
        assert np.array_equal(model.labels_, whole.labels_)
        assert np.array_equal(model.affinity_.toarray(), whole.affinity_.toarray())
        assert np.array_equal(model.eigenvalues_, whole.eigenvalues_)
        assert hasattr(model, "representation_") == (affinity == "precomputed_representation")
        assert "representation" not in model.stage_seconds_


def digest(X: Any) -> str:
    parts = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    return sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("parameters", [{}, {"normalize": False}, {"duplicates": "keep"}], ids=str)
def test_points_are_never_written_to(parameters, dtype, order, points):
    X = np.asarray(np.abs(points[0]) * 100, dtype, order=order)
    before = digest(X)
    model_of(S3COMPC, **parameters).fit(X)
    assert digest(X) == before


@pytest.mark.parametrize("affinity", ["precomputed", "precomputed_representation"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sparse", [True, False])
def test_graphs_are_never_written_to(affinity, dtype, sparse, points):
    graph = np.abs(points[0] @ points[0].T).astype(dtype)
    graph[graph < 0.2] = 0
    X = csr_array(graph) if sparse else graph
    before = digest(X)
    model_of(SSCOMP, affinity=affinity).fit(X)
    assert digest(X) == before


@pytest.mark.parametrize("scale", ["max", "l2"])
def test_scaled_coefficients(scale, points):
    model = model_of(S3COMP, scale=scale).fit(points[0])
    rows = np.abs(model.representation_.toarray())
    lengths = rows.max(axis=1) if scale == "max" else np.linalg.norm(rows, axis=1)
    rows /= lengths[:, None]
    assert np.allclose(model.affinity_.toarray(), (rows + rows.T) / 2)


def test_number_of_eigenvectors(points):
    assert model_of(S3COMP, n_components=6).fit(points[0]).embedding_.shape == (160, 6)
    assert model_of(S3COMP, n_components=None).fit(points[0]).embedding_.shape == (160, 4)
    # With little damping the graph falls into four pieces, of which three are embedded.
    auto = model_of(S3COMP, n_clusters=3, n_components="auto", damping=0.5).fit(points[0])
    # Four subspaces stand before the gap, whatever the number of clusters asked for.
    assert auto.embedding_.shape == (160, 4)
    assert len(set(auto.labels_)) == 3


def test_one_cluster():
    X, _ = make_union_of_subspaces(1, 3, 10, 40, random_state=0)
    assert not fit_with_one_warning(model_of(S3COMP, n_clusters=1), X).labels_.any()


@pytest.mark.parametrize("method", [S3COMP, S3COMPC, SSCOMP, LSR])
def test_the_peak_of_memory_is_kept(method, points):
    before = peak_memory()
    found = method(4, random_state=0).fit(points[0]).peak_memory_
    assert before <= found <= peak_memory()
