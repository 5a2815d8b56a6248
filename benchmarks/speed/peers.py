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


def spams_plain(
    X: NDArray[np.float32], dictionaries: Sequence[NDArray[np.int64]], s: int, threads: int
) -> float:
    """Seconds of one SPAMS call for each sub-dictionary.

    SPAMS cannot leave out the point itself: a point that is in the dictionary is represented by itself
    and its pursuit ends there. These calls therefore do less work, and solve another problem.
    """
    points = np.asfortranarray(X.T)
    start = time.perf_counter()
    for kept in dictionaries:
        _omp(points, X[kept], s, threads)
    return time.perf_counter() - start


def spams_without_self(
    X: NDArray[np.float32], dictionaries: Sequence[NDArray[np.int64]], s: int, threads: int, n_blocks: int
) -> float:
    """Seconds of SPAMS when no point may represent itself.

    Points outside a sub-dictionary take one call; those inside are cut into blocks, each solved over the
    dictionary without its own block. With 20 blocks a point misses 5 % of the atoms.
    """
    start = time.perf_counter()
    for kept in dictionaries:
        outside = np.setdiff1d(np.arange(len(X)), kept)
        _omp(np.asfortranarray(X[outside].T), X[kept], s, threads)
        for block in np.array_split(kept, n_blocks):
            _omp(np.asfortranarray(X[block].T), X[np.setdiff1d(kept, block)], s, threads)
    return time.perf_counter() - start


def _omp(points: NDArray[np.float32], atoms: NDArray[np.float32], s: int, threads: int) -> None:
    # Only benchmarks need it, and only they may: its licence is not ours.
    import spams

    spams.omp(points, np.asfortranarray(atoms.T), L=s, eps=0.0, return_reg_path=False, numThreads=threads)
