"""Threads over tasks: order kept, errors passed on, libraries held to one thread and let go again."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import joblib
import pytest
import sklearn.cluster  # noqa: F401  brings OpenMP along
from threadpoolctl import threadpool_info, threadpool_limits

from subspan.execution.threads import (
    n_threads,
    run_in_threads,
    single_threaded_blas,
    single_threaded_libraries,
    stop_if_cancelled,
)


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    def task(item: int) -> int:
        time.sleep(0.01 * (item % 3))
        return item**2

    assert list(run_in_threads(task, range(20), threads)) == [item**2 for item in range(20)]


def test_tasks_run_at_the_same_time():
    barrier = threading.Barrier(2, timeout=10)

    def task(item: int) -> int:
        barrier.wait()
        return item

    assert list(run_in_threads(task, range(4), 2)) == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_cancels_the_rest(threads):
    done = []

    def task(item: int) -> None:
        if item == 1:
            raise ZeroDivisionError("item 1")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(ZeroDivisionError, match="item 1"):
        list(run_in_threads(task, range(100), threads))
    assert len(done) < 50
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("subspan")]


def test_an_interruption_reaches_tasks_that_have_begun():
    """The caller leaves with the first result; the other task would go on for a minute."""
    begun, left = threading.Event(), threading.Event()

    def task(item: int) -> int:
        if item == 0:
            begun.wait(10)
            return item
        begun.set()
        try:
            for _ in range(6000):
                stop_if_cancelled()
                time.sleep(0.01)
        except CancelledError:
            left.set()
            raise
        return item

    results = run_in_threads(task, range(2), 2)
    assert next(results) == 0
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)
    assert left.is_set()
    # Outside such a pool nothing is ever cancelled.
    stop_if_cancelled()


@pytest.mark.parametrize("threads", [1, 2])
def test_blas_runs_one_thread_inside(threads):
    before = blas_threads()
    seen = list(run_in_threads(lambda _: blas_threads(), range(4), threads))
    assert all(inside == {1} for inside in seen)
    assert blas_threads() == before


def test_blas_stays_single_threaded_until_the_last_user_leaves():
    """Two users overlap: the first to come is the first to go, and the other must not notice."""
    before = blas_threads()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))
    seen = []

    def first() -> None:
        with single_threaded_libraries():
            first_in.set()
            second_in.wait(10)
        first_out.set()

    def second() -> None:
        first_in.wait(10)
        with single_threaded_libraries():
            second_in.set()
            first_out.wait(10)
            seen.append(blas_threads())

    users = [threading.Thread(target=user) for user in (first, second)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert seen == [{1}]
    assert blas_threads() == before


def test_who_holds_blas_spares_those_inside_the_search_for_libraries(monkeypatch):
    """A search takes milliseconds, more than many a task."""
    before = blas_threads()
    with single_threaded_blas:
        monkeypatch.setattr("subspan.execution.threads.ThreadpoolController", None)
        seen = list(run_in_threads(lambda _: blas_threads(), range(3), 2))
    assert seen == [{1}] * 3
    assert blas_threads() == before


def test_a_limit_of_the_users_own_survives():
    with threadpool_limits(2):
        assert blas_threads() == {2}
        with single_threaded_libraries():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_openmp_runs_one_thread_in_the_thread_that_asks():
    """k-means of scikit-learn adds up in parts, one for each thread."""

    def openmp_threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"}

    before = openmp_threads()
    with single_threaded_libraries():
        assert openmp_threads() == {1}
    assert openmp_threads() == before


def test_a_limit_inside_a_limit_spares_the_search_for_libraries(monkeypatch):
    before = threadpool_info()
    with single_threaded_libraries():
        with monkeypatch.context() as nothing:
            nothing.setattr("subspan.execution.threads.ThreadpoolController", None)
            with single_threaded_libraries():
                pass
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert threadpool_info() == before


def test_number_of_threads():
    cores = joblib.cpu_count()
    assert n_threads(None) == n_threads(-1) == cores
    assert n_threads(3) == 3
    assert n_threads(-2) == max(1, cores - 1)
    assert n_threads(-1000) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on this system")
@pytest.mark.parametrize("lock", ["single_threaded_blas.lock", "global_compiler_lock"])
def test_no_child_is_forked_while_another_thread_has_a_lock(lock):
    code = f"""
import os, signal, threading
from subspan.execution.threads import global_compiler_lock, single_threaded_blas
held, lock = threading.Event(), {lock}
def hold():
    lock.acquire()
    held.set()
    threading.Event().wait(0.2)
    lock.release()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(5)
    lock.acquire()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "7\n"
