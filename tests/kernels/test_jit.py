"""Compiled code is kept, and renewed when a kernel that it contains changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from subspan.kernels import jit

INNER = """
from jit import kernel

@kernel
def inner(x):
    return x + {added}
"""
OUTER = """
from inner import inner
from jit import kernel

@kernel
def outer(x):
    return 10 * inner(x)
"""
CALL = """
import json
from outer import outer
print(json.dumps([outer(1), sum(outer.stats.cache_hits.values())]))
"""


def call(folder: Path, **environment: str) -> tuple[int, int]:
    """What `outer` gives, and how many times its code came from the disk."""
    child = subprocess.run(
        [sys.executable, "-c", CALL],
        env=os.environ | {"PYTHONPATH": str(folder)} | environment,
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    value, n_hits = json.loads(child.stdout)
    return value, n_hits


def test_code_is_kept_until_a_kernel_in_another_file_changes(tmp_path):
    shutil.copy(jit.__file__, tmp_path / "jit.py")
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(added=1))
    assert call(tmp_path) == (20, 0)
    assert call(tmp_path) == (20, 1)
    (tmp_path / "inner.py").write_text(INNER.format(added=2))
    assert call(tmp_path) == (30, 0)
    assert call(tmp_path) == (30, 1)
