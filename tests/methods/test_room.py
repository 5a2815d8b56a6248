"""The memory budget of methods that do not go block by block: kept, or refused with one that would do."""

from __future__ import annotations

import gc
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from subspan.datasets import make_union_of_subspaces
from subspan.execution.memory import parse_bytes
from subspan.handover import InputError
from subspan.methods import registry

METHODS: list[tuple[str, dict[str, Any]]] = [
    ("lsr", {}),
    ("lsr", {"n_neighbors": 8}),
    ("lsr", {"affine": True}),
    ("lrsc", {}),
    ("lrsc", {"noise": "gross"}),
    ("scc", {"dim": 2, "n_init": 2}),
    ("scc", {"dim": 2, "n_columns": 900, "n_init": 2}),
    ("olrsc", {"n_epochs": 1}),
    ("olrsc", {"clustering": "codes", "n_basis": 60, "n_epochs": 1}),
    ("sr-ssc", {"n_layers": 2}),
    ("esc", {}),
    ("ensc", {}),
    ("ensc", {"errors": 0.5, "n_nonzero": 5}),
    ("ensc", {"n_components": "auto"}),
]
SHAPES = [(1500, 20, np.float32), (1500, 20, np.float64), (800, 150, np.float64)]
# A number and its indices, in a few copies and forms: what is said to come on top.
BYTES_OF_AN_ENTRY = 100
# Budgets are named in steps of 10 MB, and have room for a small dense eigenproblem, needed or not.
SPARE = 3 * 10**7


def entries(fitted: Any) -> int:
    """Entries of all sparse matrices of a fit."""
    found = [fitted.affinity_, getattr(fitted, "representation_", None), *getattr(fitted, "layers_", [])]
    return sum(getattr(matrix, "nnz", 0) for matrix in found)


@pytest.mark.parametrize(("n", "n_features", "dtype"), SHAPES)
@pytest.mark.parametrize(("name", "parameters"), METHODS)
def test_the_smallest_budget_is_kept(name, parameters, n, n_features, dtype):
    X, _ = make_union_of_subspaces(4, 3, n_features, n // 4, noise=0.05, random_state=0, dtype=dtype)
    model = registry.get(name)(4, random_state=0, n_jobs=1, memory_budget=1000, **parameters)
    with pytest.raises(InputError, match=r"^memory_budget: 0 MB is too little; .* would do; ") as refusal:
        model.fit(X)
    assert not hasattr(model, "labels_")
    named = re.search(r"little; (.*) would do", str(refusal.value))
    assert named is not None
    budget = parse_bytes(named[1])
    gc.collect()
    tracemalloc.start()
    try:
        model.set_params(memory_budget=budget).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= budget + BYTES_OF_AN_ENTRY * entries(model)
    # And it is no more than what such a fit takes, as far as such small ones tell.
    assert budget <= 2 * peak + SPARE
