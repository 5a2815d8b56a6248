"""Promises that hold for every method."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from subspan.datasets import make_union_of_subspaces
from subspan.methods import registry
from subspan.metrics import clustering_accuracy

X, y = make_union_of_subspaces(3, 2, 12, 16, noise=0.01, random_state=0)
METHODS = registry.names()


def labels(name: str, rows: np.ndarray = X, n_clusters: int = 3) -> np.ndarray:
    found: np.ndarray = registry.get(name)(n_clusters, random_state=0, n_jobs=1).fit(rows).labels_
    return found


@pytest.fixture
def positions_of_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse matrices of any size are stored as those of more than 2**31 entries."""
    places = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("scipy.sparse") and "get_index_dtype" in vars(module)
    ]
    assert len(places) > 3
    for module in places:
        monkeypatch.setattr(module, "get_index_dtype", lambda *_, **__: np.int64)


@pytest.mark.parametrize("name", METHODS)
def test_matrices_of_billions_of_entries_are_read_alike(name, request):
    narrow = labels(name)
    request.getfixturevalue("positions_of_64_bits")
    assert np.array_equal(labels(name), narrow)


@pytest.mark.usefixtures("positions_of_64_bits")
def test_they_have_positions_of_64_bits():
    for name in ("s3comp-c", "ensc", "sr-ssc"):
        model = registry.get(name)(3, random_state=0, n_jobs=1).fit(X)
        assert model.affinity_.indptr.dtype == model.affinity_.indices.dtype == np.int64


# OLRSC goes through the rows one by one: there the order counts.
@pytest.mark.parametrize("name", [name for name in METHODS if name != "olrsc"])
def test_the_order_of_rows_does_not_matter(name):
    rows, classes = make_union_of_subspaces(3, 3, 30, 50, random_state=1)
    order = np.random.default_rng(0).permutation(len(rows))
    assert clustering_accuracy(classes, labels(name, rows)) == 1
    assert clustering_accuracy(classes[order], labels(name, rows[order])) == 1


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("scc", "auto")])
def test_two_rows_are_two_clusters(name):
    known = registry.get(name)().get_params()
    few = {key: value for key, value in {"n_nonzero": 1, "dropout": 0.0}.items() if key in known}
    rows = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])
    assert registry.get(name)(2, random_state=0, n_jobs=1, **few).fit(rows).labels_.tolist() == [0, 1]


@pytest.mark.parametrize("name", METHODS)
def test_a_fit_opens_no_socket(name, monkeypatch):
    for door in ("bind", "listen", "connect"):
        monkeypatch.setattr(socket.socket, door, lambda *_: pytest.fail("a socket"), raising=False)
    assert len(registry.get(name)(3, random_state=0, n_jobs=2).fit(X).labels_) == len(X)


MANY_FITS = """
import numpy as np
from subspan import LSR, S3COMPC
X = np.random.default_rng(0).standard_normal((60, 12))
def resident():
    return int(open("/proc/self/statm").read().split()[1])
def fits(count):
    for seed in range(count):
        (LSR if seed % 2 else S3COMPC)(3, random_state=seed, n_jobs=2).fit(X)
fits(30)
before = resident()
fits(200)
print(resident() / before - 1)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc here")
def test_two_hundred_fits_leave_nothing_behind():
    done = subprocess.run([sys.executable, "-c", MANY_FITS], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.02
