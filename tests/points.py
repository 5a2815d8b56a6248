"""Points of many kinds, hard ones among them, that pursuits are tried on."""

from __future__ import annotations

import numpy as np

from subspan.datasets import make_union_of_subspaces
from subspan.sources.checks import unit_rows


def near_subspaces(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    n_subspaces, dim = min(4, n // 4), max(1, min(4, n_features // 2))
    X, _ = make_union_of_subspaces(
        n_subspaces, dim, n_features, -(-n // n_subspaces), noise=0.2, random_state=int(rng.integers(99))
    )
    return unit_rows(X[:n])


def much_alike(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """All near one direction: correlations near 0.9, and a great many scores close to the largest."""
    return unit_rows(1 + 0.35 * rng.standard_normal((n, n_features)))


def nearly_copies(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Pairs of points: one inner product of every row dwarfs all others."""
    X = rng.standard_normal((-(-n // 2), n_features))
    return unit_rows(np.concatenate([X, X + 1e-3 * rng.standard_normal(X.shape)])[:n])


def tied(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Rows with a few entries -1, 1, and copies: a great many scores are equal."""
    X = np.zeros((n, n_features))
    for row in X:
        row[rng.choice(n_features, min(4, n_features), replace=False)] = rng.choice(
            [-1, 1], min(4, n_features)
        )
    X[::7] = X[3]
    return X


def axes(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Nothing but +-e_i, so that every score is 0 or 1."""
    return np.eye(n_features)[rng.integers(0, n_features, n)] * rng.choice([-1.0, 1.0], (n, 1))


def unequal_lengths(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    return near_subspaces(n, n_features, rng) * 10 ** rng.uniform(-1, 1, (n, 1))


def one_long_row(n: int, n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Rows with a mean in common, one of them ten times as long."""
    X = much_alike(n, n_features, rng)
    X[0] *= 10
    return X


KINDS = {
    kind.__name__: kind
    for kind in (near_subspaces, much_alike, nearly_copies, tied, axes, unequal_lengths, one_long_row)
}


def points(kind: str, n: int, n_features: int, dtype: str = "float64", seed: int = 0) -> np.ndarray:
    return KINDS[kind](n, n_features, np.random.default_rng(seed)).astype(dtype)
