"""Lengths and signs of rows do not matter where directions are clustered, for every method."""

from __future__ import annotations

import numpy as np
import pytest

from subspan import LSR, SCC, ElasticNetSC
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods import registry

X, y = make_union_of_subspaces(3, 2, 12, 16, noise=0.01, random_state=0)
METHODS = [name for name in registry.names() if name not in ("auto", "scc")]


def copies(n_copies: int) -> np.ndarray:
    """The rows, and multiples of them, some of them negative."""
    rng = np.random.default_rng(0)
    factors = rng.uniform(0.3, 3, (n_copies * len(X), 1)) * rng.choice([-1, 1], (n_copies * len(X), 1))
    return np.vstack([X, np.tile(X, (n_copies, 1)) * factors])


@pytest.mark.parametrize("name", METHODS)
def test_multiples_have_the_label_of_their_original(name):
    model = registry.get(name)(3, random_state=0, n_jobs=1).fit(copies(5))
    assert model.counts_["duplicate_rows"] == 5 * len(X)
    assert np.array_equal(model.labels_, np.tile(model.labels_[: len(X)], 6))


@pytest.mark.parametrize("method", [LSR, ElasticNetSC])
def test_opposites_have_coefficients_of_the_other_sign(method):
    both = np.vstack([X, -X])
    coefficients = method(3, random_state=0, n_jobs=1).fit(both).representation_
    C = coefficients.rows(0, len(both)) if method is LSR else coefficients.toarray()
    assert np.array_equal(C[48:], -C[:48])
    assert C[:48].any()


@pytest.mark.parametrize("scale", [1e-150, 2.0**-1000, 1e150])
def test_flats_are_found_in_any_unit(scale):
    given = {"dim": 2, "random_state": 0, "max_iter": 3, "n_jobs": 1}
    expected = SCC(3, **given).fit(X).labels_
    assert np.array_equal(SCC(3, **given).fit(X * scale).labels_, expected)


def test_numbers_below_the_normal_ones_have_labels():
    labels = SCC(3, dim=2, random_state=0, max_iter=2, n_jobs=1, normalize=False).fit(X * 1e-319).labels_
    assert set(labels) <= {0, 1, 2}


def test_flats_are_found_where_lengths_differ_without_bound():
    lengths = 10.0 ** np.random.default_rng(0).integers(-150, 150, (len(X), 1))
    labels = SCC(3, dim=2, random_state=0, max_iter=2, n_jobs=1).fit(X * lengths).labels_
    assert set(labels) <= {0, 1, 2}


@pytest.mark.parametrize("scale", [1e-160, 1e-300])
@pytest.mark.parametrize("name", [name for name in METHODS if name != "olrsc"])
def test_rows_whose_products_vanish_are_refused(name, scale):
    with pytest.raises(InputError, match=r"^X: its largest entry, .* too small for products in float64"):
        registry.get(name)(3, normalize=False, random_state=0).fit(X * scale)
