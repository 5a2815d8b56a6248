"""Votes of the largest coefficients against counting by sorting, compiled and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import both_forms

from subspan.kernels.votes import count_votes

FORMS = both_forms(count_votes)
N_VOTERS = 4


def by_sorting(row: np.ndarray, labels: np.ndarray) -> int:
    """Label with the most votes of one row's largest coefficients."""
    votes = np.zeros(labels.max() + 1)
    for column in np.argsort(-np.abs(row), kind="stable")[:N_VOTERS]:
        if labels[column] >= 0:
            votes[labels[column]] += abs(row[column])
    return int(votes.argmax()) if votes.any() else -1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_largest_coefficients_vote(form, dtype):
    rng = np.random.default_rng(0)
    coefficients = rng.standard_normal((20, 12)).astype(dtype)
    labels = rng.integers(-1, 4, (3, 12)).astype(np.int32)
    # Two rows without a voter: no coefficient, and voters without a label.
    coefficients[5] = 0
    coefficients[6] = np.where(labels[0] < 0, coefficients[6], 0)
    out = np.full((3, 20), 9, np.int32)
    FORMS[form](coefficients, labels, np.zeros(N_VOTERS, np.int32), np.zeros(4), out)
    assert out.tolist() == [[by_sorting(row, member) for row in coefficients] for member in labels]
    assert (out[:, 5] == -1).all()
    assert out[0, 6] == -1
