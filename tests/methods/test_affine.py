"""`affine=True`: flats off the origin, by a constant beside the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from subspan import ESC, LRSC, LSR, S3COMP, S3COMPC, SRSSC, SSCOMP, ElasticNetSC
from subspan.base import SubspaceMethod
from subspan.handover import InputError
from subspan.metrics import clustering_accuracy
from subspan.sources import ArraySource, lifted

pytestmark = pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")

METHODS: dict[str, tuple[type[SubspaceMethod], dict[str, Any]]] = {
    "S3COMP": (S3COMP, {"damping": 0.1, "dropout": 0.8}),
    "S3COMP-C": (S3COMPC, {"damping": 0.1, "dropout": 0.8}),
    "SSC-OMP": (SSCOMP, {"n_nonzero": 3}),
    "EnSC": (ElasticNetSC, {}),
    "LSR": (LSR, {}),
    "LSR, sparse": (LSR, {"n_neighbors": 8, "scale": "l2"}),
    "LRSC": (LRSC, {}),
    "ESC": (ESC, {}),
    "SR-SSC": (SRSSC, {}),
}
each_method = pytest.mark.parametrize("name", METHODS)


def made(name: str, **more: Any) -> SubspaceMethod:
    method, settings = METHODS[name]
    return method(2, affine=True, n_init=3, random_state=0, **settings, **more)


@pytest.fixture(scope="module")
def pair() -> tuple[np.ndarray, np.ndarray]:
    """Two parallel planes in three dimensions: each of them spans everything."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (80, 3))
    X[:, 2] = np.repeat([1.0, 3.0], 40)
    return X, np.repeat([0, 1], 40)


