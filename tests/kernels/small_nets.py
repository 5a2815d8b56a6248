"""Solve small elastic nets and link their rows, and save what comes out: small_nets.py OUT.npz."""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np

from subspan.affinity.neighbors import neighbor_affinity
from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.elastic_net import ElasticNetSettings, represent_by_elastic_net
from subspan.sources import ArraySource


def main(out: Path) -> None:
    """Noisy subspaces, and exact ones with copies, where atoms are dependent."""
    arrays = {"compiled": np.array(not numba.config.DISABLE_JIT)}
    for noise in (0.0, 0.3):
        for dtype in ("float32", "float64"):
            X = make_union_of_subspaces(2, 3, 9, 12, noise=noise, random_state=0)[0].astype(dtype)
            X[1] = X[0] if noise == 0 else X[1]
            for with_gram in (True, False):
                for tau in (0.8, 1.0):
                    found = represent_by_elastic_net(
                        ArraySource(X), ElasticNetSettings(tau, 40.0), budget=10**9, with_gram=with_gram
                    )
                    name = f"{dtype} {noise} {with_gram} {tau}"
                    arrays[f"{name} coefficients"] = found.coefficients.toarray()
                    arrays[f"{name} links"] = neighbor_affinity(found.coefficients).toarray()
    np.savez(out, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
