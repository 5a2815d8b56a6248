"""Elastic net with a sparse error term."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from subspan import ElasticNetSC
from subspan.datasets import make_rigid_motions
from subspan.metrics import clustering_accuracy

ALPHA, WEIGHT = 0.05, 0.7


def test_it_is_the_convex_problem_with_errors() -> None:
    X = np.random.default_rng(0).standard_normal((10, 4))
    model = ElasticNetSC(2, tau=1, alpha=ALPHA, errors=WEIGHT, normalize=False, random_state=0).fit(X)
    C = model.representation_.toarray()
    assert C.shape == (10, 10)

    def cost(c: np.ndarray, j: int) -> float:
        # The best errors of given coefficients draw the residual towards zero.
        residual, price = X[j] - c @ X, ALPHA / WEIGHT
        e = np.sign(residual) * np.maximum(np.abs(residual) - price, 0)
        return ((residual - e) ** 2).sum() / 2 + ALPHA * np.abs(c).sum() + price * np.abs(e).sum()

    for j in range(3):
        others = np.delete(np.arange(10), j)

        def split(parts: np.ndarray, j: int = j, others: np.ndarray = others) -> float:
            c = np.zeros(10)
            c[others] = parts[:9] - parts[9:]
            return cost(c, j) + ALPHA * (parts.sum() - np.abs(c).sum())

        options = {"maxfun": 10**5, "ftol": 1e-15}
        found = minimize(split, np.full(18, 0.1), bounds=[(0, None)] * 18, options=options)
        assert cost(C[j], j) <= found.fun + 1e-8
        assert C[j, j] == 0


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_on_corrupted_tracks_errors_are_at_least_halved() -> None:
    wrong = np.zeros((3, 2))
    for seed in range(3):
        X, y = make_rigid_motions(3, 60, 25, noise=0.003, gross=0.1, random_state=seed)
        for place, errors in enumerate((None, 1.0)):
            model = ElasticNetSC(
                3, affine=True, tau=1, alpha=0.01, errors=errors, keep=0.9, scale="max", random_state=0
            )
            wrong[seed, place] = 1 - clustering_accuracy(y, model.fit(X).labels_)
    without, with_errors = wrong.mean(axis=0)
    assert with_errors <= without / 2
    assert with_errors < 0.25
