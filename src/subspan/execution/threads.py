"""Threads over independent tasks, one BLAS thread each."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Lock, local
from typing import Any, TypeVar

import joblib
from numba.core.compiler_lock import global_compiler_lock
from threadpoolctl import OpenBLASController, ThreadpoolController

from subspan.execution.steps import steps

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


class _BlasHold:
    """Limits BLAS to one thread while it is entered at least once.

    The number of BLAS threads belongs to the whole process, and several fits may run at the same time. The
    first to enter lowers the number, the last to leave restores it. The first entry searches all libraries
    of the process, which takes a few milliseconds. So work in many short parts enters once for all of them.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self._n_users = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self.lock:
            if self._n_users == 0:
                _let_any_thread_set_blas()
                self._limits = ThreadpoolController().select(user_api="blas").limit(limits=1)
            self._n_users += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self._n_users -= 1
            if self._n_users == 0:
                _let_any_thread_set_blas()
                self._limits.restore_original_limits()
                _let_any_thread_set_blas()


def _let_any_thread_set_blas() -> None:
    """Let every thread set a limit: newer versions of threadpoolctl only obey the first thread."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


single_threaded_blas = _BlasHold()


def _free_in_children(lock: Any) -> None:
    """Let no process be forked while another thread has the lock: nobody in the child would release it."""
    # Windows has no fork.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


_free_in_children(single_threaded_blas.lock)
_free_in_children(global_compiler_lock)


@contextmanager
def single_threaded_libraries() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread each, because their results depend on the number of threads.

    As with BLAS, work in many short parts enters once for all of them.
    """
    # OpenMP has a number for each calling thread, and so has this limit.
    if getattr(_thread, "limited", False):
        yield
        return
    with single_threaded_blas, ThreadpoolController().select(user_api="openmp").limit(limits=1):
        _thread.limited = True
        try:
            yield
        finally:
            _thread.limited = False


# For each thread: whether OpenMP is limited, and the event that cancels its work.
_thread = local()


def cancel_with(cancelled: Event) -> None:
    """Let `stop_if_cancelled` raise in this thread once the event is set."""
    _thread.cancelled = cancelled


def stop_if_cancelled() -> None:
    """Raise if the work of this thread was cancelled; long tasks call it between their parts."""
    cancelled: Event | None = getattr(_thread, "cancelled", None)
    if cancelled is not None and cancelled.is_set():
        raise CancelledError


def run_in_threads(
    task: Callable[[Item], Result], items: Collection[Item], threads: int, what: str = "parts"
) -> Iterator[Result]:
    """Results of `task` in the order of `items`; the first error or interruption cancels the rest.

    `what` names the items in the plural, for the progress. BLAS runs one thread for each task; a task that
    uses OpenMP must limit its threads itself.
    """
    with single_threaded_blas, steps(what, len(items)) as advance:

        def step(item: Item) -> Result:
            result = task(item)
            advance(1)
            return result

        if threads == 1:
            yield from map(step, items)
            return
        cancelled = Event()
        pool = ThreadPoolExecutor(threads, "subspan", initializer=cancel_with, initargs=(cancelled,))
        try:
            yield from pool.map(step, items)
        finally:
            cancelled.set()
            pool.shutdown(wait=True, cancel_futures=True)
