"""Elastic net with a sparse error term."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.impute import SimpleImputer

from subspan import LRSC, ElasticNetSC, SubspaceClustering
from subspan.base import SubspaceMethod
from subspan.datasets import make_rigid_motions
from subspan.handover import InputError
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


def wrong(model: SubspaceMethod, **faults: float) -> float:
    """Mean share of wrong tracks over three films; missing entries become the mean of their column."""
    errors = []
    for seed in range(3):
        X, y = make_rigid_motions(3, 60, 25, noise=0.003, random_state=seed, **(faults or {"gross": 0.1}))
        X = SimpleImputer().fit_transform(X)
        errors.append(1 - clustering_accuracy(y, model.fit(X).labels_))
    return float(np.mean(errors))


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_on_corrupted_tracks_errors_are_at_least_halved() -> None:
    settings = {"affine": True, "tau": 1, "alpha": 0.01, "keep": 0.9, "scale": "max", "random_state": 0}
    allowed = wrong(ElasticNetSC(3, errors=1, **settings))
    assert allowed <= wrong(ElasticNetSC(3, **settings)) / 2
    assert allowed < 0.25


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_low_rank_coefficients_with_gross_errors_do_better_still() -> None:
    weights = {"affine": True, "tau": 200, "alpha": 100, "random_state": 0}
    allowed = wrong(LRSC(3, noise="gross", gamma=0.5, **weights))
    assert allowed <= wrong(LRSC(3, noise="dense", **weights)) / 2
    # The default weights count more directions as noise, which is better here, but not as good.
    assert allowed <= wrong(LRSC(3, affine=True, random_state=0)) / 2
    assert allowed < 0.1


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_missing_entries_are_filled_and_treated_as_gross_errors() -> None:
    sparse = {"affine": True, "tau": 1, "alpha": 0.01, "keep": 0.9, "scale": "max", "random_state": 0}
    low_rank = {"affine": True, "tau": 200, "alpha": 100, "random_state": 0}
    for tolerant, plain in (
        (ElasticNetSC(3, errors=1, **sparse), ElasticNetSC(3, **sparse)),
        (LRSC(3, noise="gross", gamma=0.5, **low_rank), LRSC(3, noise="dense", **low_rank)),
    ):
        assert wrong(tolerant, missing=0.1) <= wrong(plain, missing=0.1) / 3


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_tracks_with_gaps_are_refused_or_filled() -> None:
    X, y = make_rigid_motions(3, 40, 20, missing=0.02, random_state=2)
    row, column = np.argwhere(np.isnan(X))[0]
    for method in (ElasticNetSC, LRSC, SubspaceClustering):
        with pytest.raises(InputError, match=f"the first at row {row}, column {column}"):
            method(3).fit(X)
    filled = SubspaceClustering(3, missing="mean", random_state=0).fit(X)
    assert clustering_accuracy(y, filled.labels_) > 0.9
