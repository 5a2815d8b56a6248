"""Every kernel means the same compiled and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("small_problems.py")
RELATIVE = {"float32": 1e-6, "float64": 1e-12}


def run(out: Path, **environment: str) -> dict[str, np.ndarray]:
    subprocess.run([sys.executable, SCRIPT, out], env=os.environ | environment, check=True, timeout=300)
    with np.load(out) as arrays:
        return dict(arrays)


def test_compiled_equals_interpreted(tmp_path):
    compiled = run(tmp_path / "compiled.npz")
    interpreted = run(tmp_path / "interpreted.npz", NUMBA_DISABLE_JIT="1")
    assert compiled.pop("compiled")
    assert not interpreted.pop("compiled")
    assert compiled.keys() == interpreted.keys()
    assert len(compiled) == 34
    for name, one in compiled.items():
        other = interpreted[name]
        assert np.array_equal(one != 0, other != 0), name
        # Counts of refused atoms also depend on the rounding of correlations that are zero.
        if name.endswith("C"):
            assert one.any(), name
            assert one == pytest.approx(other, rel=RELATIVE[name.split()[0]]), name
    # Twins and dependent atoms have been met, so that their branches have been compared.
    dependent, twins = np.sum([compiled[name] for name in compiled if name.endswith("counts")], axis=0)[1:]
    assert dependent > 0
    assert twins > 0
