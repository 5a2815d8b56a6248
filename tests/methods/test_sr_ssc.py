"""SR-SSC: one layer is its own graph, layers agree with the attributes, clear refusals."""

from __future__ import annotations

import numpy as np
import pytest

from subspan.affinity import symmetric_affinity
from subspan.datasets import make_union_of_subspaces
from subspan.embedding import spectral_embedding
from subspan.labeling import canonical_labels, label_embedding
from subspan.methods.sr_ssc import SRSSC
from subspan.methods.ssc_omp import SSCOMP
from subspan.metrics import clustering_accuracy

pytestmark = pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 30, 60, noise=0.1, random_state=3)


def test_finds_the_subspaces_and_keeps_the_layers(points):
    X, y = points
    fitted = SRSSC(4, n_layers=3, n_anchors=80, random_state=0).fit(X)
    assert clustering_accuracy(y, fitted.labels_) == 1.0
    assert len(fitted.layers_) == len(fitted.anchors_) == 3
    for layer, anchors in zip(fitted.layers_, fitted.anchors_, strict=True):
        assert set(layer.indices) <= set(anchors)
        assert not layer.diagonal().any()
    mean = sum(layer.toarray() for layer in fitted.layers_) / 3
    np.testing.assert_allclose(fitted.representation_.toarray(), mean, atol=1e-12)
    magnitudes = np.abs(fitted.representation_.toarray())
    np.testing.assert_allclose(fitted.affinity_.toarray(), (magnitudes + magnitudes.T) / 2)


@pytest.mark.parametrize("scale", [None, "max"])
def test_one_layer_is_its_single_graph(points, scale):
    fitted = SRSSC(4, n_layers=1, n_anchors=60, alpha=7.0, scale=scale, random_state=0).fit(points[0])
    graph = symmetric_affinity(fitted.layers_[0], scale)
    assert np.array_equal(fitted.affinity_.toarray(), graph.toarray())
    again = SSCOMP(4, affinity="precomputed", random_state=0).fit(graph)
    assert np.array_equal(fitted.embedding_, again.embedding_)
    assert np.array_equal(fitted.labels_, again.labels_)
    # The same by hand, from any seed: the subspace does not depend on it.
    embedding = spectral_embedding(graph, 4, seed=99)
    products = embedding.vectors @ embedding.vectors.T
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, products, atol=1e-6)
    by_hand = canonical_labels(label_embedding(embedding.vectors, 4))
    assert np.array_equal(fitted.labels_, by_hand)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_change_nothing(points, dtype):
    X = points[0].astype(dtype)
    one, two = (SRSSC(4, n_layers=3, n_anchors=60, random_state=1, n_jobs=n).fit(X) for n in (1, 2))
    assert one.representation_.dtype == one.affinity_.dtype == dtype
    assert np.array_equal(one.labels_, two.labels_)
    assert np.array_equal(one.embedding_, two.embedding_)
    for layer, other in zip(one.layers_, two.layers_, strict=True):
        assert np.array_equal(layer.toarray(), other.toarray())


def test_copies_and_zero_rows(points):
    X, y = points
    rows = np.vstack([np.zeros((1, 30)), X, 2 * X[:50]])
    fitted = SRSSC(4, n_anchors=80, zero_rows="label", random_state=0).fit(rows)
    plain = SRSSC(4, n_anchors=80, random_state=0).fit(X)
    for anchors, others in zip(fitted.anchors_, plain.anchors_, strict=True):
        assert np.array_equal(anchors, others + 1)
    assert fitted.layers_[0].shape == (291, 291)
    assert fitted.labels_[0] == -1
    assert clustering_accuracy(y, fitted.labels_[1:241]) == 1.0
    assert np.array_equal(fitted.labels_[1:51], fitted.labels_[241:])


def test_defaults_work_on_ten_points():
    X, y = make_union_of_subspaces(2, 2, 6, 5, random_state=0)
    fitted = SRSSC(2, random_state=0).fit(X)
    assert [len(anchors) for anchors in fitted.anchors_] == [5] * 5
    assert clustering_accuracy(y, fitted.labels_) >= 0.9


def test_graph_handed_in_after_points(points):
    model = SRSSC(4, n_anchors=80, random_state=0).fit(points[0])
    graph, labels = model.affinity_, model.labels_
    assert np.array_equal(model.set_params(affinity="precomputed").fit(graph).labels_, labels)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_layers": 0}, r"n_layers must .* got 0"),
        ({"n_anchors": 0}, r"n_anchors must .* got 0"),
        ({"n_anchors": 241}, "n_anchors=241 must lie between 1 and the number of distinct rows, 240"),
        ({"regularization": 0.9}, r"regularization must .* got 0.9"),
        ({"regularization": 1.0}, "The affinity is all zero"),
        ({"alpha": -1}, r"alpha must .* got -1"),
    ],
)
def test_bad_parameters(points, parameters, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        SRSSC(4, random_state=0, **parameters).fit(points[0])
    assert "\n" not in str(caught.value)
