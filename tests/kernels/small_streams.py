"""Learn a small stream and save what came out: small_streams.py OUT.npz.

Run twice, with and without compilation, it shows that the kernels mean the same in both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np

from subspan.self_expression.online_low_rank import OnlineBasis, OnlineWeights


def main(out: Path) -> None:
    """Bases of one to nine vectors, which the loops take four at a time, in both types."""
    arrays = {"compiled": np.array(not numba.config.DISABLE_JIT)}
    for n_basis in (1, 4, 9):
        for dtype in ("float32", "float64"):
            points = np.random.default_rng(n_basis).standard_normal((12, 10)).astype(dtype)
            stream = OnlineBasis.start(10, n_basis, OnlineWeights(sparsity=0.5), seed=0)
            coefficients, codes = stream.learn(points)
            found = (coefficients, codes, stream.vectors, np.array(stream.objective(points)))
            arrays |= {f"{n_basis} {dtype} {number}": array for number, array in enumerate(found)}
    np.savez(out, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
