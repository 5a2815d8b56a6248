"""Buffers of a pursuit: as large as promised, each its own, rows where vectors begin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from subspan.kernels.lines import LINE_BYTES
from subspan.kernels.pursuit.state import GROUP, new_state


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("s", "n_targets", "n_candidates", "n_features"), [(1, 0, 0, 64), (7, 30, 50, 128)])
def test_room(s, n_targets, n_candidates, n_features, dtype):
    state = new_state(s, n_targets, n_candidates, n_features, np.dtype(dtype))
    assert {len(part) for part in (state.atoms, state.values, state.targets, state.forward)} == {s}
    assert state.factors.shape == (s, s)
    # Itself, all that it picks, and a refusal before each pick and after the last.
    assert len(state.blocked) == 1 + s + (s + 1)
    assert len(state.target_values) == len(state.target_bounds) == n_targets
    # A group of scores is compared in one go, and written before the list is found to be too long.
    assert len(state.candidates) > n_candidates + GROUP
    assert state.residual.dtype == state.lanes.dtype == dtype
    assert state.residual.shape == (n_features,)
    for rows in (state.residual, state.lanes):
        assert rows.ctypes.data % LINE_BYTES == 0
    assert not any(np.shares_memory(one, other) for one, other in combinations(state, 2))
    assert not any(part.any() for part in state)
