"""SCC: flats that self-expressive methods cannot tell apart, invariances, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import ortho_group
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from subspan import S3COMPC, SSCOMP
from subspan.base import SubspaceMethod
from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning, Factors, InputError
from subspan.methods.scc import SCC
from subspan.metrics import clustering_accuracy

Data = tuple[np.ndarray, np.ndarray]


def make_flats(dims: tuple[int, ...], ambient: int, shift: float, seed: int, noise: float = 0.005) -> Data:
    """60 points on each of a few random flats, at random places about the origin."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.uniform(-1, 1, (60, dim)) @ ortho_group.rvs(ambient, random_state=rng)[:dim]
        + shift * rng.uniform(-1, 1, ambient)
        for dim in dims
    ]
    X = np.concatenate(parts)
    return X + noise * rng.standard_normal(X.shape), np.repeat(np.arange(len(dims)), 60)


def mean_accuracy(method: SubspaceMethod, data: list[Data]) -> float:
    return float(np.mean([clustering_accuracy(y, method.fit_predict(X)) for X, y in data]))


@pytest.fixture
def planes() -> Data:
    return make_flats((2, 2, 2), 4, 1.0, 0)


SCENES = {
    "lines in space": ((1, 1, 1), 3, 1.0),
    "lines in the plane": ((1, 1), 2, 0.3),
    "crossing planes": ((2, 2), 3, 0.2),
    "three planes": ((2, 2, 2), 3, 1.0),
    "planes and a line": ((2, 1), 3, 1.0),
}


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("scene", SCENES)
def test_flats_off_the_origin(scene):
    dims, ambient, shift = SCENES[scene]
    data = [make_flats(dims, ambient, shift, seed) for seed in range(3)]
    n, dim = len(dims), max(dims)
    ours = mean_accuracy(SCC(n, dim=dim, n_init=5, random_state=0), data)
    assert ours >= 0.97
    # Such a flat spans a subspace of one dimension more: often the whole space.
    for method in (SSCOMP, S3COMPC):
        theirs = mean_accuracy(method(n, n_nonzero=dim + 1, n_init=5, random_state=0), data)
        assert theirs < 0.9 < ours


@pytest.mark.parametrize(("n", "dim", "ambient"), [(3, 2, 6), (4, 3, 9)])
def test_linear_subspaces(n, dim, ambient):
    for seed in range(3):
        X, y = make_union_of_subspaces(n, dim, ambient, 60, noise=0.02, random_state=seed)
        lengths = np.random.default_rng(seed).uniform(0.2, 5, (len(X), 1))
        linear = SCC(n, dim=dim, affine=False, normalize=True, random_state=seed)
        assert clustering_accuracy(y, linear.fit_predict(lengths * X)) >= 0.97


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results(planes, dtype):
    X, y = planes
    model = SCC(3, dim=2, n_columns=90, random_state=0).fit(X.astype(dtype))
    assert clustering_accuracy(y, model.labels_) >= 0.97
    assert not hasattr(model, "representation_")
    assert isinstance(model.affinity_, Factors)
    assert model.affinity_.shape == (180, 180)
    assert model.affinity_.dtype == dtype
    assert model.affinity_.left.shape == (180, 90)
    assert model.affinity_.left is model.affinity_.right
    assert (model.affinity_.left == 0).sum() == 90 * 3
    assert len(model.changes_) == model.n_iter_ >= 2
    # One flat through all points fits worse; the last round brought little.
    assert model.changes_[0] < 0.9
    assert model.changes_[-1] > 0.99
    assert model.embedding_.shape == (180, 3)
    assert model.certificate_.converged
    assert model.counts_["left_out"] == 0


def test_the_graph_cut_is_the_product(planes):
    model = SCC(3, dim=2, random_state=0).fit(planes[0])
    graph = model.affinity_.left @ model.affinity_.left.T
    roots = np.sqrt(graph.sum(axis=1))
    values = np.linalg.eigvalsh(graph / roots / roots[:, None])[::-1]
    assert model.eigenvalues_[:3] == pytest.approx(values[:3], abs=1e-9)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_n_jobs_changes_nothing(n_jobs):
    X, _ = make_flats((2,) * 5, 5, 1.0, 1, noise=0.1)
    one = SCC(5, dim=2, random_state=3, n_jobs=1).fit(X)
    many = SCC(5, dim=2, random_state=3, n_jobs=n_jobs).fit(X)
    assert np.array_equal(one.affinity_.left, many.affinity_.left)
    assert np.array_equal(one.labels_, many.labels_)
    assert one.changes_ == many.changes_


