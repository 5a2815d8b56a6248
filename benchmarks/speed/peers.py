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


def spams_outside(
    X: NDArray[np.float32], dictionaries: Sequence[NDArray[np.int64]], s: int, threads: int
) -> float:
    """Seconds of SPAMS for as many points as there are, none of them in its dictionary.

    For points outside of a sub-dictionary a plain call solves the same problem as we do. Two calls tell what
    a point costs and what is done once for each dictionary; points inside are counted at the same rate.
    """
    total = 0.0
    for kept in dictionaries:
        outside = X[np.setdiff1d(np.arange(len(X)), kept)]
        numbers = (len(outside) // 2, len(outside))
        times = []
        for n in numbers:
            start = time.perf_counter()
            _omp(np.asfortranarray(outside[:n].T), X[kept], s, threads)
            times.append(time.perf_counter() - start)
        rate = (times[1] - times[0]) / (numbers[1] - numbers[0])
        total += times[1] + rate * (len(X) - numbers[1])
    return total


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


def spams_elastic_net(
    X: NDArray[np.floating], rows: NDArray[np.int64], tau: float, gamma: float
) -> tuple[float, NDArray[np.floating]]:
    """Seconds of a loop over all points, each an active set around `spams.lasso`, from a sample of them.

    Also the coefficients of the sample.
    """
    data = X.copy()
    codes = np.zeros((len(rows), len(X)), X.dtype)
    start = time.perf_counter()
    for place, row in enumerate(rows):
        point = data[row].copy()
        # A zero row keeps the point from representing itself.
        data[row] = 0
        correlations = np.abs(data @ point)
        support = np.argpartition(-correlations, 100)[:100]
        alpha = correlations.max() / (tau * gamma)
        support, values = _grow_support(data, point, support, float(alpha), tau)
        codes[place, support] = values
        data[row] = point
    return (time.perf_counter() - start) * len(X) / len(rows), codes


def _grow_support(
    data: NDArray[np.floating],
    point: NDArray[np.floating],
    support: NDArray[np.int64],
    alpha: float,
    tau: float,
) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
    """Solve over the support and add atoms that violate the optimality conditions, until all is gained."""
    size, best = len(support), np.inf
    for _ in range(40):
        values = _lasso(point, data[support], tau * alpha, (1 - tau) * alpha)
        dual = (point - values @ data[support]) / alpha
        objective = (
            tau * np.abs(values).sum() + (1 - tau) / 2 * (values**2).sum() + alpha / 2 * (dual**2).sum()
        )
        if best - objective < 1e-10 * best < np.inf:
            break
        best = objective
        scores = np.abs(data @ dual)
        scores[support] = 0
        violating = np.flatnonzero(scores > tau + 1e-10)
        if len(violating) == 0:
            break
        active = support[np.abs(values) > 1e-10]
        if len(active) > 0.8 * size:
            size = min(round(max(len(active), size) * 1.1), len(data))
        room = min(max(size - len(active), 0), len(violating))
        joining = violating[np.argsort(-scores[violating])[:room]]
        support = np.union1d(active, joining)
    return support, values


def _lasso(
    point: NDArray[np.floating], atoms: NDArray[np.floating], l1: float, l2: float
) -> NDArray[np.floating]:
    import spams

    # By default it starts threads for a single signal, and takes several times as long.
    solution = spams.lasso(
        np.asfortranarray(point[:, None]),
        D=np.asfortranarray(atoms.T),
        lambda1=l1,
        lambda2=l2,
        numThreads=1,
    )
    return np.asarray(solution.todense()).ravel()
