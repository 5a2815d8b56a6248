"""Many points and few atoms: the graph is not formed, rows may stay on disk, others may do the passes."""

from __future__ import annotations

import itertools
import os
import signal
from threading import Timer

import numpy as np
import pytest

from subspan import S3COMP
from subspan.affinity import ImplicitAffinity
from subspan.datasets import make_union_of_subspaces
from subspan.embedding import atom_graph
from subspan.execution.cluster import local_cluster
from subspan.execution.workplace import Workplace
from subspan.methods import in_blocks, planning
from subspan.metrics import clustering_accuracy, connectivity, subspace_preserving_error
from subspan.self_expression.stored import StoredCoefficients

PARAMETERS = {"n_clusters": 5, "n_nonzero": 4, "n_subproblems": 6, "dictionary_size": 120, "random_state": 0}


@pytest.fixture(autouse=True)
def small_is_many(monkeypatch):
    monkeypatch.setattr(planning, "MANY_POINTS", 1000)
    monkeypatch.setattr(atom_graph, "SHARD", 512)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    X, y = make_union_of_subspaces(5, 4, 30, 500, noise=0.3, random_state=0, dtype=np.float32)
    # A copy and rows of zeros take the same way.
    X[2000] = 2 * X[10]
    X[7] = 0
    path = tmp_path_factory.mktemp("data") / "X.npy"
    np.save(path, X)
    return path, X, y


def fitted(X, **parameters) -> S3COMP:
    executor = parameters.pop("executor", None)
    model = S3COMP(**PARAMETERS, zero_rows="label", **parameters)
    with pytest.warns(UserWarning, match="zero rows, which got the label -1: 1; duplicate rows: 1"):
        return model.fit(X, executor=executor)


@pytest.fixture
def reference(data):
    return fitted(data[1])


@pytest.fixture
def on_disk(monkeypatch):
    """A budget that leaves no room for coefficients would depend on what other tests have used."""
    make = planning.make_plan

    def plan(problem, budgets, threads, *, disk, **others):
        chosen = make(problem, budgets, threads, disk=disk, **others)
        return planning.replace(chosen, coefficients="on disk") if disk else chosen

    monkeypatch.setattr(in_blocks, "make_plan", plan)


def test_the_graph_is_not_formed_and_the_clusters_are_right(data, reference, monkeypatch):
    _, X, y = data
    assert isinstance(reference.affinity_, ImplicitAffinity)
    assert reference.embedding_.dtype == np.float32
    known = np.arange(len(y)) != 7
    assert clustering_accuracy(y[known], reference.labels_[known]) > 0.99
    assert reference.labels_[2000] == reference.labels_[10]
    assert reference.labels_[7] == -1
    monkeypatch.setattr(planning, "MANY_POINTS", 10**6)
    formed = fitted(X)
    assert (formed.representation_ != reference.representation_).nnz == 0
    assert (formed.affinity_ != reference.affinity_.tocsr()).nnz == 0
    n = PARAMETERS["n_clusters"]
    assert reference.eigenvalues_[:n] == pytest.approx(formed.eigenvalues_[:n], abs=1e-8)
    assert (formed.labels_ == reference.labels_).mean() > 0.998


@pytest.mark.usefixtures("on_disk")
def test_metrics_take_what_is_on_disk_or_not_formed(data, reference, tmp_path):
    path, _, y = data
    model = fitted(path, work_dir=tmp_path)
    sre = subspace_preserving_error(reference.representation_, y)
    assert subspace_preserving_error(model.representation_, y) == sre
    mean = connectivity(reference.affinity_.tocsr(), y).mean
    assert connectivity(model.affinity_, y).mean == pytest.approx(mean)
    assert 0 < mean < 1


@pytest.mark.usefixtures("on_disk")
def test_rows_on_disk(data, reference, tmp_path):
    path, X, _ = data
    for source in (X, path):
        model = fitted(source, work_dir=tmp_path / type(source).__name__)
        assert isinstance(model.representation_, StoredCoefficients)
        assert (model.representation_.tocsr() != reference.representation_).nnz == 0
        assert np.array_equal(model.labels_, reference.labels_)
        assert model.embedding_.tobytes() == reference.embedding_.tobytes()
    assert not list(tmp_path.rglob("search-*"))


@pytest.mark.usefixtures("on_disk")
def test_search_that_was_interrupted_goes_on(data, reference, tmp_path, monkeypatch):
    path = data[0]
    n_passes = []
    passes = atom_graph.PassJob.task

    def counted(self, threads):
        n_passes.append(1)
        if len(n_passes) == interrupt:
            raise KeyboardInterrupt
        return passes(self, threads)

    monkeypatch.setattr(atom_graph.PassJob, "task", counted)
    interrupt = 0
    fitted(path, work_dir=tmp_path / "whole")
    total = len(n_passes)
    n_passes.clear()
    interrupt = total - 9
    with pytest.raises(KeyboardInterrupt):
        fitted(path, work_dir=tmp_path / "work")
    assert list((tmp_path / "work").glob("search-*"))
    n_passes.clear()
    interrupt = 0
    model = fitted(path, work_dir=tmp_path / "work")
    assert np.array_equal(model.labels_, reference.labels_)
    assert model.embedding_.tobytes() == reference.embedding_.tobytes()
    assert len(n_passes) < total
    assert not list((tmp_path / "work").glob("search-*"))


@pytest.fixture(scope="module")
def client():
    pytest.importorskip("distributed")
    with local_cluster(4) as client:
        yield client


def test_passes_on_a_cluster(data, reference, client, tmp_path):
    path, X, _ = data
    for source in (path, X):
        model = fitted(source, work_dir=tmp_path / type(source).__name__, executor=client)
        assert isinstance(model.representation_, StoredCoefficients)
        assert np.array_equal(model.labels_, reference.labels_)
        assert model.embedding_.tobytes() == reference.embedding_.tobytes()
    assert not list(tmp_path.rglob("pass-*"))


def test_workers_killed_between_passes_change_nothing(data, reference, client, tmp_path, monkeypatch):
    """One of four, while the search is at 20, 50 and 80 % of its products."""
    total = reference.certificate_.n_products
    doomed = {int(share * total) for share in (0.2, 0.5, 0.8)}
    victims = []
    take_pass = Workplace.run_pass
    numbers = itertools.count()

    def dangerous(workplace, job):
        if next(numbers) in doomed:
            client.wait_for_workers(4)
            victims.append(next(iter(client.run(os.getpid).values())))
            Timer(0.02, os.kill, (victims[-1], signal.SIGKILL)).start()
        return take_pass(workplace, job)

    monkeypatch.setattr(Workplace, "run_pass", dangerous)
    model = fitted(data[0], work_dir=tmp_path, executor=client)
    assert len(set(victims)) == 3
    assert np.array_equal(model.labels_, reference.labels_)
    assert model.embedding_.tobytes() == reference.embedding_.tobytes()
