"""The elastic net and the search for neighbours mean the same compiled and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("small_nets.py")


def run(out: Path, **environment: str) -> dict[str, np.ndarray]:
    subprocess.run([sys.executable, SCRIPT, out], env=os.environ | environment, check=True, timeout=300)
    with np.load(out) as arrays:
        return dict(arrays)


def test_compiled_equals_interpreted(tmp_path):
    compiled = run(tmp_path / "compiled.npz")
    interpreted = run(tmp_path / "interpreted.npz", NUMBA_DISABLE_JIT="1")
    assert compiled.pop("compiled")
    assert not interpreted.pop("compiled")
    assert len(compiled) == 32
    for name, one in compiled.items():
        assert one.any(), name
        if name.endswith("coefficients"):
            # The weight of an atom and of its copy may be shared out in any way, but both do alike.
            assert one == pytest.approx(interpreted[name], rel=1e-4, abs=1e-6), name
        elif name.startswith("float64"):
            assert np.array_equal(one, interpreted[name]), name
