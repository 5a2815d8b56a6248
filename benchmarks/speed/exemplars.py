"""The search for exemplars on the features of 10 000 digits against recomputing all costs at each step."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.speed.data import features
from numpy.typing import NDArray

from subspan.datasets import paper_features
from subspan.handover import InputError
from subspan.kernels.exemplars import Search, add_exemplar
from subspan.self_expression.exemplars import find_exemplars, new_search, point_codes
from subspan.sources.checks import unit_rows

N, EXEMPLARS, REGULARIZATION, FIRST = 10_000, 500, 200.0, 0
# Steps of the plain search that stand for all, each in the middle of a tenth of them.
SAMPLED = range(EXEMPLARS // 20, EXEMPLARS, EXEMPLARS // 10)


def points() -> tuple[NDArray[np.float32], bool]:
    """Features of MNIST10000 if the data set is at hand, else made up ones of the same size."""
    try:
        return unit_rows(paper_features("mnist", n_per_class=N // 10)[0]), True
    except InputError:
        return features(N), False


def after(X: NDArray[np.float32], exemplars: NDArray[np.int64]) -> Search:
    """A search that has found these exemplars."""
    search = new_search(X, len(exemplars), REGULARIZATION)
    for n_found, point in enumerate(exemplars):
        add_exemplar(search, int(point), n_found)
    return search


def step_seconds(X: NDArray[np.float32], exemplars: NDArray[np.int64], warm: bool) -> float:
    """One step of the plain search: the costs of all points, by the kernel of the lazy search.

    Warm, every point starts from its solution at the step before; cold, from nothing.
    """
    search = after(X, exemplars)
    if warm:
        point_codes(search, 0, len(X), len(exemplars) - 1)
    start = time.perf_counter()
    _, costs = point_codes(search, 0, len(X), len(exemplars))
    costs.argmax()
    return time.perf_counter() - start


def run() -> dict[str, float]:
    """Ratios, all in one run on the same data, one thread each."""
    X, real = points()
    find_exemplars(new_search(X[:200], 5, REGULARIZATION), 0)
    step_seconds(X[:200], np.arange(5), warm=False)
    search = new_search(X, EXEMPLARS, REGULARIZATION)
    start = time.perf_counter()
    n_evaluated = find_exemplars(search, FIRST)
    lazy = time.perf_counter() - start
    warm, cold = (
        np.mean([step_seconds(X, search.exemplars[:n], warm) for n in SAMPLED]) * (EXEMPLARS - 1)
        for warm in (True, False)
    )
    return {
        "features of MNIST10000 (1) or made up (0)": float(real),
        "lazy search, seconds": lazy,
        "costs computed at a step, of 10 000": float(n_evaluated.mean()),
        "all costs at each step, from the solutions before / lazy (asked: >= 5)": warm / lazy,
        "all costs at each step, from nothing / lazy": cold / lazy,
    }
