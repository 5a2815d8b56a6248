"""A hundred clusters and a hundred thousand points, the worst that a page has to stand."""

from __future__ import annotations

import base64
import gzip

import numpy as np
import pytest
from pages import parse
from scipy.sparse import csr_array

from subspan import S3COMPC
from subspan.handover import Certificate
from subspan.report.pictures import MOST_NUMBERS

N_POINTS, N_CLUSTERS = 100_000, 100
SIDE = 24
LIMIT = 3_000_000


class NoisyImages:
    """Rows that no compression makes smaller, without room for all of them."""

    name = "images.npy"
    shape = (N_POINTS, SIDE * SIDE)
    dtype = np.dtype(np.float32)
    columns = tuple(f"pixel {j}" for j in range(SIDE * SIDE))
    held_bytes = 0

    def __init__(self) -> None:
        self._pool = np.random.default_rng(1).random((701, SIDE * SIDE), np.float32)

    def rows(self, start: int, stop: int) -> np.ndarray:
        return self.take(np.arange(start, min(stop, N_POINTS)))

    def take(self, indices: np.ndarray) -> np.ndarray:
        return self._pool[indices % len(self._pool)]

    def fingerprint(self) -> str:
        return "noise"


@pytest.fixture(scope="module")
def estimator() -> S3COMPC:
    """As if fitted: clusters side by side, most edges inside, some across."""
    rng = np.random.default_rng(0)
    labels = np.arange(N_POINTS) % N_CLUSTERS
    rows = np.repeat(np.arange(N_POINTS), 5)
    inside = labels[rows] + N_CLUSTERS * rng.integers(1, N_POINTS // N_CLUSTERS, len(rows))
    columns = np.where(rng.random(len(rows)) < 0.8, inside, rng.integers(N_CLUSTERS, N_POINTS, len(rows)))
    coefficients = csr_array((rng.random(len(rows)), (rows, columns)), shape=(N_POINTS, N_POINTS))
    # The first point of each cluster is represented by none: connectivity is 0, and found without a solver.
    keep = np.ones(N_POINTS)
    keep[:N_CLUSTERS] = 0
    coefficients = csr_array(coefficients.multiply(keep[:, None]))
    coefficients.eliminate_zeros()
    model = S3COMPC(N_CLUSTERS, random_state=0)
    model.n_clusters_ = N_CLUSTERS
    model.labels_ = labels
    model.representation_ = coefficients
    model.affinity_ = csr_array((coefficients + coefficients.T) / 2)
    model.embedding_ = np.eye(N_CLUSTERS)[labels] + 0.2 * rng.standard_normal((N_POINTS, N_CLUSTERS))
    model.eigenvalues_ = np.linspace(1, 0.5, N_CLUSTERS + 3)
    model.certificate_ = Certificate(True, 1e-9, 0.0, 40)
    model.changes_ = tuple(0.9 ** np.arange(50))
    model.counts_ = {"components": 1, "isolated_points": N_CLUSTERS, "left_out": 0}
    model.stage_seconds_ = dict.fromkeys(("representation", "affinity", "embedding", "labeling"), 1.0)
    model.n_features_in_ = SIDE * SIDE
    return model


def test_the_page_stays_small_enough_to_be_sent(estimator, tmp_path):
    rng = np.random.default_rng(2)
    mixed = np.where(rng.random(N_POINTS) < 0.3, rng.integers(0, N_CLUSTERS, N_POINTS), estimator.labels_)
    truth = np.array([f"a class with a rather long name, number {j}" for j in range(N_CLUSTERS)])[mixed]
    names = [f"some/folder/with/a/long/name/photograph-{row:07d}.png" for row in range(N_POINTS)]
    path = estimator.report(
        tmp_path / "page.html", NoisyImages(), truth=truth, names=names, image_shape=(SIDE, SIDE)
    )
    # As if the pictures were as large as they may be at most: noise in PNG, four letters for three numbers.
    larger_pictures = 1.4 * (MOST_NUMBERS - 6 * N_CLUSTERS * SIDE * SIDE)
    assert path.stat().st_size + larger_pictures < LIMIT
    root = parse(path.read_text(encoding="utf-8"))
    assert len(root.find("article")) == N_CLUSTERS
    assert 6 * N_CLUSTERS <= len(root.find("img")) <= 9 * N_CLUSTERS
    [link] = root.find("a", download="labels.csv.gz")
    lines = gzip.decompress(base64.b64decode(link.attributes["href"].partition(",")[2])).splitlines()
    assert lines[-1].decode() == f"{N_POINTS - 1},{estimator.labels_[-1]}"
    [embedding] = root.find("figure", id="embedding")
    dots = sum(cloud.attributes["d"].count("M") for cloud in embedding.find("path"))
    assert N_CLUSTERS <= dots <= 5000
    assert "of 100\u202f000 rows are shown" in embedding.words()
