"""New rows: every method labels them, in the same way however they come."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest

from subspan import (
    ESC,
    LRSC,
    LSR,
    OLRSC,
    S3COMP,
    S3COMPC,
    SCC,
    SRSSC,
    SSCOMP,
    ElasticNetSC,
    SubspaceClustering,
)
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy
from subspan.model import asking, load, remains
from subspan.model.atoms import choose_atoms
from subspan.sources import ArraySource

X, y = make_union_of_subspaces(3, 3, 20, 60, noise=0.02, random_state=0)
KNOWN, NEW = X[::2], X[1::2]

ESTIMATORS = {
    "auto": SubspaceClustering(3, random_state=0),
    "s3comp": S3COMP(3, n_nonzero=3, random_state=0),
    "s3comp-c": S3COMPC(3, n_nonzero=3, random_state=0),
    "ssc-omp": SSCOMP(3, n_nonzero=3, random_state=0),
    "ensc": ElasticNetSC(3, random_state=0),
    "esc": ESC(3, n_exemplars=60, n_neighbors=5, random_state=0),
    "sr-ssc": SRSSC(3, n_anchors=40, random_state=0),
    "lsr": LSR(3, regularization=0.01, random_state=0),
    "lrsc": LRSC(3, random_state=0),
    "olrsc": OLRSC(3, n_epochs=4, clustering="codes", random_state=0),
    "scc": SCC(3, dim=3, affine=False, random_state=0),
}


@pytest.fixture(scope="module", params=list(ESTIMATORS))
def fitted(request):
    return ESTIMATORS[request.param].fit(KNOWN)


@pytest.fixture(scope="module")
def pursuit():
    return SSCOMP(3, n_nonzero=3, random_state=0).fit(KNOWN)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_new_rows_are_found_and_known_rows_keep_their_labels(fitted):
    assert np.array_equal(fitted.predict(KNOWN), fitted.labels_)
    least = 0.95 * clustering_accuracy(y[::2], fitted.labels_)
    assert clustering_accuracy(y[1::2], fitted.predict(NEW)) >= least
    assert clustering_accuracy(y[1::2], fitted.predict(NEW, rule="subspace")) >= least
    weights = fitted.membership(X)
    assert np.allclose(weights.sum(axis=1), 1)
    assert np.array_equal(weights.argmax(axis=1), fitted.predict(X))


def test_no_bit_depends_on_batches_order_or_threads(fitted):
    rule = fitted.model_.habits.rule
    whole = fitted.membership(NEW)
    order = np.random.default_rng(1).permutation(len(NEW))
    assert np.array_equal(fitted.membership(NEW[order]), whole[order])
    parts = [fitted.membership(NEW[start : start + 7]) for start in range(0, len(NEW), 7)]
    assert np.array_equal(np.concatenate(parts), whole)
    alone = fitted.model_.membership(ArraySource(NEW), rule=rule, n_jobs=1)
    assert np.array_equal(alone, fitted.model_.membership(NEW, rule=rule, n_jobs=3))
    assert np.array_equal(alone, whole)


def test_few_rows_and_many_rows_have_the_same_codes(pursuit, monkeypatch):
    """Many rows are coded with a table of 8-bit products, few without."""
    few = [copy.deepcopy(pursuit).outlier_score(rows) for rows in (NEW, KNOWN, X)]
    monkeypatch.setattr(asking, "BLOCK_ROWS", 64)
    monkeypatch.setattr(remains, "BLOCK_ROWS", 64)
    monkeypatch.setattr("subspan.model.coding.PursuitCoding.FEW_ROWS", 1)
    for rows, expected in zip((NEW, KNOWN, X), few, strict=True):
        assert np.array_equal(copy.deepcopy(pursuit).outlier_score(rows), expected)


def slow_pursuit(atoms, row, n_nonzero):
    picked, code = [], np.zeros(len(atoms))
    residual = row
    for _ in range(n_nonzero):
        scores = np.abs(atoms @ residual)
        scores[picked] = -1
        picked.append(int(scores.argmax()))
        values, *_ = np.linalg.lstsq(atoms[picked].T, row, rcond=None)
        residual = row - values @ atoms[picked]
    code[picked] = values
    return code


def test_the_code_rule_is_the_residual_of_each_class(pursuit):
    atoms = KNOWN / np.linalg.norm(KNOWN, axis=1, keepdims=True)
    for row, label, score in zip(NEW[:20], pursuit.predict(NEW), pursuit.outlier_score(NEW), strict=False):
        unit = row / np.linalg.norm(row)
        code = slow_pursuit(atoms, unit, 3)
        left = [np.linalg.norm(unit - (code * (pursuit.labels_ == c)) @ atoms) for c in range(3)]
        assert label == np.argmin(left)
        assert score == pytest.approx(np.linalg.norm(unit - code @ atoms), rel=1e-6)


def test_the_subspace_rule_is_the_nearest_subspace(pursuit):
    unit = NEW / np.linalg.norm(NEW, axis=1, keepdims=True)
    atoms = KNOWN / np.linalg.norm(KNOWN, axis=1, keepdims=True)
    distances = []
    for number, subspace in enumerate(pursuit.subspaces_):
        assert subspace.dimension == 3
        directions = np.linalg.svd(atoms[pursuit.labels_ == number])[2][:3]
        distances.append(np.linalg.norm(unit - unit @ directions.T @ directions, axis=1))
    assert np.array_equal(pursuit.predict(NEW, rule="subspace"), np.argmin(distances, axis=0))
    assert np.allclose(pursuit.outlier_score(NEW, rule="subspace"), np.min(distances, axis=0))


def test_strangers_stand_out(pursuit):
    strangers = np.random.default_rng(5).standard_normal((40, 20))
    assert np.median(pursuit.outlier_score(strangers)) > 5 * np.median(pursuit.outlier_score(NEW))


def test_a_row_of_the_fit_does_not_explain_itself(pursuit):
    assert pursuit.outlier_score(KNOWN).min() > 1e-3


def test_rows_of_the_fit_up_to_rounding_follow_their_atoms(pursuit):
    """A pipeline may transform the same rows a second time with other last bits."""
    rows = KNOWN * (1 + 1e-12 * np.random.default_rng(0).standard_normal(KNOWN.shape))
    assert not (rows == KNOWN).all(axis=1).any()
    assert np.array_equal(pursuit.predict(rows), pursuit.labels_)
    assert pursuit.outlier_score(rows).max() < 1e-6


def test_zero_rows_are_refused_or_labelled():
    rows = NEW.copy()
    rows[4] = 0
    refusing = SSCOMP(3, n_nonzero=3, random_state=0).fit(KNOWN)
    with pytest.raises(InputError, match=r"^X: row 4 is zero .* zero_rows='label'"):
        refusing.predict(rows)
    labelling = SSCOMP(3, n_nonzero=3, zero_rows="label", random_state=0).fit(KNOWN)
    assert labelling.predict(rows)[4] == -1
    assert np.allclose(labelling.membership(rows)[4], 1 / 3)
    assert labelling.outlier_score(rows)[4] == 1


def test_bad_rows_are_named(pursuit):
    rows = NEW.copy()
    rows[7, 2] = np.nan
    with pytest.raises(InputError, match=r"^X: row 7, column 2 is NaN"):
        pursuit.predict(rows)
    rows[7, 2] = np.inf
    with pytest.raises(InputError, match=r"^X: row 7 contains NaN or inf"):
        pursuit.predict(rows)
    with pytest.raises(ValueError, match="expecting 20 features"):
        pursuit.predict(NEW[:, 1:])
    with pytest.raises(InputError, match=r"^X: has 19 columns, but the model was fitted on 20"):
        pursuit.model_.predict(NEW[:, 1:])
    with pytest.raises(InputError, match=r"^rule='best' must be"):
        pursuit.predict(NEW, rule="best")


def test_rules_that_a_method_does_not_have_are_refused():
    fitted = LRSC(3, random_state=0).fit(KNOWN)
    with pytest.raises(InputError, match="LRSC represents no new rows by others"):
        fitted.predict(NEW, rule="code")


def test_a_graph_leaves_no_model():
    graph = np.abs(np.corrcoef(KNOWN))
    fitted = LSR(3, affinity="precomputed", random_state=0).fit(graph)
    with pytest.raises(InputError, match=r"^predict: the fit has seen no rows"):
        fitted.predict(NEW)


def test_files_are_read_in_blocks(pursuit, tmp_path):
    np.save(tmp_path / "new.npy", NEW)
    assert np.array_equal(pursuit.predict(tmp_path / "new.npy"), pursuit.predict(NEW))


@pytest.mark.parametrize("copied", ["pickle", "deepcopy", "joblib"])
def test_copies_predict_the_same_bits(pursuit, copied, tmp_path):
    before = pursuit.membership(NEW)
    if copied == "pickle":
        again = pickle.loads(pickle.dumps(pursuit))
    elif copied == "deepcopy":
        again = copy.deepcopy(pursuit)
    else:
        joblib.dump(pursuit, tmp_path / "model.joblib")
        again = joblib.load(tmp_path / "model.joblib")
    assert np.array_equal(again.membership(NEW), before)


def test_a_model_keeps_few_atoms(monkeypatch):
    monkeypatch.setattr(choose_atoms, "__defaults__", (30,))
    fitted = SSCOMP(3, n_nonzero=3, random_state=0).fit(KNOWN)
    assert fitted.model_.atoms.shape == (30, 20)
    assert np.array_equal(fitted.predict(KNOWN), fitted.labels_)
    assert clustering_accuracy(y[1::2], fitted.predict(NEW)) > 0.9


def test_flats_off_the_origin_are_predicted_too(tmp_path):
    rows, classes = make_union_of_subspaces(3, 2, 8, 60, affine=True, noise=0.01, random_state=0)
    rows += 5.0
    fitted = S3COMPC(3, n_nonzero=4, damping=0.5, affine=True, random_state=0).fit(rows[::2])
    assert clustering_accuracy(classes[::2], fitted.labels_) > 0.95
    assert np.array_equal(fitted.predict(rows[::2]), fitted.labels_)
    loaded = load(fitted.save(tmp_path / "flats.subspan"))
    for rule in ("code", "subspace"):
        labels = fitted.predict(rows[1::2], rule=rule)
        assert clustering_accuracy(classes[1::2], labels) > 0.95
        assert np.array_equal(loaded.predict(rows[1::2], rule=rule), labels)
    for number, flat in enumerate(loaded.subspaces_):
        np.testing.assert_allclose(flat.mean, rows[::2][fitted.labels_ == number].mean(axis=0), atol=1e-9)
