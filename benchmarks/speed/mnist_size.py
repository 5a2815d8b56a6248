"""The representation at the size of MNIST70000, in units of the single product X X^T beside it."""

from __future__ import annotations

import resource
import time

import numpy as np
from benchmarks.speed.data import features
from benchmarks.speed.machine import THREADS, bandwidth, gemm_rate, touch_memory
from numpy.typing import NDArray

from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.sources import ArraySource

N, D, S, T, DROPOUT, DAMPING = 70_000, 500, 10, 15, 0.8, 0.8


def product_seconds(X: NDArray[np.float32]) -> float:
    """X X^T on all BLAS threads, in blocks of rows that are thrown away."""
    start = time.perf_counter()
    for first in range(0, len(X), 1024):
        X[first : first + 1024] @ X.T
    return time.perf_counter() - start


def roofline_seconds(m: float, rate: float, bytes_per_second: float) -> float:
    """DESIGN 3: correlations and Gram matrices at the GEMM rate, Gram rows at the memory bandwidth."""
    flops = 2 * D * (N * N + T * m * m / 2)
    traffic = (S * S / 2 + 2 * S) * m * 4 * N * T
    return flops / rate + traffic / bytes_per_second


def run() -> dict[str, float]:
    """Times over the product, the share of the roofline reached, and the peak of memory."""
    X = features(N, D)
    dictionaries = sample_dictionaries(N, T, n_nonzero=S, dropout=DROPOUT)
    source = ArraySource(X)
    rate, bytes_per_second = gemm_rate(), bandwidth()
    represent(ArraySource(X[:2000]), [np.arange(1000)] * 2, ConsensusSettings(S, DAMPING), budget=10**9)
    touch_memory(8 * 10**9)
    before = product_seconds(X)
    times = {}
    for max_iter in (1, 3):
        start = time.perf_counter()
        represent(
            source, dictionaries, ConsensusSettings(S, DAMPING, max_iter=max_iter),
            budget=13 * 10**9, threads=THREADS,
        )  # fmt: skip
        times[max_iter] = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    start = time.perf_counter()
    represent(source, [np.arange(N)], ConsensusSettings(S), budget=13 * 10**9, threads=THREADS)
    all_points = time.perf_counter() - start
    product = (before + product_seconds(X)) / 2
    roofline = roofline_seconds(np.mean([len(kept) for kept in dictionaries]), rate, bytes_per_second)
    return {
        "product X X^T, seconds": product,
        "S3COMP / product (asked: <= 2.2)": times[1] / product,
        "S3COMP-C, 3 iterations / product (asked: <= 4.2)": times[3] / product,
        "peak memory of both, GB (asked: <= 9)": peak,
        "SSC-OMP / product (asked: <= 1.6)": all_points / product,
        "GEMM rate, GFLOP/s": rate / 1e9,
        "memory bandwidth, GB/s": bytes_per_second / 1e9,
        "roofline of S3COMP, seconds": roofline,
        "roofline / S3COMP": roofline / times[1],
    }
