"""Compile the kernels for one type of numbers, once for all tests: compile_kernels.py float32.

Compiled code is kept on disk. Tests run in several processes; without this each of them would compile the
same kernels at the same time.
"""

from __future__ import annotations

import sys
import warnings

from subspan.datasets import make_union_of_subspaces
from subspan.methods import registry


def main(dtype: str) -> None:
    """Fit every method to a little data."""
    warnings.simplefilter("ignore")
    X, _ = make_union_of_subspaces(3, 2, 6, 20, random_state=0, dtype=dtype)
    for name in registry.PLACES:
        registry.get(name)(n_clusters=3, random_state=0).fit(X)


if __name__ == "__main__":
    main(sys.argv[1])
