"""How long a user waits for an import, and for the first fit with kernels compiled earlier."""

from __future__ import annotations

import subprocess
import sys
import time

FIRST_FIT = """
import numpy as np
from subspan import S3COMPC
S3COMPC(3, n_nonzero=3, random_state=0).fit(np.random.default_rng(0).standard_normal((300, 20)))
"""


def seconds(code: str) -> float:
    """Best of five fresh processes."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def run() -> dict[str, float]:
    """Imports against scikit-learn's, in fresh processes."""
    idle = seconds("pass")
    reference = seconds("import sklearn.cluster") - idle
    seconds(FIRST_FIT)
    return {
        "import subspan / import sklearn.cluster (asked: < 1.5)": (seconds("import subspan") - idle)
        / reference,
        "from subspan import S3COMPC / import sklearn.cluster (asked: < 1.5)": (
            seconds("from subspan import S3COMPC") - idle
        )
        / reference,
        "process with a first fit, kernels cached, seconds": seconds(FIRST_FIT),
    }
