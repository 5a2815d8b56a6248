"""What all ways to an embedding share: exact eigenvectors, the dimension, signs, refusals and evidence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh

from subspan.embedding.eigen import Eigenpairs
from subspan.embedding.shared import (
    certificate,
    check_counts,
    gap_dimension,
    indicator_vectors,
    positive_peaks,
)
from subspan.handover import InputError


def test_indicators_are_the_eigenvectors_of_eigenvalue_one():
    rng = np.random.default_rng(0)
    W = block_diag(*(rng.random((size, size)) for size in (5, 3, 4)))
    W += W.T
    order = rng.permutation(12)
    W, components = W[np.ix_(order, order)], np.repeat([0, 1, 2], [5, 3, 4])[order]
    roots = np.sqrt(W.sum(axis=0))
    found = indicator_vectors(components, roots)
    assert found.T @ found == pytest.approx(np.eye(3), abs=1e-14)
    normalised = W / np.outer(roots, roots)
    assert normalised @ found == pytest.approx(found, abs=1e-14)
    values, vectors = eigh(normalised)
    assert (values > 1 - 1e-12).sum() == 3
    assert found @ found.T == pytest.approx(vectors[:, -3:] @ vectors[:, -3:].T, abs=1e-12)


def test_signs_do_not_depend_on_the_solver():
    vectors = np.random.default_rng(0).standard_normal((20, 6))
    signs = np.array([1, -1, 1, -1, -1, 1])
    one, other = positive_peaks(vectors), positive_peaks(vectors * signs)
    assert np.array_equal(one, other)
    assert np.array_equal(np.abs(one), np.abs(vectors))
    assert np.array_equal(one.max(axis=0), np.abs(vectors).max(axis=0))
    # The first of equals decides.
    assert positive_peaks(np.array([[-2.0], [2.0]])).ravel().tolist() == [2.0, -2.0]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((10, 0, None), "n_clusters=0: must be at least 1"),
        ((10, 11, None), "n_clusters=11, but the graph links only 10 points"),
        ((10, 2, 0), "n_components=0: must be between 1 and 10"),
        ((10, 2, 11), "n_components=11: must be between 1 and 10"),
    ],
)
def test_counts_that_are_refused(counts, message):
    with pytest.raises(InputError, match=message):
        check_counts(*counts)


@pytest.mark.parametrize("n_components", [None, "auto", 1, 10])
def test_counts_at_the_limit(n_components):
    check_counts(10, 10, n_components)


@pytest.mark.parametrize(
    ("eigenvalues", "n_clusters", "expected"),
    [
        ([1.0, 1.0, 1.0, 0.4, 0.3, 0.2, 0.1], 3, 3),
        ([1.0, 0.9, 0.89, 0.88, 0.5, 0.4], 3, 4),
        # A larger gap before n_clusters does not count.
        ([1.0, 0.5, 0.49, 0.48, 0.4, 0.39, 0.38], 3, 4),
        # Beyond 2 n_clusters, or n_clusters + 10, gaps do not count either.
        ([1.0, 0.9, 0.89, 0.88, 0.87, 0.1], 2, 2),
        ([*np.linspace(1.0, 0.98, 30).tolist(), 0.1], 12, 12),
        ([*np.linspace(1.0, 0.98, 22).tolist(), 0.1], 12, 22),
        # The first of equal gaps.
        ([1.0, 0.75, 0.5, 0.25, 0.0], 2, 2),
        # No value behind the last one: nothing to choose from.
        ([1.0, 0.5], 2, 2),
    ],
)
def test_the_dimension_stands_before_the_largest_gap(eigenvalues, n_clusters, expected):
    assert gap_dimension(np.array(eigenvalues), n_clusters) == expected


def pairs(n_wanted: int, converged: bool = True) -> Eigenpairs:
    values, residuals = np.array([0.9, 0.8, 0.5]), np.array([1e-9, 1e-7, 0.3])
    return Eigenpairs(n_wanted, values, np.eye(5)[:, :3], residuals, converged, -0.2, 7, gap=0.3)


def test_a_certificate_is_as_good_as_its_worst_vector():
    # Guards beyond those wanted do not count.
    assert certificate(pairs(2), 1e-12, 1e-6).residual == 1e-7
    assert certificate(pairs(2), 1e-6, 1e-6).residual == 1e-6
    assert certificate(pairs(2), 1e-6, 1e-6).converged
    assert not certificate(pairs(2), 1.1e-6, 1e-6).converged
    assert not certificate(pairs(2, converged=False), 0.0, 1e-6).converged


def test_with_exact_vectors_only_the_search_was_the_probe():
    found = certificate(pairs(0), 1e-12, 1e-6)
    assert found.probe_excess == pytest.approx(0.9 - 1)
    assert certificate(pairs(1), 1e-12, 1e-6).probe_excess == -0.2
    # One product more than the search took showed the drift.
    assert found.n_products == 8
