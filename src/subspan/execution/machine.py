"""Where results were made: processor, libraries, and the memory that a run took."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from subspan.execution.memory import PROCESS, peak_memory

LIBRARIES = ("subspan", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that results depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


def machine() -> dict[str, Any]:
    """Processor, number of cores and speed."""
    return {"cpu": cpu_model(), "cores": joblib.cpu_count(), "gemm_gflops": round(gemm_rate() / 1e9, 1)}


def cpu_model(description: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        match = re.search(r"^model name\s*:\s*(.+)$", description.read_text(), re.MULTILINE)
    except OSError:
        match = None
    return match[1].strip() if match else platform.processor() or platform.machine()


def gemm_rate(side: int = 2048) -> float:
    """Floating-point operations per second of a float32 product on all cores, the best of three."""
    square = np.ones((side, side), np.float32)
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        square @ square
        best = min(best, time.perf_counter() - start)
    return float(2 * side**3 / best)


@dataclass
class PeakMemory:
    """Largest resident memory of the process while it was watched; None where no system tells it."""

    n_bytes: int | None = None


@contextmanager
def watched_memory() -> Iterator[PeakMemory]:
    """The peak of what is done inside; on systems that cannot forget an earlier peak, of the process."""
    peak = PeakMemory()
    _forget_peak()
    yield peak
    peak.n_bytes = peak_memory()


def _forget_peak() -> None:
    with suppress(OSError):
        # On Linux, writing 5 resets the peak of resident memory.
        (PROCESS / "clear_refs").write_text("5")
