"""EnSC as a user meets it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from subspan.affinity.neighbors import neighbor_affinity
from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning, InputError
from subspan.methods.ensc import ElasticNetSC
from subspan.metrics import clustering_accuracy
from subspan.self_expression import elastic_net
from subspan.self_expression.elastic_net import represent_by_elastic_net


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 20, 60, noise=0.1, random_state=0)


@pytest.mark.parametrize("tau", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("graph", ["symmetric", "neighbors"])
def test_subspaces_are_found(points, tau, graph):
    X, y = points
    fitted = ElasticNetSC(4, tau=tau, graph=graph, n_neighbors=5, random_state=0).fit(X)
    assert clustering_accuracy(y, fitted.labels_) > 0.95


def test_more_l1_means_fewer_coefficients(points):
    X, _ = points
    counts = [ElasticNetSC(4, tau=tau, random_state=0).fit(X).representation_.nnz for tau in (0.3, 0.9, 1.0)]
    assert counts[0] > counts[1] > counts[2]


def test_the_graph_of_neighbours_is_that_of_the_coefficients(points):
    X, _ = points
    fitted = ElasticNetSC(4, graph="neighbors", n_neighbors=4, random_state=0).fit(X)
    expected = neighbor_affinity(fitted.representation_, 4)
    assert np.array_equal(fitted.affinity_.toarray(), expected.toarray())
    again = ElasticNetSC(4, affinity="precomputed_representation", graph="neighbors", n_neighbors=4)
    assert np.array_equal(again.fit(fitted.representation_).affinity_.toarray(), expected.toarray())


@pytest.mark.parametrize("graph", ["symmetric", "neighbors"])
def test_jobs_change_nothing(points, graph):
    X = points[0].astype("float32")
    one, two = (ElasticNetSC(4, graph=graph, n_jobs=jobs, random_state=0).fit(X) for jobs in (1, 2))
    assert np.array_equal(one.representation_.toarray(), two.representation_.toarray())
    assert np.array_equal(one.affinity_.toarray(), two.affinity_.toarray())
    assert np.array_equal(one.labels_, two.labels_)
    assert one.representation_.dtype == one.affinity_.dtype == "float32"


@pytest.mark.parametrize("graph", ["symmetric", "neighbors"])
def test_copies_get_the_label_of_their_original(points, graph):
    X, y = points
    several = np.concatenate([X, X[:30], X[:30], 2 * X[:30]])
    model = ElasticNetSC(4, graph=graph, random_state=0)
    with pytest.warns(DataWarning, match="duplicate rows: 90"):
        labels = model.fit(several).labels_
    assert np.array_equal(labels[240:], np.tile(labels[:30], 3))
    assert clustering_accuracy(np.concatenate([y, np.tile(y[:30], 3)]), labels) > 0.95


def test_copies_may_stay():
    X, _ = make_union_of_subspaces(3, 2, 10, 30, random_state=0)
    X = np.concatenate([X, X])
    model = ElasticNetSC(3, duplicates="keep", gamma=20.0, n_init=2, random_state=0)
    C = model.fit(X).representation_.toarray()
    here, there = C[:90, :90], C[:90, 90:].copy()
    assert (there.diagonal() > 0).all()
    np.fill_diagonal(there, 0)
    # The l2 penalty shares a weight equally among copies.
    assert here == pytest.approx(there)


def test_a_memory_budget_changes_nothing_but_rounding(points, monkeypatch):
    X, _ = points
    roomy = ElasticNetSC(4, random_state=0).fit(X)
    monkeypatch.setattr(elastic_net, "LARGEST_GRAM", 0)
    tight = ElasticNetSC(4, random_state=0).fit(X)
    assert roomy.representation_.toarray() == pytest.approx(tight.representation_.toarray(), abs=1e-9)
    assert np.array_equal(roomy.labels_, tight.labels_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau": 0}, "tau=0: .* use LSR instead"),
        ({"tau": 1.5}, "tau=1.5 must lie above 0 and be at most 1"),
        ({"alpha": 0}, "alpha=0: without a penalty"),
        ({"gamma": 0.5}, "^gamma must be"),
        ({"graph": "dense"}, "^graph must be"),
        ({"n_neighbors": 0}, "^n_neighbors must be"),
        ({"n_nonzero": 0}, "^n_nonzero must be"),
    ],
)
def test_bad_parameters_are_refused(points, parameters, message):
    with pytest.raises(ValueError, match=message):
        ElasticNetSC(4, **parameters).fit(points[0])


def test_a_weight_that_leaves_nothing_is_refused(points):
    with pytest.raises(InputError, match="affinity is all zero"):
        ElasticNetSC(4, alpha=2.0).fit(points[0])


@pytest.mark.parametrize("rounds", [1, 100])
def test_points_that_ran_out_of_rounds_are_named(points, rounds, monkeypatch, recwarn):
    solve = partial(represent_by_elastic_net, max_rounds=rounds)
    monkeypatch.setattr("subspan.methods.ensc.represent_by_elastic_net", solve)
    # Without the Gram matrix a first round never is the last.
    monkeypatch.setattr(elastic_net, "LARGEST_GRAM", 0)
    fitted = ElasticNetSC(4, random_state=0).fit(points[0])
    n_unsettled = fitted.counts_["unsettled"]
    assert (n_unsettled > 0) == (rounds == 1)
    remark = f"points whose coefficients were not exact when their rounds ran out: {n_unsettled}"
    assert [remark in str(warning.message) for warning in recwarn] == [True] * (rounds == 1)
