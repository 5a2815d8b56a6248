"""The spectral stage on an affinity of N = 10 000 points against scikit-learn's."""

from __future__ import annotations

import time
import warnings

from benchmarks.speed.data import labelled_features
from benchmarks.speed.machine import THREADS
from sklearn.cluster import SpectralClustering

from subspan import S3COMP
from subspan.metrics import clustering_accuracy


def run() -> dict[str, float]:
    """Ratio of times and both accuracies."""
    X, y = labelled_features(10_000)
    common = {"n_components": None, "n_jobs": THREADS, "random_state": 0}
    model = S3COMP(10, n_nonzero=10, dropout=0.6, damping=1.0, **common).fit(X)
    entered = S3COMP(10, affinity="precomputed", **common)
    start = time.perf_counter()
    entered.fit(model.affinity_)
    ours = time.perf_counter() - start
    theirs_model = SpectralClustering(10, affinity="precomputed", assign_labels="kmeans", random_state=0)
    start = time.perf_counter()
    with warnings.catch_warnings(action="ignore"):
        theirs_model.fit(model.affinity_)
    theirs = time.perf_counter() - start
    return {
        "ours, seconds": ours,
        "scikit-learn / ours (asked: >= 20)": theirs / ours,
        "accuracy, ours": clustering_accuracy(y, entered.labels_),
        "accuracy, scikit-learn": clustering_accuracy(y, theirs_model.labels_),
    }
