"""The kernels of the online basis mean the same compiled and as plain Python; the inverse is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from subspan.kernels.online_low_rank import invert_in_place

SCRIPT = Path(__file__).with_name("small_streams.py")


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
    for name, one in compiled.items():
        assert one.any(), name
        assert one == pytest.approx(interpreted[name], rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("size", [1, 5, 60])
def test_inverse(size):
    half = np.random.default_rng(size).standard_normal((size, size // 2 + 1))
    matrix = half @ half.T
    inverse = matrix.copy()
    invert_in_place(inverse, 0.5)
    np.testing.assert_allclose(inverse @ (matrix + 0.5 * np.eye(size)), np.eye(size), atol=1e-10)
