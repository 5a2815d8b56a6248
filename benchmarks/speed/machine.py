"""What this machine can do, measured in the same run as everything it is compared with."""

from __future__ import annotations

import platform
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib.metadata import version

import numpy as np

THREADS = 2


def touch_memory(n_bytes: int) -> None:
    """Use and release memory once.

    A virtual machine gets pages it has not used for a while from its host, at seconds per gigabyte; that
    is no property of the code under test, so it is paid beforehand.
    """
    np.ones(n_bytes // 8)


def gemm_rate() -> float:
    """Floating-point operations per second of a large float32 product on all BLAS threads."""
    a = np.ones((4096, 2048), np.float32)
    a @ a.T.copy()
    b = a.T.copy()
    start = time.perf_counter()
    for _ in range(3):
        a @ b
    return 3 * 2 * 4096 * 4096 * 2048 / (time.perf_counter() - start)


def bandwidth() -> float:
    """Bytes per second that two threads read from arrays far larger than the caches."""
    arrays = [np.ones(2**27, np.float32) for _ in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(np.max, arrays))
        start = time.perf_counter()
        list(pool.map(np.max, arrays))
        return sum(a.nbytes for a in arrays) / (time.perf_counter() - start)


def description() -> str:
    """One line that says where and with what the figures were taken."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
    python = platform.python_version()
    return f"{date.today()}, {platform.machine()}, {THREADS} threads, Python {python}, {libraries}"
