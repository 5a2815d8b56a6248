"""Pursuits from an anchor, compiled and as plain Python, by what defines them."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms

from subspan.kernels.anchored import AnchoredScratch, anchored_pursuits
from subspan.kernels.pursuit.state import DEPENDENT, TWINS, Picks

FORMS = both_forms(anchored_pursuits)
EPS = float(np.finfo(np.float64).eps)


def run(form: str, X: np.ndarray, most: int, tol: float = 0.0) -> tuple[np.ndarray, np.ndarray, Picks]:
    """Coefficients as a matrix, events and picks of all rows."""
    n, n_features = X.shape
    scratch = AnchoredScratch(
        *np.full((2, n), np.nan), np.zeros(n, np.bool_), np.full(n_features, np.nan),
        np.full((most, most), np.nan), *np.full((2, most), np.nan),
    )  # fmt: skip
    picks = Picks(np.full((n, most), -1, np.int32), np.full((n, most), np.nan), np.full(n, -1, np.int32))
    events = np.zeros(2, np.int64)
    FORMS[form](np.ascontiguousarray(X.T), np.arange(n), tol**2, EPS, scratch, picks, events)
    dense = np.zeros((n, n))
    for j, count in enumerate(picks.counts):
        dense[j, picks.atoms[j, :count]] = picks.values[j, :count]
    return dense, events, picks


def plane(seed: int = 0, n: int = 12) -> np.ndarray:
    """Points of a plane off the origin in five dimensions."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)) @ rng.standard_normal((2, 5)) + rng.standard_normal(5)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_three_points_span_a_plane_wherever_it_is(form, seed):
    X = plane(seed)
    dense, events, picks = run(form, X, 4)
    assert dense.sum(axis=1) == pytest.approx(1)
    assert dense @ X == pytest.approx(X, abs=1e-9)
    assert not np.diag(dense).any()
    assert (picks.counts == 3).all()
    assert not events.any()


@pytest.mark.parametrize("form", FORMS)
def test_the_anchor_is_the_nearest_point_and_alone_it_has_all_the_weight(form):
    X = np.random.default_rng(1).standard_normal((15, 4))
    distances = np.linalg.norm(X[:, None] - X, axis=2) + np.diag(np.full(15, np.inf))
    dense, _, picks = run(form, X, 1)
    assert picks.atoms[:, 0].tolist() == distances.argmin(axis=1).tolist()
    assert np.array_equal(dense, np.eye(15)[picks.atoms[:, 0]])


@pytest.mark.parametrize("form", FORMS)
def test_the_residual_is_at_right_angles_to_what_was_picked(form):
    X = np.random.default_rng(2).standard_normal((15, 6))
    dense, _, picks = run(form, X, 4)
    for j in range(15):
        differences = X[picks.atoms[j, 1 : picks.counts[j]]] - X[picks.atoms[j, 0]]
        assert differences @ (X[j] - dense[j] @ X) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_moving_and_stretching_all_points_changes_nothing(form):
    X = np.random.default_rng(3).standard_normal((15, 4))
    dense, _, _ = run(form, X, 3)
    moved, _, _ = run(form, 4.0 * X + np.arange(4.0), 3)
    assert moved == pytest.approx(dense, abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_a_pursuit_ends_at_the_tolerance(form):
    X = np.array([[0.0, 0], [1, 0], [1, 0.5], [9, 9]])
    _, _, near = run(form, X, 3, tol=1.01)
    _, _, far = run(form, X, 3, tol=0.99)
    assert (near.counts[0], far.counts[0]) == (1, 2)


@pytest.mark.parametrize("form", FORMS)
def test_copies_are_no_anchors_and_are_counted(form):
    X = plane()
    X[3] = X[7]
    dense, events, _ = run(form, X, 3)
    assert dense[3, 7] == dense[7, 3] == 0
    assert events[TWINS] == 2
    nothing, events, picks = run(form, np.ones((3, 2)), 3)
    assert not picks.counts.any()
    assert not nothing.any()
    assert events[TWINS] == 6


@pytest.mark.parametrize("form", FORMS)
def test_differences_that_depend_on_others_are_refused(form):
    """On a line seen from beside it, every second difference depends on the first."""
    X = np.array([[0.0, 1.0, 0.0], *([float(x), 0.0, 0.0] for x in range(-4, 5, 2))])
    dense, events, picks = run(form, X, 4)
    assert events[DEPENDENT] > 0
    assert np.isfinite(dense).all()
    assert dense.sum(axis=1) == pytest.approx(1)
    assert (picks.counts >= 1).all()
