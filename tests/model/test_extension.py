"""Places of new rows in the embedding, against eigenvectors and codes computed in the obvious way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from oracles import Clarity, Pursuit, damped_omp
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from subspan import ESC, LSR, S3COMP, S3COMPC, SCC, SSCOMP, ElasticNetSC, SubspaceClustering, load
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy

X, y = make_union_of_subspaces(4, 4, 20, 100, noise=0.2, random_state=0)
KNOWN, NEW = X[::2], X[1::2]

EXTENDED = {
    "s3comp": S3COMP(4, n_nonzero=4, random_state=0),
    "few atoms": S3COMP(4, n_nonzero=4, dictionary_size=100, random_state=0),
    "s3comp-c": S3COMPC(4, n_nonzero=4, random_state=0),
    "off the origin": S3COMPC(4, n_nonzero=5, affine=True, random_state=0),
    "ssc-omp": SSCOMP(4, n_nonzero=4, random_state=0),
    "ensc": ElasticNetSC(4, random_state=0),
    "lsr": LSR(4, n_neighbors=8, keep=0.9, random_state=0),
}


@pytest.fixture(scope="module", params=list(EXTENDED))
def fitted(request):
    return EXTENDED[request.param].fit(KNOWN)


@pytest.fixture(scope="module")
def pursuit():
    return SSCOMP(4, n_nonzero=4, keep=0.8, random_state=0).fit(KNOWN)


def test_rows_of_the_fit_have_their_rows_and_new_rows_are_among_their_cluster(fitted):
    np.testing.assert_allclose(fitted.transform(KNOWN), fitted.embedding_, atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(fitted.transform(NEW), axis=1), 1)
    centres = KMeans(4, n_init=5, random_state=0).fit(fitted.embedding_)
    of_fit = clustering_accuracy(y[::2], centres.labels_)
    assert clustering_accuracy(y[1::2], centres.predict(fitted.transform(NEW))) > of_fit - 0.05


def test_no_bit_depends_on_batches_order_or_threads(fitted, tmp_path):
    whole = fitted.transform(NEW)
    order = np.random.default_rng(1).permutation(len(NEW))
    assert np.array_equal(fitted.transform(NEW[order]), whole[order])
    parts = [fitted.transform(NEW[start : start + 7]) for start in range(0, len(NEW), 7)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(fitted.model_.transform(NEW, n_jobs=1), whole)
    assert np.array_equal(load(fitted.save(tmp_path / "a.subspan")).transform(NEW), whole)


def test_the_slow_extension_has_the_same_places(pursuit):
    affinity = pursuit.affinity_.toarray()
    roots = np.sqrt(affinity.sum(axis=1))
    values, vectors = eigh(affinity / np.outer(roots, roots))
    values, walk = values[::-1][:4], vectors[:, ::-1][:, :4] / roots[:, None]
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    rules, among_known = Pursuit(4, damping=0, residual_tol=1e-3), np.arange(len(X)) % 2 == 0
    expected = []
    for row in range(1, 100, 2):
        code = damped_omp(unit, among_known, row, np.zeros(len(X)), rules, Clarity())
        sizes = np.abs(code[::2])
        order = np.argsort(-sizes)
        kept = order[: np.searchsorted(np.cumsum(sizes[order]), 0.8 * sizes.sum()) + 1]
        place = sizes[kept] @ walk[kept] / values
        expected.append(place / np.linalg.norm(place))
    found = pursuit.transform(NEW[:50])
    # Signs of eigenvectors are a convention; inner products do not depend on them.
    np.testing.assert_allclose(found @ found.T, np.array(expected) @ np.array(expected).T, atol=1e-4)


def test_rows_that_no_point_uses_come_back_to_where_they_are():
    """Their own coefficients are all of their edges, so nothing is lost when the fit is forgotten."""
    fitted = SSCOMP(4, n_nonzero=4, random_state=0).fit(KNOWN)
    unused = np.flatnonzero(np.bincount(fitted.representation_.indices, minlength=len(KNOWN)) == 0)
    assert len(unused) > 1
    model = fitted.model_
    others = ~np.isin(model.atom_rows, unused)
    forgetful = replace(
        model,
        digests=model.digests + np.uint64(1),
        atoms=model.atoms[others],
        atom_points=model.atom_points[others],
        atom_rows=model.atom_rows[others],
        extension=replace(model.extension, vectors=model.extension.vectors[others]),
    )
    np.testing.assert_allclose(forgetful.transform(KNOWN[unused]), fitted.embedding_[unused], atol=1e-5)


def test_a_copy_up_to_rounding_is_where_its_atom_is():
    fitted = SSCOMP(4, n_nonzero=4, random_state=0).fit(KNOWN)
    rows = KNOWN * (1 + 1e-12 * np.random.default_rng(0).standard_normal(KNOWN.shape))
    np.testing.assert_allclose(fitted.transform(rows), fitted.embedding_, atol=1e-9)


def test_zero_rows_have_no_place():
    fitted = SSCOMP(4, n_nonzero=4, zero_rows="label", random_state=0).fit(KNOWN)
    rows = NEW.copy()
    rows[3] = 0
    lengths = np.linalg.norm(fitted.transform(rows), axis=1)
    assert lengths[3] == 0
    assert np.allclose(np.delete(lengths, 3), 1)


@pytest.mark.parametrize(
    "method",
    [
        SubspaceClustering(4),
        SCC(4, dim=3),
        ESC(4),
        LSR(4),
        ElasticNetSC(4, graph="neighbors"),
        SSCOMP(4, affine=True),
    ],
)
def test_methods_without_an_extension_lack_the_attribute(method):
    for name in ("transform", "fit_transform"):
        assert not hasattr(method, name)
    with pytest.raises(AttributeError) as caught:
        method.transform(NEW)
    sentence = f"the graph of {type(method).__name__} is not made of the coefficients that a new row has"
    assert sentence in str(caught.value.__cause__)


def test_a_model_without_an_extension_says_so():
    model = LSR(4, random_state=0).fit(KNOWN).model_
    with pytest.raises(InputError, match=r"^transform: the graph of LSR .* membership gives them"):
        model.transform(NEW)
    graph = SSCOMP(4, affinity="precomputed", random_state=0).fit(np.abs(np.corrcoef(KNOWN)))
    with pytest.raises(InputError, match=r"^transform: the fit has seen no rows"):
        graph.transform(NEW)


def test_tables_keep_their_index(pursuit):
    frame = pd.DataFrame(NEW, index=[f"row {number}" for number in range(len(NEW))])
    places = pursuit.transform(NEW)
    pursuit.set_output(transform="pandas")
    found = pursuit.transform(frame)
    assert found.index.equals(frame.index)
    assert list(found) == list(pursuit.get_feature_names_out()) == [f"sscomp{number}" for number in range(4)]
    assert np.array_equal(found, places)
    pursuit.set_output(transform="polars")
    assert isinstance(pursuit.transform(NEW), pl.DataFrame)
    pursuit.set_output(transform="default")


def test_a_pipeline_goes_on_with_the_places():
    pipeline = make_pipeline(PCA(18), SSCOMP(4, n_nonzero=4, random_state=0), KMeans(4, random_state=0))
    pipeline.fit(KNOWN)
    assert pipeline.predict(NEW).shape == (len(NEW),)
    places = SSCOMP(4, n_nonzero=4, random_state=0).fit_transform(KNOWN)
    assert places.shape == (len(KNOWN), 4)
