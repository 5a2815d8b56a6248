"""scikit-learn's contract: every estimator check, data frames in, types kept, the input untouched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from subspan import ESC, S3COMP, S3COMPC, SRSSC, SSCOMP, ElasticNetSC
from subspan.base import SubspaceMethod
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy

# Cheap arguments for every estimator; no check is expected to fail. Small integer tables, as one check draws
# them, may have a zero row, which is refused unless it may be labelled. For SSC-OMP the clusters that another
# check wants to be found are directions in the plane: subspaces of dimension one.
SHARED: dict[str, Any] = {"n_init": 2, "zero_rows": "label"}
CHEAP = [
    S3COMP(n_nonzero=2, dropout=0.2, n_subproblems=5, **SHARED),
    S3COMPC(n_nonzero=2, dropout=0.2, n_subproblems=5, max_iter=2, **SHARED),
    SSCOMP(n_nonzero=1, **SHARED),
    ElasticNetSC(**SHARED),
    ESC(**SHARED),
    SRSSC(**SHARED),
]

METHODS = [
    pytest.param(S3COMP(4, n_nonzero=3, random_state=0), id="S3COMP"),
    pytest.param(S3COMPC(4, n_nonzero=3, random_state=0), id="S3COMPC"),
    pytest.param(SSCOMP(4, n_nonzero=3, random_state=0), id="SSCOMP"),
]


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 30, 40, random_state=3)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@parametrize_with_checks(CHEAP)
def test_scikit_learn_checks(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_give_the_labels_of_their_arrays(method, frame, points):
    X, y = points
    names = [f"band {i}" for i in range(X.shape[1])]
    fitted = method.fit(frame(dict(zip(names, X.T, strict=True))))
    assert fitted.feature_names_in_.tolist() == names
    labels = fitted.labels_
    assert clustering_accuracy(y, labels) == 1.0
    assert np.array_equal(labels, method.fit(X).labels_)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("float32", "float32"),
        ("float64", "float64"),
        ("float16", "float32"),
        (">f4", "float32"),
        (">f8", "float64"),
    ],
)
def test_types_of_the_results_follow_the_input(method, given, kept, points):
    X, y = points
    fitted = method.fit(X.astype(given))
    assert fitted.representation_.dtype == kept
    assert fitted.affinity_.dtype == kept
    assert fitted.labels_.dtype == np.int64
    assert clustering_accuracy(y, fitted.labels_) >= 0.95


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("uint8", "float32"),
        ("int16", "float32"),
        ("bool", "float32"),
        ("int32", "float64"),
        ("int64", "float64"),
    ],
)
def test_integers_become_the_smallest_type_that_holds_them(given, kept):
    X = np.random.default_rng(0).integers(0, 2, (60, 20)).astype(given)
    X[:, 0] = 1
    fitted = SSCOMP(2, n_nonzero=3, duplicates="merge", random_state=0).fit(X)
    assert fitted.representation_.dtype == kept


@pytest.mark.parametrize("method", METHODS)
def test_results_fit_the_input(method: SubspaceMethod, points):
    X, _ = points
    fitted = method.fit(X)
    n = len(X)
    assert fitted.labels_.shape == (n,)
    assert set(fitted.labels_) == set(range(4))
    assert fitted.representation_.shape == fitted.affinity_.shape == (n, n)
    assert fitted.embedding_.shape == (n, 4)
    assert np.allclose(np.linalg.norm(fitted.embedding_, axis=1), 1)
    assert fitted.eigenvalues_[0] == pytest.approx(1)
    assert set(fitted.stage_seconds_) == {"representation", "affinity", "embedding", "labeling"}
    assert len(fitted.changes_) == fitted.n_iter_
    assert fitted.n_features_in_ == 30
    assert fitted.representation_.diagonal().max() == 0


@pytest.mark.parametrize("method", METHODS)
def test_affinity_is_the_mean_of_magnitudes(method, points):
    X, _ = points
    fitted = method.fit(X)
    magnitudes = np.abs(fitted.representation_.toarray())
    assert np.allclose(fitted.affinity_.toarray(), (magnitudes + magnitudes.T) / 2)


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_numbered_by_their_first_point(method, points):
    labels = method.fit(points[0]).labels_
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()
