"""Residuals of classes against the sums as they are written, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import plain

from subspan.kernels import class_residuals as module
from subspan.kernels.class_residuals import class_residuals, group_energies

GENERATOR = np.random.default_rng(0)
ROWS, ATOMS = GENERATOR.standard_normal((5, 7)), GENERATOR.standard_normal((9, 7))
CLASSES = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
PICKS = np.array([GENERATOR.choice(9, 4, replace=False) for _ in ROWS], np.int32)
VALUES = GENERATOR.standard_normal((5, 4))
COUNTS = np.array([4, 3, 0, 1, 4])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_residuals_are_those_of_dense_codes(dtype, compiled, monkeypatch):
    rows, atoms = ROWS.astype(dtype), ATOMS.astype(dtype)
    out = np.full((5, 4), np.nan)
    if not compiled:
        monkeypatch.setattr(module, "remaining", plain(module.remaining))
    kernel = class_residuals if compiled else plain(class_residuals)
    kernel(rows, atoms, CLASSES, PICKS, VALUES, COUNTS, np.empty(7), out)
    for i, row in enumerate(rows.astype(np.float64)):
        code = np.zeros(9)
        code[PICKS[i, : COUNTS[i]]] = VALUES[i, : COUNTS[i]]
        of_classes = [((row - (code * (c == CLASSES)) @ atoms) ** 2).sum() for c in range(3)]
        np.testing.assert_allclose(out[i], [*of_classes, ((row - code @ atoms) ** 2).sum()], rtol=1e-10)


@pytest.mark.parametrize("kernel", [group_energies, plain(group_energies)])
def test_energies_are_sums_of_squares_of_groups(kernel):
    out = np.empty((5, 2))
    kernel(ROWS, np.array([0, 3, 7]), out)
    np.testing.assert_allclose(out, np.stack([(ROWS[:, :3] ** 2).sum(1), (ROWS[:, 3:] ** 2).sum(1)], 1))
