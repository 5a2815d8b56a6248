"""Solve small problems in every variant and save the coefficients: small_problems.py OUT.npz.

Run twice, with and without compilation, it shows that the kernels mean the same in both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np

from subspan.datasets import make_union_of_subspaces
from subspan.self_expression.anchored import AnchoredTask
from subspan.self_expression.blocks import rows_of
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.kept import Kept
from subspan.sources import ArraySource

VARIANTS = (
    # selection, candidates, average, damping, unit norm
    ("psi", "preserved", "all", 0.5, True),
    ("psi", "all", "chosen", 0.5, False),
    ("greedy", "preserved", "chosen", 0.5, False),
    ("greedy", "all", "all", 0.5, True),
    ("psi", "preserved", "all", 0.0, True),
)
# All variants by exact scores. Looks are slow in plain Python: each kind of them in two variants. That they
# change no bit of any variant is tested in compiled form.
KEPT: tuple[tuple[Kept, str, tuple[int, ...]], ...] = (
    ("none", "float32", (0, 1, 2, 3, 4)),
    ("none", "float64", (0, 1, 2, 3, 4)),
    ("shared", "float32", (0, 3)),
    ("dictionaries", "float64", (1, 4)),
    ("all", "float32", (2,)),
    ("all", "float64", (4,)),
)


def solve(dtype: str, kept: Kept, variant: tuple[str, str, str, float, bool]) -> dict[str, np.ndarray]:
    """Coefficients and counts of one small problem."""
    selection, candidates, average, damping, unit_norm = variant
    X, _ = make_union_of_subspaces(2, 3, 8, 12, noise=0.1, shuffle=False, random_state=0)
    dictionaries = sample_dictionaries(len(X), 3, n_nonzero=4, dropout=0.3, seed=1)
    # Without damping: copies are twins, and four atoms of a subspace of dimension three are dependent.
    X[:12] = np.random.default_rng(3).standard_normal((12, 3)) @ X[:3]
    dictionaries.append(np.arange(12))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[13], X[15] = X[14], -X[16]
    X = (X * (1 if unit_norm else np.linspace(0.5, 2, len(X))[:, None])).astype(dtype)
    settings = ConsensusSettings(
        4, damping=damping, max_iter=2 if damping else 1,
        selection=selection, candidates=candidates, average=average,
    )  # fmt: skip
    found = represent(ArraySource(X), dictionaries, settings, budget=10**9, kept=kept)
    return {"C": found.coefficients.toarray(), "counts": np.array(list(found.counts.values()))}


def solve_anchored(dtype: str) -> dict[str, np.ndarray]:
    """Coefficients and counts of pursuits from an anchor; with a copy, and with atoms that are dependent."""
    X, _ = make_union_of_subspaces(2, 2, 4, 12, affine=3, shuffle=False, random_state=0)
    X[12] = X[13]
    block = AnchoredTask(ArraySource(X.astype(dtype)), 5, 0.0, len(X))(0)
    return {"C": rows_of([block], len(X)).toarray(), "counts": np.append(0, block.counts)}


def main(out: Path) -> None:
    """Solve all of them."""
    arrays = {"compiled": np.array(not numba.config.DISABLE_JIT)}
    for kept, dtype, numbers in KEPT:
        for number in numbers:
            for name, array in solve(dtype, kept, VARIANTS[number]).items():
                arrays[f"{dtype} {kept} {number} {name}"] = array
    for name, array in solve_anchored("float64").items():
        arrays[f"float64 anchored {name}"] = array
    np.savez(out, **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
