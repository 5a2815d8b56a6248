"""Unions of subspaces are told from noise, blobs and moons, on 20 seeds each."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from subspan.datasets import make_union_of_subspaces
from subspan.diagnosis.plausibility import plausibility

SEEDS = range(20)
UNIONS = {
    "3 in 20": lambda seed: make_union_of_subspaces(4, 3, 20, 50, random_state=seed)[0],
    "3 in 20, noise": lambda seed: make_union_of_subspaces(4, 3, 20, 50, noise=0.3, random_state=seed)[0],
    "2 in 5": lambda seed: make_union_of_subspaces(3, 2, 5, 60, noise=0.03, random_state=seed)[0],
}
OTHERS = {
    "noise in 5": lambda seed: np.random.default_rng(seed).standard_normal((300, 5)),
    "noise in 20": lambda seed: np.random.default_rng(seed).standard_normal((300, 20)),
    "blobs in 2": lambda seed: make_blobs(300, 2, centers=3, random_state=seed)[0],
    "blobs in 3": lambda seed: make_blobs(300, 3, centers=3, random_state=seed)[0],
    "blobs in 10": lambda seed: make_blobs(300, 10, centers=4, random_state=seed)[0],
    "moons": lambda seed: make_moons(300, noise=0.05, random_state=seed)[0],
}


@pytest.mark.parametrize("name", UNIONS)
def test_unions_of_subspaces_are_plausible(name):
    assert [plausibility(UNIONS[name](seed)).structure for seed in SEEDS] == ["subspaces"] * 20


@pytest.mark.parametrize("name", OTHERS)
def test_other_shapes_are_not(name):
    found = {plausibility(np.asarray(OTHERS[name](seed), float)).structure for seed in SEEDS}
    assert "subspaces" not in found
    assert found == {"none"} if "noise" in name or name == "moons" else found <= {"none", "compact groups"}


def test_residuals_are_those_of_a_pursuit_that_can_be_followed():
    from subspan.diagnosis.plausibility import _residuals

    units = np.random.default_rng(0).standard_normal((12, 4))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    left = []
    for i, point in enumerate(units):
        others = np.delete(units, i, axis=0)
        first = np.abs(others @ point).argmax()
        left.append(np.sqrt(1 - (others[first] @ point) ** 2))
    assert _residuals(units, 1)[0] == pytest.approx(np.median(left), abs=1e-6)
