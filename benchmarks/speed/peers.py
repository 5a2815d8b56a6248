"""What a user could run instead, on the same sub-dictionaries."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def numpy_loop(
    X: NDArray[np.float32], dictionaries: Sequence[NDArray[np.int64]], s: int, n_sampled: int
) -> float:
    """Seconds of a loop of argmax and least squares for all points, from a sample of them."""
    atoms = [X[kept] for kept in dictionaries]
    start = time.perf_counter()
    for j in range(n_sampled):
        for rows, kept in zip(atoms, dictionaries, strict=True):
            residual, support = X[j], []
            for _ in range(s):
                score = np.abs(rows @ residual)
                score[kept == j] = 0
                score[support] = 0
                support.append(int(score.argmax()))
                solution = np.linalg.lstsq(rows[support].T, X[j], rcond=None)[0]
                residual = X[j] - solution @ rows[support]
    return (time.perf_counter() - start) * len(X) / n_sampled


def spams_omp(
    X: NDArray[np.float32], dictionaries: Sequence[NDArray[np.int64]], s: int, threads: int
) -> float:
    """Seconds of SPAMS over all sub-dictionaries. It neither excludes the point itself nor damps."""
    import spams

    points = np.asfortranarray(X.T)
    start = time.perf_counter()
    for kept in dictionaries:
        spams.omp(
            points, np.asfortranarray(X[kept].T), L=s, eps=0.0, return_reg_path=False, numThreads=threads
        )
    return time.perf_counter() - start
