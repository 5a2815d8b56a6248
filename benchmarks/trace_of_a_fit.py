"""How often a fit changes between files: what a reader who follows one call has to open.

    python -m benchmarks.trace_of_a_fit

Every function of the package counts when it is called for the first time, in the order of these calls.
Kernels run uncompiled, so that they count too. The data are 90 points on three planes.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

# Read by numba when it is imported.
os.environ["NUMBA_DISABLE_JIT"] = "1"

import subspan
from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces

Visit = tuple[str, str]


def first_visits(n_per_plane: int = 30) -> list[Visit]:
    """File and name of every function that a fit calls, in the order of the first calls."""
    root = Path(subspan.__file__).parent
    X, _ = make_union_of_subspaces(3, 2, 8, n_per_plane, random_state=0)
    # A small fit before: what happens at the first import is no part of a fit.
    S3COMPC(n_clusters=10, n_subproblems=1, max_iter=1).fit(X)
    seen: set[CodeType] = set()
    visits: list[Visit] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code not in seen and code.co_filename.startswith(str(root)):
            seen.add(code)
            visits.append((str(Path(code.co_filename).relative_to(root)), code.co_name))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        S3COMPC(n_clusters=10).fit(X)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return visits


def main() -> None:
    """Print the numbers, then the files in the order of the visits."""
    visits = first_visits()
    switches = sum(before[0] != after[0] for before, after in pairwise(visits))
    print(f"{len({file for file, _ in visits})} files, {switches} switches, {len(visits)} functions")
    last = ""
    for file, name in visits:
        print(f" {name}" if file == last else f"\n{file}: {name}", end="")
        last = file
    print()


if __name__ == "__main__":
    main()
