"""Preparation of rows against scikit-learn, in the front door and in pipelines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import subspan
from subspan import LSR, S3COMPC, SubspaceClustering
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy
from subspan.model.preparation import PreparedRows, Wishes, complete_rows, learn_preparation
from subspan.sources import ArraySource
from subspan.tuning import Consensus

X, y = make_union_of_subspaces(3, 2, 12, 60, noise=0.02, random_state=0)
SHIFTED = (X + 0.1) * np.linspace(0.5, 2, 12)


def prepared(rows, **wishes):
    source = ArraySource(rows)
    return PreparedRows(source, learn_preparation(source, Wishes(**wishes))).rows(0, len(rows))


def test_columns_are_standardised_as_scikit_learn_does_it():
    np.testing.assert_allclose(prepared(SHIFTED, standardize=True), StandardScaler().fit_transform(SHIFTED))
    np.testing.assert_allclose(prepared(SHIFTED, center=True), SHIFTED - SHIFTED.mean(axis=0), atol=1e-14)


def test_directions_are_those_of_scikit_learn():
    ours, theirs = prepared(SHIFTED, center=True, pca=4), PCA(4).fit_transform(SHIFTED)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)
    assert prepared(SHIFTED, center=True, pca=0.9).shape == PCA(0.9).fit_transform(SHIFTED).shape


def test_without_centring_subspaces_through_the_origin_stay_what_they_are():
    exact, _ = make_union_of_subspaces(2, 2, 12, 30, random_state=0)
    np.testing.assert_allclose(prepared(exact, pca=4) @ prepared(exact, pca=4).T, exact @ exact.T, atol=1e-12)


def test_a_constant_column_and_an_empty_one():
    rows = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, np.nan]])
    assert prepared(rows, missing="mean", standardize=True)[:, 0].tolist() == [0, 0, 0]
    with pytest.raises(InputError, match="column 1 has no entry"):
        prepared(np.array([[1.0, np.nan], [2.0, np.nan]]), missing="mean")


def test_a_row_is_prepared_alike_alone_and_in_company():
    source = ArraySource(SHIFTED)
    view = PreparedRows(source, learn_preparation(source, Wishes(standardize=True, pca=5)))
    alone = np.concatenate([view.rows(row, row + 1) for row in range(len(SHIFTED))])
    assert np.array_equal(alone, view.rows(0, len(SHIFTED)))
    assert np.array_equal(view.take(np.array([3, 8])), alone[[3, 8]])


def with_gaps():
    rows = SHIFTED.copy()
    rows[[5, 9], [2, 3]] = np.nan
    return rows


def test_missing_entries_are_refused_unless_the_caller_says_otherwise():
    with pytest.raises(InputError, match=r"NaN or inf.*row 5, column 2"):
        SubspaceClustering(3, random_state=0).fit(with_gaps())


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_the_front_door_prepares_new_rows_too(missing, tmp_path):
    rows = with_gaps()
    wishes = {"center": True, "standardize": True, "pca": 8, "missing": missing}
    fitted = SubspaceClustering(3, random_state=0, **wishes).fit(rows[::2])
    even = np.arange(0, len(rows), 2)
    assert np.array_equal(fitted.predict(rows[even]), fitted.labels_)
    assert np.array_equal(complete_rows(ArraySource(rows)), np.setdiff1d(np.arange(180), [5, 9]))
    new = fitted.predict(rows[1::2])
    assert ((new == -1).nonzero()[0].tolist() == [2, 4]) == (missing == "drop")
    loaded = subspan.load(fitted.save(tmp_path / "m.subspan"))
    assert loaded.n_features == 12
    assert loaded.atoms.shape[1] == 8
    assert np.array_equal(loaded.predict(rows[1::2]), new)
    # The same by hand.
    filled = np.where(np.isnan(rows), np.nanmean(rows[::2], axis=0), rows)
    if missing == "mean":
        steps = make_pipeline(StandardScaler(), PCA(8), SubspaceClustering(3, random_state=0))
        assert np.array_equal(steps.fit(filled[::2])[-1].labels_, fitted.labels_)


def test_dropped_rows_are_counted():
    with pytest.warns(subspan.handover.DataWarning, match="rows with missing entries, .* -1: 2"):
        fitted = SubspaceClustering(3, missing="drop", random_state=0).fit(with_gaps())
    assert (fitted.labels_ == -1).nonzero()[0].tolist() == [5, 9]
    assert fitted.counts_["zero_rows"] == 0


def test_pipelines_work_in_full():
    steps = make_pipeline(StandardScaler(with_mean=False), S3COMPC(3, n_nonzero=2, random_state=0))
    frame = pd.DataFrame(X, columns=[f"band {number}" for number in range(12)])
    steps.set_output(transform="pandas")
    labels = steps.fit_predict(frame[::2])
    assert np.array_equal(steps.predict(frame[::2]), labels)
    assert clustering_accuracy(y[1::2], steps.predict(frame[1::2])) > 0.95
    again = clone(steps).fit(frame[::2])
    assert np.array_equal(again[-1].labels_, labels)
    assert not hasattr(clone(steps)[-1], "model_")


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_grid_search_by_the_consensus():
    steps = make_pipeline(StandardScaler(with_mean=False), LSR(3, random_state=0))
    everything = np.arange(len(X))
    search = GridSearchCV(
        steps,
        {"lsr__n_neighbors": [1, 5]},
        scoring=Consensus.of(X, 3, random_state=0),
        cv=[(everything, everything)],
        error_score="raise",
    ).fit(X)
    assert search.best_params_ == {"lsr__n_neighbors": 5}
    assert search.best_score_ > 0.9


def test_grid_search_without_labels():
    def explained(estimator, rows):
        return -float(np.mean(estimator[-1].outlier_score(estimator[:-1].transform(rows))))

    steps = make_pipeline(StandardScaler(with_mean=False), S3COMPC(3, random_state=0))
    search = GridSearchCV(steps, {"s3compc__n_nonzero": [1, 2]}, scoring=explained, cv=2)
    search.fit(np.random.default_rng(0).permutation(X))
    assert search.best_params_ == {"s3compc__n_nonzero": 2}