def test_seeds_draw_other_tuples(planes):
    first, second = (SCC(3, dim=2, random_state=seed).fit(planes[0]) for seed in (0, 1))
    assert not np.array_equal(first.affinity_.left, second.affinity_.left)


@pytest.mark.parametrize("affine", [True, False])
def test_invariance(planes, affine):
    X, _ = planes
    model = SCC(3, dim=2, affine=affine, random_state=0)
    labels = model.fit(X).labels_
    assert np.array_equal(labels, model.fit(X @ ortho_group.rvs(4, random_state=1)).labels_)
    assert np.array_equal(labels, model.fit(1e-3 * X).labels_)
    if affine:
        assert np.array_equal(labels, model.fit(X + [30, -10, 5, 0]).labels_)


def test_zero_rows_are_points_on_affine_flats(planes):
    X, y = planes
    # The first point of the first plane becomes the origin.
    X = X - X[0]
    model = SCC(3, dim=2, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) >= 0.97
    assert model.labels_[0] == model.labels_[5]
    assert model.counts_["zero_rows"] == 0
    for parameters in ({"affine": False}, {"normalize": True}):
        with pytest.raises(InputError, match="X: 1 zero row, the first at row 0"):
            SCC(3, dim=2, random_state=0, **parameters).fit(X)
        with pytest.warns(DataWarning, match="zero rows, which got the label -1: 1"):
            labels = SCC(3, dim=2, random_state=0, zero_rows="label", **parameters).fit_predict(X)
        assert labels[0] == -1
        assert labels[1:].min() == 0


def test_copies_follow_their_original(planes):
    X, y = planes
    with pytest.warns(DataWarning, match="duplicate rows: 20"):
        model = SCC(3, dim=2, random_state=0).fit(np.vstack([X, X[:20]]))
    assert np.array_equal(model.labels_[180:], model.labels_[:20])
    assert clustering_accuracy(y, model.labels_[:180]) >= 0.97
    assert np.array_equal(model.affinity_.left[180:], model.affinity_.left[:20])


@pytest.mark.parametrize("form", [csr_array, np.asarray])
def test_every_stage_can_be_entered(planes, form):
    X, y = planes
    graph = np.equal.outer(y, y) * np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    for affinity in ("precomputed", "precomputed_representation"):
        model = SCC(3, affinity=affinity, random_state=0).fit(form(graph))
        assert clustering_accuracy(y, model.labels_) == 1.0


def test_one_cluster(planes):
    assert not SCC(1, dim=2, random_state=0).fit(planes[0]).labels_.any()


def test_max_iter(planes):
    assert SCC(3, dim=2, max_iter=1, random_state=0).fit(planes[0]).n_iter_ == 1


BAD_INPUT: list[tuple[dict[str, Any], int, str]] = [
    ({"dim": 4}, 180, "^dim=4 must be below the number of features, but X has n_features=4: "),
    ({"dim": 3, "n_clusters": 2}, 4, r"^dim=3 needs at least 5 distinct rows, but X has only 4\.$"),
    ({"n_columns": 2}, 180, "^n_columns=2 must be at least n_clusters=3: "),
    ({"n_clusters": 181}, 180, "^n_clusters=181, but X .* 180 distinct rows"),
    ({"dim": 0}, 180, r"dim must .* got 0"),
    ({"dim": 1.5}, 180, r"dim must .* got 1.5"),
    ({"affine": "no"}, 180, r"affine must .* got 'no'"),
    ({"n_columns": 0}, 180, r"n_columns must .* got 0"),
    ({"max_iter": 0}, 180, r"max_iter must .* got 0"),
    ({"tol": 1}, 180, r"tol must .* got 1"),
]


@pytest.mark.parametrize(("parameters", "n_rows", "pattern"), BAD_INPUT, ids=[str(p) for p, *_ in BAD_INPUT])
def test_bad_input(parameters, n_rows, pattern, planes):
    model = SCC(**{"n_clusters": 3, "dim": 2} | parameters)
    with pytest.raises(ValueError, match=pattern) as caught:
        model.fit(planes[0][:n_rows])
    assert "\n" not in str(caught.value)
    assert not hasattr(model, "labels_")


CHEAP: dict[str, Any] = {"dim": 1, "n_columns": 60, "max_iter": 2, "n_init": 2}


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@parametrize_with_checks([SCC(**CHEAP), SCC(affine=False, zero_rows="label", **CHEAP)])
def test_scikit_learn_checks(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)
