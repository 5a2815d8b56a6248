"""Growth of the representation with the number of points at a fixed size of the dictionaries."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.speed.data import features
from benchmarks.speed.machine import THREADS, touch_memory

from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.sources import ArraySource

SIZES = (20_000, 40_000, 80_000, 160_000)
M, T, S, D = 1000, 15, 10, 100


def run() -> dict[str, float]:
    """Seconds at each size and the exponent fitted to them."""
    touch_memory(3 * 10**9)
    X = features(SIZES[-1], D)
    settings = ConsensusSettings(S, damping=0.8)
    times = []
    for n in (2000, *SIZES):
        dictionaries = sample_dictionaries(n, T, n_nonzero=S, dropout=0.0, size=M)
        start = time.perf_counter()
        represent(ArraySource(X[:n]), dictionaries, settings, budget=10**10, threads=THREADS)
        times.append(time.perf_counter() - start)
    times = times[1:]
    exponent = np.polyfit(np.log(SIZES), np.log(times), 1)[0]
    return {f"N = {n}, seconds": t for n, t in zip(SIZES, times, strict=True)} | {
        "exponent (asked: <= 1.1)": float(exponent)
    }
