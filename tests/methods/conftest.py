"""Where the paper's data sets are, for the tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

# Beside the repository unless the environment names another folder.
DATA = Path(os.environ.get("SUBSPAN_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


@pytest.fixture(scope="session")
def extended_yale_b() -> tuple[np.ndarray, np.ndarray]:
    """Images in rows and the person on each of them."""
    path = DATA / "extended_yale_b.npz"
    if not path.exists():
        pytest.skip(f"no {path.name} in {path.parent}; set SUBSPAN_DATA to the folder that holds it")
    with np.load(path) as arrays:
        return arrays["X"], arrays["y"]
