"""Find exemplars of small data sets and save them with the codes: small_searches.py OUT.npz."""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np

from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.exemplars import encode_by_exemplars


def main(out: Path) -> None:
    """Noisy subspaces, and exact ones, where atoms are dependent."""
    arrays = {"compiled": np.array(not numba.config.DISABLE_JIT)}
    for noise in (0.0, 0.3):
        for dtype in ("float32", "float64"):
            X = make_union_of_subspaces(3, 3, 9, 14, noise=noise, random_state=0)[0].astype(dtype)
            found = encode_by_exemplars(X, 20, regularization=40.0, seed=1)
            arrays[f"{dtype} {noise} exemplars"] = found.exemplars
            arrays[f"{dtype} {noise} evaluated"] = found.n_evaluated
            arrays[f"{dtype} {noise} codes"] = found.codes.toarray()
    np.savez(out, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
