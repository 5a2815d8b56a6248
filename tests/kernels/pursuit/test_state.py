"""Buffers of a pursuit: as large as promised, each its own, rows where vectors begin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from subspan.kernels.lines import LINE_BYTES
from subspan.kernels.pursuit.state import new_scratch, new_states


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("s", "n_targets", "n_features"), [(1, 0, 64), (7, 30, 128)])
def test_room_of_states(s, n_targets, n_features, dtype):
    states = new_states(3, s, n_targets, n_features, np.dtype(dtype))
    assert {part.shape for part in (states.atoms, states.values, states.targets, states.forward)} == {(3, s)}
    assert states.factors.shape == (3, s, s)
    # Itself, all that it picks, and a refusal before each pick and after the last.
    assert states.blocked.shape == (3, 1 + s + (s + 1))
    assert states.target_values.shape == states.target_free.shape == (3, n_targets)
    assert states.residual.dtype == states.lanes.dtype == dtype
    assert states.residual.shape == (3, n_features)
    for rows in (*states.residual, *states.lanes):
        assert rows.ctypes.data % LINE_BYTES == 0
    assert not any(np.shares_memory(one, other) for one, other in combinations(states, 2))
    assert not any(part.any() for part in states)


@pytest.mark.parametrize("n_together", [0, 1, 128])
@pytest.mark.parametrize("n_atoms", [1, 64, 1000])
def test_room_for_looks(n_atoms, n_together):
    scratch = new_scratch(5, 30, n_atoms, 9, n_together)
    # The list of candidates is written one place beyond its end before that is known.
    assert len(scratch.candidates) > n_atoms
    assert len(scratch.scores) == 2 * len(scratch.query_words) >= n_atoms
    # The query and its atoms, in whole passes.
    assert len(scratch.rows) == len(scratch.amounts) == len(scratch.factors) == 8
    # Only where residuals are looked at do their buffers take memory.
    assert scratch.products.shape == (n_together, len(scratch.product_scores))
    assert (scratch.panels.size > 0) == (scratch.strips.size > 0) == (n_together > 0)
    assert not any(np.shares_memory(one, other) for one, other in combinations(scratch, 2))
