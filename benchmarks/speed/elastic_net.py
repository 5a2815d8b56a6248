"""Elastic-net coefficients of the features of 10 000 digits against a loop over SPAMS."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.speed.data import features
from benchmarks.speed.machine import THREADS, touch_memory
from benchmarks.speed.peers import spams_elastic_net
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.datasets import paper_features
from subspan.handover import InputError
from subspan.self_expression.elastic_net import ElasticNetSettings, represent_by_elastic_net
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

N, SAMPLED = 10_000, 100
TAU, GAMMA = 0.9, 200.0


def points(n_points: int) -> tuple[NDArray[np.float32], bool]:
    """Features of MNIST if the data set is at hand, else made up ones of the same size."""
    try:
        return unit_rows(paper_features("mnist", n_per_class=n_points // 10)[0]), True
    except InputError:
        return features(n_points), False


def seconds(X: NDArray[np.float32], with_gram: bool | None = None) -> tuple[float, csr_array]:
    """Time of all coefficients, with the coefficients."""
    settings = ElasticNetSettings(TAU, GAMMA)
    start = time.perf_counter()
    found = represent_by_elastic_net(
        ArraySource(X), settings, budget=2 * 10**9, with_gram=with_gram, threads=THREADS
    )
    return time.perf_counter() - start, found.coefficients


def mean_objective(X: NDArray[np.float32], rows: NDArray[np.int64], codes: NDArray[np.floating]) -> float:
    """Of the sampled points, in float64, each divided by its alpha as in the public code."""
    data, codes = X.astype(np.float64), codes.astype(np.float64)
    products = np.abs(data[rows] @ data.T)
    products[np.arange(len(rows)), rows] = 0
    alpha = products.max(axis=1) / (TAU * GAMMA)
    misfit = ((data[rows] - codes @ data) ** 2).sum(axis=1)
    penalty = TAU * np.abs(codes).sum(axis=1) + (1 - TAU) / 2 * (codes**2).sum(axis=1)
    return float((misfit / (2 * alpha) + penalty).mean())


def run() -> dict[str, float]:
    """Ratios, all in one run on the same data."""
    touch_memory(2 * 10**9)
    X, real = points(N)
    rows = np.linspace(0, N - 1, SAMPLED).astype(np.int64)
    seconds(X[:500])
    ours, coefficients = seconds(X)
    without_gram, _ = seconds(X, with_gram=False)
    peer, codes = spams_elastic_net(X.astype(np.float64), rows, TAU, GAMMA)
    single, rough = spams_elastic_net(X, rows, TAU, GAMMA)
    return {
        "features of MNIST (1) or made up (0)": float(real),
        "EnSC of 10 000 points, seconds": ours,
        "the same without a Gram matrix, seconds": without_gram,
        "coefficients of a point": coefficients.nnz / N,
        "loop over spams.lasso / EnSC (asked: >= 10)": peer / ours,
        "the same loop in float32, which misses the minimum of some points / EnSC": single / ours,
        "mean objective of EnSC": mean_objective(X, rows, coefficients[rows].toarray()),
        "mean objective of the loop": mean_objective(X, rows, codes),
        "mean objective of the loop in float32": mean_objective(X, rows, rough),
    }
