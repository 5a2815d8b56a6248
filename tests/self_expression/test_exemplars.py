"""The lazy search against recomputing every cost at every step, and costs against scikit-learn's lasso."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.kernels.exemplars import add_exemplar
from subspan.self_expression.exemplars import (
    encode_by_exemplars,
    find_exemplars,
    new_search,
    point_codes,
)


def unit(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def noisy() -> np.ndarray:
    return unit(make_union_of_subspaces(4, 3, 20, 40, noise=0.3, random_state=0)[0])


# Names of data sets that differ in what makes the search hard.
DATA = {
    "noisy subspaces": noisy(),
    # More exemplars than dimensions: dependent atoms.
    "exact subspaces": unit(make_union_of_subspaces(4, 3, 20, 40, random_state=1)[0]),
    "few dimensions": unit(np.random.default_rng(2).standard_normal((150, 4))),
    "lengths differ": noisy() * np.linspace(0.2, 3.0, 160)[:, None],
    "single precision": noisy().astype(np.float32),
    # Whole groups of points have the same cost.
    "ties": np.vstack([np.eye(30), -np.eye(30), unit(np.eye(30) + np.roll(np.eye(30), 1, axis=1))]),
    "copies": np.repeat(noisy()[::4], 3, axis=0),
}


def lasso_costs(X: np.ndarray, atoms: np.ndarray, regularization: float) -> np.ndarray:
    X, atoms = X.astype(np.float64), atoms.astype(np.float64)
    model = Lasso(1 / regularization / X.shape[1], fit_intercept=False, tol=1e-12, max_iter=10**5)
    codes = model.fit(atoms.T, X.T).coef_.reshape(len(X), len(atoms))
    residuals = ((X - codes @ atoms) ** 2).sum(axis=1)
    return np.abs(codes).sum(axis=1) + regularization / 2 * residuals


def first_of_largest(costs: np.ndarray) -> int:
    """Costs that agree in ten digits are equal: the lowest index decides."""
    return int(np.flatnonzero(costs >= costs.max() * (1 - 1e-10))[0])


def plain_search(X: np.ndarray, n_exemplars: int, regularization: float, first: int) -> np.ndarray:
    """All costs anew at each step, from nothing."""
    search = new_search(X, n_exemplars, regularization)
    add_exemplar(search, first, 0)
    for n_found in range(1, n_exemplars):
        search.signs[:] = 0
        costs = point_codes(search, 0, len(X), n_found)[1]
        costs[search.exemplars[:n_found]] = -1
        add_exemplar(search, first_of_largest(costs), n_found)
    return search.exemplars


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize(("regularization", "first"), [(10.0, 0), (60.0, 5), (1000.0, 17)])
def test_lazy_search_is_the_plain_search(name, regularization, first):
    X = DATA[name]
    search = new_search(X, 40, regularization)
    n_evaluated = find_exemplars(search, first)
    assert search.exemplars.tolist() == plain_search(X, 40, regularization, first).tolist()
    assert len(set(search.exemplars.tolist())) == 40
    assert n_evaluated.sum() < 0.7 * 39 * len(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_choices_by_costs_of_scikit_learn():
    X = DATA["noisy subspaces"]
    search = new_search(X, 12, 50.0)
    find_exemplars(search, 3)
    for n_found in range(1, 12):
        costs = lasso_costs(X, X[search.exemplars[:n_found]], 50.0)
        costs[search.exemplars[:n_found]] = 0
        assert first_of_largest(costs) == search.exemplars[n_found]


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("regularization", [3.0, 15.0])
def test_costs_against_scikit_learn(name, regularization):
    X = DATA[name]
    search = new_search(X, 30, regularization)
    find_exemplars(search, 2)
    costs = point_codes(search, 0, len(X), 30)[1]
    assert costs == pytest.approx(lasso_costs(X, X[search.exemplars], regularization), rel=1e-6)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("regularization", [3.0, 60.0, 1000.0])
def test_codes_meet_the_optimality_conditions(name, regularization):
    X = DATA[name]
    search = new_search(X, 30, regularization)
    find_exemplars(search, 2)
    codes, costs = point_codes(search, 0, len(X), 30)
    atoms = X[search.exemplars].astype(np.float64)
    residuals = X - codes.astype(np.float64) @ atoms
    precision = 1e-4 if X.dtype == np.float32 else 1e-8
    value = np.abs(codes).sum(axis=1) + regularization / 2 * (residuals**2).sum(axis=1)
    assert costs == pytest.approx(value, rel=precision)
    slopes = residuals @ atoms.T
    assert np.abs(slopes).max() <= 1 / regularization + precision
    used = codes != 0
    assert slopes[used] == pytest.approx(np.sign(codes[used]) / regularization, abs=precision)


def test_costs_only_fall():
    X = DATA["noisy subspaces"]
    search = new_search(X, 30, 100.0)
    find_exemplars(search, 0)
    costs = [point_codes(new_search_with(X, search.exemplars[:n]), 0, 160, n)[1] for n in (5, 10, 20, 30)]
    assert (np.diff(costs, axis=0) <= 1e-9).all()


def new_search_with(X: np.ndarray, exemplars: np.ndarray):
    search = new_search(X, len(exemplars), 100.0)
    for n_found, point in enumerate(exemplars):
        add_exemplar(search, int(point), n_found)
    return search


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_result_does_not_depend_on_the_threads(dtype):
    X = unit(make_union_of_subspaces(5, 4, 30, 80, noise=0.2, random_state=0)[0]).astype(dtype)
    one, two = (encode_by_exemplars(X, 50, regularization=80.0, seed=4, threads=t) for t in (1, 2))
    assert one.codes.dtype == dtype
    assert np.array_equal(one.exemplars, two.exemplars)
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(one.codes, name), getattr(two.codes, name))


def test_seed_decides_the_first_exemplar():
    X = DATA["noisy subspaces"]
    firsts = {int(encode_by_exemplars(X, 2, regularization=10.0, seed=s).exemplars[0]) for s in range(10)}
    assert len(firsts) >= 8


@pytest.mark.parametrize("lengths", [1.0, 2.0])
def test_exemplars_represent_themselves(lengths):
    X = DATA["noisy subspaces"] * lengths
    found = encode_by_exemplars(X, 30, regularization=50.0)
    own = found.codes.toarray()[found.exemplars]
    assert own == pytest.approx(np.eye(30) * (1 - 1 / 50 / lengths**2))
    assert found.codes.shape == (160, 30)
    assert (found.codes.data != 0).all()


def test_every_point_an_exemplar():
    X = DATA["exact subspaces"][:40]
    found = encode_by_exemplars(X, 40, regularization=50.0)
    assert sorted(found.exemplars) == list(range(40))
    assert found.codes.nnz == 40


def test_weak_regularization_leaves_no_coefficients():
    found = encode_by_exemplars(DATA["noisy subspaces"], 10, regularization=0.5)
    assert found.codes.nnz == 0


@pytest.mark.parametrize("n_exemplars", [0, 161])
def test_impossible_numbers_are_refused(n_exemplars):
    with pytest.raises(InputError, match=f"n_exemplars={n_exemplars} must lie between 1 and .* 160"):
        encode_by_exemplars(DATA["noisy subspaces"], n_exemplars, regularization=10.0)
