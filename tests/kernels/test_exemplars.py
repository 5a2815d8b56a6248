"""The search for exemplars means the same compiled and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("small_searches.py")


def run(out: Path, **environment: str) -> dict[str, np.ndarray]:
    subprocess.run([sys.executable, SCRIPT, out], env=os.environ | environment, check=True, timeout=300)
    with np.load(out) as arrays:
        return dict(arrays)


def test_compiled_equals_interpreted(tmp_path):
    compiled = run(tmp_path / "compiled.npz")
    interpreted = run(tmp_path / "interpreted.npz", NUMBA_DISABLE_JIT="1")
    assert compiled.pop("compiled")
    assert not interpreted.pop("compiled")
    assert len(compiled) == 12
    for name, one in compiled.items():
        if name.endswith("codes"):
            assert one.any(), name
            assert one == pytest.approx(interpreted[name], rel=1e-6, abs=1e-9), name
        else:
            assert np.array_equal(one, interpreted[name]), name