@each_method
def test_origin_and_unit_do_not_matter(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = pair
    here, there = (made(name).fit(data).labels_ for data in (X, 4 * X + 64))
    np.testing.assert_array_equal(here, there)


@each_method
def test_a_zero_row_is_a_point(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = pair
    moved = X - X[0]
    model = made(name).fit(moved)
    assert model.labels_.min() == 0
    assert model.counts_["zero_rows"] == 0


def lifted_rows(X: np.ndarray, constant: float = 1.0) -> np.ndarray:
    return lifted(ArraySource(X), constant).rows(0, len(X))


@pytest.mark.parametrize("tau", [1.0, 0.8])
def test_elastic_net_is_the_convex_problem_with_a_penalty_on_the_sum(tau: float) -> None:
    X = np.random.default_rng(4).standard_normal((12, 3)) + 5
    alpha = 0.05
    C = ElasticNetSC(2, affine=True, tau=tau, alpha=alpha, random_state=0).fit(X).representation_.toarray()
    centred = X - X.mean(axis=0)
    centred /= np.sqrt((centred**2).sum(axis=1).mean())

    def cost(c: np.ndarray, j: int) -> float:
        misfit = ((centred[j] - c @ centred) ** 2).sum() + (1 - c.sum()) ** 2
        return misfit / 2 + tau * alpha * np.abs(c).sum() + (1 - tau) * alpha / 2 * (c**2).sum()

    for j in range(3):
        others = np.delete(np.arange(12), j)

        def split(parts: np.ndarray, j: int = j, others: np.ndarray = others) -> float:
            c = np.zeros(12)
            c[others] = parts[:11] - parts[11:]
            # The l1 norm of the two parts is smooth where both are positive.
            return cost(c, j) + tau * alpha * (parts.sum() - np.abs(c).sum())

        start = np.full(22, 0.1)
        found = minimize(split, start, bounds=[(0, None)] * 22, options={"maxfun": 10**5, "ftol": 1e-15})
        assert cost(C[j], j) <= found.fun + 1e-9
        assert C[j, j] == 0


def test_ridge_sums_to_one_up_to_the_penalty() -> None:
    X = np.random.default_rng(5).standard_normal((40, 6)) + 20
    rows = lifted_rows(X)
    weight = 1e-6
    found = LSR(2, affine=True, regularization=weight, zero_diagonal=False, random_state=0).fit(X)
    gram = rows @ rows.T
    full = np.linalg.solve(gram + weight * np.eye(40), gram)
    np.testing.assert_allclose(full.sum(axis=1), 1, atol=1e-6)
    off = full - np.diag(np.diag(full))
    np.testing.assert_allclose(found.representation_.rows(0, 40), off, atol=1e-8)


def test_the_constant_of_the_ridge_does_not_matter() -> None:
    # About the mean the constant is at a right angle to everything else: it adds 1/n to each coefficient.
    X = np.random.default_rng(6).standard_normal((30, 4))
    hats = []
    for constant in (1.0, 50.0):
        gram = lifted_rows(X, constant) @ lifted_rows(X, constant).T
        hats.append(np.linalg.solve(gram + 1e-3 * np.eye(30), gram))
    np.testing.assert_allclose(hats[0], hats[1], atol=1e-5)


def test_a_pursuit_starts_at_the_nearest_point(pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = pair
    C = SSCOMP(2, affine=True, n_nonzero=1, random_state=0).fit(X).representation_.toarray()
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    chosen = np.abs(C).argmax(axis=1)
    np.testing.assert_array_equal(chosen, distances.argmin(axis=1))
    np.testing.assert_allclose(C.sum(axis=1), 1, atol=1e-12)


def test_keep_is_a_share() -> None:
    with pytest.raises(InputError, match="keep must be a number above 0 and at most 1; got 0"):
        LSR(2, keep=0).fit(np.eye(3))


def test_linear_spans_are_everything_but_flats_are_found(pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = pair
    accuracies = [
        clustering_accuracy(y, LSR(2, affine=affine, random_state=0).fit(X).labels_)
        for affine in (True, False)
    ]
    assert accuracies[0] == 1
    assert accuracies[1] < 0.9


@pytest.mark.parametrize("name", ["LSR", "SSC-OMP", "ESC", "SR-SSC"])
def test_new_rows_go_to_their_flats(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = pair
    fitted = made(name).fit(X[::2])
    new = X[1::2]
    np.testing.assert_array_equal(fitted.predict(new, rule="subspace"), y[1::2])
    # The flats are those of the rows as they were before they had a constant.
    for number in (0, 1):
        mean = X[::2][fitted.labels_ == number].mean(axis=0)
        np.testing.assert_allclose(fitted.subspaces_[number].mean, mean, atol=1e-9)


@pytest.mark.parametrize("name", ["ESC", "SR-SSC"])
def test_rows_of_unit_norm_are_subspaces_still(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = pair
    source = lifted(ArraySource(X), 2.0, unit=True)
    rows = source.rows(0, len(X))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.linalg.matrix_rank(rows[y == 0], tol=1e-9) == 3
    model = made(name).fit(X).model_
    np.testing.assert_array_equal(model.atoms, rows[model.atom_points])


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("SSC-OMP", {"n_nonzero": 4}),
        ("LSR", {}),
        ("LSR, sparse", {}),
        ("LRSC", {}),
        ("ESC", {"n_exemplars": 30, "n_neighbors": 5}),
    ],
)
def test_parallel_flats_are_told_apart(name: str, more: dict[str, int], dimension: int) -> None:
    # The corners of a triangle apart; docs/results/flats.md has all methods, and more seeds.
    rng = np.random.default_rng(dimension)
    X = np.zeros((180, dimension + 2))
    X[:, :dimension] = rng.uniform(-1, 1, (180, dimension))
    y = np.repeat([0, 1, 2], 60)
    X[:, dimension:] = np.array([[1, 0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])[y] + 3
    method, settings = METHODS[name]
    model = method(3, affine=True, random_state=0, **{**settings, **more})
    assert clustering_accuracy(y, model.fit(X).labels_) >= 0.98
