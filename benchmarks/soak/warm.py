"""Imported by the process that all others come from, so that each of them finds the kernels loaded."""

from __future__ import annotations

import numpy as np

from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.sources import ArraySource

represent(
    ArraySource(np.random.default_rng(0).standard_normal((300, 30)).astype(np.float32)),
    sample_dictionaries(300, 3, n_nonzero=3, dropout=0.5, size=50),
    ConsensusSettings(n_nonzero=3, damping=0.5, max_iter=3),
    budget=10**9,
    kept="dictionaries",
)
