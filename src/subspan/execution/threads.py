"""Threads over independent tasks, one BLAS thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import joblib
from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads(n_jobs: int | None) -> int:
    """Number of threads for scikit-learn's `n_jobs`; None and -1 mean every core this process may use.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    cores: int = joblib.cpu_count()
    if n_jobs is None:
        return cores
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


@contextmanager
def single_threaded_libraries() -> Iterator[None]:
    """BLAS and OpenMP run one thread each: their results depend on the number of threads."""
    with threadpool_limits(limits=1):
        yield


def run_in_threads(task: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Results of `task` in the order of `items`; the first error or interruption cancels the rest."""
    with single_threaded_libraries():
        if threads == 1:
            yield from map(task, items)
            return
        pool = ThreadPoolExecutor(threads, thread_name_prefix="subspan")
        try:
            yield from pool.map(task, items)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
