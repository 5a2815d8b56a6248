"""LSR, LRSC and OLRSC: dense coefficients through all stages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from subspan.base import SubspaceMethod
from subspan.datasets import make_union_of_subspaces
from subspan.handover import Factors, InputError
from subspan.measures import leading_eigenvalues, support_size
from subspan.methods.lrsc import LRSC
from subspan.methods.lsr import LSR
from subspan.methods.olrsc import OLRSC
from subspan.metrics import clustering_accuracy, connectivity, subspace_preserving_error

SHARED: dict[str, Any] = {"n_init": 2, "zero_rows": "label"}
CHEAP = [
    LSR(**SHARED),
    LRSC(**SHARED),
    LRSC(noise="gross", max_iter=3, **SHARED),
    OLRSC(n_basis=4, **SHARED),
    OLRSC(n_basis=4, clustering="codes", **SHARED),
]

METHODS = [
    pytest.param(LSR(4, n_init=5, random_state=0), id="LSR"),
    pytest.param(LSR(4, zero_diagonal=False, n_init=5, random_state=0), id="LSR2"),
    pytest.param(LRSC(4, n_init=5, random_state=0), id="LRSC"),
    pytest.param(LRSC(4, noise="dense", n_init=5, random_state=0), id="LRSC dense"),
    pytest.param(LRSC(4, noise="gross", max_iter=5, n_init=5, random_state=0), id="LRSC gross"),
    pytest.param(OLRSC(4, n_basis=12, n_epochs=4, n_init=5, random_state=0), id="OLRSC"),
]


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 30, 60, random_state=3)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@parametrize_with_checks(CHEAP)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clusters_are_found_and_results_fit_the_input(method: SubspaceMethod, dtype, points):
    X, y = points
    fitted = clone(method).fit(X.astype(dtype))
    assert clustering_accuracy(y, fitted.labels_) >= 0.98
    representation, graph = fitted.representation_, fitted.affinity_
    assert isinstance(representation, Factors)
    assert isinstance(graph, np.ndarray)
    assert representation.dtype == graph.dtype == dtype
    assert representation.shape == graph.shape == (240, 240)
    magnitudes = np.abs(representation.rows(0, 240))
    if fitted.scale == "max":
        magnitudes /= magnitudes.max(axis=1, keepdims=True)
    np.testing.assert_allclose(graph, (magnitudes + magnitudes.T) / 2, atol=1e-6)
    assert fitted.embedding_.shape == (240, 4)
    assert fitted.certificate_.converged
    assert set(fitted.stage_seconds_) == {"representation", "affinity", "embedding", "labeling"}
    assert len(fitted.changes_) == fitted.n_iter_
    assert support_size(representation) == 239
    assert subspace_preserving_error(representation, y) < 0.75
    assert connectivity(graph, y).minimum > 0
    assert len(leading_eigenvalues(fitted)) == 15


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_for_any_number_of_threads(method, points):
    X = np.vstack([points[0], make_union_of_subspaces(4, 3, 30, 80, random_state=4)[0]]).astype(np.float32)
    one, two = (clone(method).set_params(n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
    assert np.array_equal(one.representation_.left, two.representation_.left)
    assert np.array_equal(one.representation_.right, two.representation_.right)
    assert np.array_equal(one.affinity_, two.affinity_)
    assert np.array_equal(one.embedding_, two.embedding_)
    assert np.array_equal(one.labels_, two.labels_)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_copies_and_zero_rows(method, points):
    X, y = points
    order = np.random.default_rng(0).permutation(300)
    rows = np.vstack([X, 4 * X[:50], np.zeros((10, 30))])[order]
    truth = np.concatenate([y, y[:50], np.full(10, -1)])[order]
    fitted = clone(method).set_params(zero_rows="label").fit(rows)
    assert (fitted.labels_[truth == -1] == -1).all()
    assert clustering_accuracy(truth[truth >= 0], fitted.labels_[truth >= 0]) >= 0.98
    assert not fitted.affinity_[truth == -1].any()
    first, copies = (
        np.array([np.flatnonzero(order == start + i)[0] for i in range(50)]) for start in (0, 240)
    )
    assert np.array_equal(fitted.labels_[first], fitted.labels_[copies])
    assert not fitted.affinity_[first, copies].any()
    assert fitted.counts_["duplicate_rows"] == 50


@pytest.mark.parametrize("method", [LSR, LRSC, OLRSC])
def test_refusal_before_any_work(method):
    X = np.random.default_rng(0).standard_normal((70_000, 3)).astype(np.float32)
    pattern = r"^memory_budget: 2 GB is too little; 2\d\.\d GB would do; the graph is dense, "
    model = method(10, memory_budget="2GB", duplicates="keep")
    with pytest.raises(InputError, match=pattern):
        model.fit(X)
    assert not hasattr(model, "representation_")
    assert not hasattr(model, "stage_seconds_")


@pytest.mark.parametrize("method", METHODS)
def test_coefficients_may_be_handed_in(method, points):
    X, _ = points
    fitted = clone(method).fit(X)
    coefficients = fitted.representation_.rows(0, 240)
    again = clone(method).set_params(affinity="precomputed_representation").fit(coefficients)
    np.testing.assert_allclose(again.affinity_.toarray(), fitted.affinity_, atol=1e-12)
    assert np.array_equal(again.labels_, fitted.labels_)
