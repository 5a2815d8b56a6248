"""The representation at N = 10 000 against a NumPy loop and SPAMS, and the cost of more iterations."""

from __future__ import annotations

import time

from benchmarks.speed.data import features
from benchmarks.speed.machine import THREADS, touch_memory
from benchmarks.speed.peers import numpy_loop, spams_outside, spams_plain, spams_without_self

from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.sources import ArraySource

N, S, T, DROPOUT = 10_000, 10, 15, 0.6
# Other work on the machine only adds to a time, and comes and goes: all are timed in turn, in as many rounds,
# and the best of each counts.
ROUNDS = 5


def seconds(source: ArraySource, dictionaries: list, max_iter: int, damping: float = 1.0) -> float:
    """Time of the whole representation."""
    settings = ConsensusSettings(n_nonzero=S, damping=damping, max_iter=max_iter, tol=1e-3)
    # What the run before gave back, the host has taken while the others had their turn.
    touch_memory(2 * 10**9)
    start = time.perf_counter()
    represent(source, dictionaries, settings, budget=10**10, threads=THREADS)
    return time.perf_counter() - start


def run() -> dict[str, float]:
    """Ratios, all in one run on the same data."""
    X = features(N)
    dictionaries = sample_dictionaries(N, T, n_nonzero=S, dropout=DROPOUT)
    source = ArraySource(X)
    seconds(source, dictionaries, 1)
    rounds = [
        (
            seconds(source, dictionaries, 1),
            seconds(source, dictionaries, 5),
            numpy_loop(X, dictionaries, S, n_sampled=100),
            spams_plain(X, dictionaries, S, THREADS),
            spams_outside(X, dictionaries, S, THREADS),
            # Three of the sub-dictionaries stand for all: they are of one size.
            spams_without_self(X, dictionaries[:3], S, THREADS, n_blocks=20) * T / 3,
        )
        for _ in range(ROUNDS)
    ]
    ours, consensus, loop, plain, outside, without_self = map(min, zip(*rounds, strict=True))
    return {
        "S3COMP seconds": ours,
        "NumPy loop / S3COMP (asked: >= 100)": loop / ours,
        "SPAMS, no point by itself (20 blocks) / S3COMP (asked: >= 10)": without_self / ours,
        "SPAMS, points outside the dictionary, scaled to all / S3COMP (asked: >= 10)": outside / ours,
        "SPAMS, plain call (points represent themselves) / S3COMP": plain / ours,
        "S3COMP-C, 5 iterations / S3COMP (asked: <= 4)": consensus / ours,
    }
