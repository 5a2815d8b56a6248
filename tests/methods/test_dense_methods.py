"""LSR, LRSC and OLRSC: dense coefficients through all stages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from subspan.base import SubspaceClusterer
from subspan.datasets import make_union_of_subspaces
from subspan.handover import Factors, InputError
from subspan.methods.lrsc import LRSC
from subspan.methods.lsr import LSR
from subspan.methods.olrsc import OLRSC
from subspan.metrics import clustering_accuracy, connectivity, subspace_preserving_error
from subspan.reproduction.perform import leading_eigenvalues, support_size

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
def test_clusters_are_found_and_results_fit_the_input(method: SubspaceClusterer, dtype, points):
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
    name = method.__name__
    pattern = rf"^n_samples=70000: the dense graph of {name} takes 19\.6 GB, but memory_budget leaves 2 GB; "
    model = method(10, memory_budget="2GB", duplicates="keep")
    with pytest.raises(InputError, match=pattern):
        model.fit(X)
    assert not hasattr(model, "representation_")
    assert "representation" not in model.stage_seconds_


@pytest.mark.parametrize("method", METHODS)
def test_coefficients_may_be_handed_in(method, points):
    X, _ = points
    fitted = clone(method).fit(X)
    coefficients = fitted.representation_.rows(0, 240)
    again = clone(method).set_params(affinity="precomputed_representation").fit(coefficients)
    np.testing.assert_allclose(again.affinity_.toarray(), fitted.affinity_, atol=1e-12)
    assert np.array_equal(again.labels_, fitted.labels_)


def test_points_that_nothing_represents():
    with pytest.raises(InputError, match="The affinity is all zero"):
        LRSC(2, tau=1e-9).fit(np.random.default_rng(0).standard_normal((20, 5)))


@pytest.mark.parametrize(
    ("model", "pattern"),
    [
        (LSR(regularization=0), "'regularization' .* 0 instead"),
        (LSR(zero_diagonal=2), "'zero_diagonal' .* 2 instead"),
        (LRSC(tau=-1.0), "'tau' .* -1.0 instead"),
        (LRSC(alpha=0.0), "'alpha' .* 0.0 instead"),
        (LRSC(gamma=np.nan), "'gamma' .* nan instead"),
        (LRSC(noise="some"), "'noise' .* 'some' instead"),
        (OLRSC(n_basis=0), "'n_basis' .* 0 instead"),
        (OLRSC(reconstruction=0), "'reconstruction' .* 0 instead"),
        (OLRSC(n_epochs=0), "'n_epochs' .* 0 instead"),
        (OLRSC(clustering="graph"), "'clustering' .* 'graph' instead"),
    ],
)
def test_bad_parameters(model, pattern, points):
    with pytest.raises(ValueError, match=pattern):
        model.fit(points[0])


class TestStream:
    """OLRSC piece by piece."""

    @pytest.mark.parametrize("clustering", ["spectral", "codes"])
    def test_parts_are_what_fit_does_in_one_epoch(self, clustering, points):
        X, _ = points
        whole, parts = (
            OLRSC(4, n_basis=12, n_epochs=1, clustering=clustering, random_state=0) for _ in range(2)
        )
        whole.fit(X)
        for part in np.split(X, [1, 70, 200]):
            parts.partial_fit(part)
        labels = parts.label_stream()
        assert np.array_equal(parts.basis_, whole.basis_)
        assert np.array_equal(parts.representation_.left, whole.representation_.left)
        assert np.array_equal(parts.representation_.right, whole.representation_.right)
        assert np.array_equal(labels, whole.labels_)

    def test_epochs(self, points):
        X, y = points
        whole, parts = (OLRSC(4, n_basis=12, n_epochs=3, random_state=0) for _ in range(2))
        whole.fit(X)
        for epoch in range(3):
            for number, part in enumerate(np.split(X, [100, 180])):
                parts.partial_fit(part, new_epoch=epoch > 0 and number == 0)
        assert np.array_equal(parts.label_stream(), whole.labels_)
        assert clustering_accuracy(y, whole.labels_) >= 0.95
        assert (np.diff(whole.objective_) < 0).all()

    def test_fit_begins_anew_and_a_stream_goes_on(self, points):
        X, _ = points
        model = OLRSC(4, n_basis=12, n_epochs=1, random_state=0).partial_fit(X[::-1])
        model.fit(X)
        assert np.array_equal(model.basis_, OLRSC(4, n_basis=12, n_epochs=1, random_state=0).fit(X).basis_)
        with pytest.raises(InputError, match="no rows have been passed to partial_fit"):
            model.label_stream()
        before = model.basis_.copy()
        assert model.partial_fit(X[:30]).label_stream().shape == (30,)
        assert not np.array_equal(model.basis_, before)

    @pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
    @pytest.mark.parametrize("clustering", ["spectral", "codes"])
    def test_zero_rows(self, clustering, points):
        X, _ = points
        rows = X.copy()
        rows[[5, 100]] = 0
        with pytest.raises(InputError, match=r"^X: row 5 is zero"):
            OLRSC(4).partial_fit(rows)
        settings = {"n_basis": 12, "clustering": clustering, "zero_rows": "label", "random_state": 0}
        labels = OLRSC(4, **settings).partial_fit(rows).label_stream()
        assert np.flatnonzero(labels == -1).tolist() == [5, 100]
        assert np.array_equal(OLRSC(4, n_epochs=1, **settings).fit(rows).labels_, labels)

    def test_other_columns_are_refused(self, points):
        model = OLRSC(4).partial_fit(points[0])
        with pytest.raises(InputError, match="X has 29 features, but OLRSC is expecting 30"):
            model.partial_fit(points[0][:, 1:])


def test_codes_need_no_graph():
    """Codes lie close together where points do: here around three directions."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1200)
    X = rng.standard_normal((3, 40))[y] + 0.2 * rng.standard_normal((1200, 40))
    model = OLRSC(3, n_basis=3, clustering="codes", memory_budget="1MB", random_state=0).fit(X)
    assert model.affinity_.shape == (1200, 1200)
    assert model.affinity_.nnz == 0
    assert isinstance(model.affinity_, csr_array)
    assert np.array_equal(model.embedding_, model.representation_.left)
    assert clustering_accuracy(y, model.labels_) == 1.0
    with pytest.raises(InputError, match=r"the dense graph of OLRSC takes 0\.0115 GB"):
        model.set_params(clustering="spectral").fit(X)
