"""Cheap evidence that data are the same as before.

A fingerprint is made of named parts, so that two of them show what differs. It has the shape, the type, a
hash of some rows, and for files their size and the time they were last written; not the path, because the
same file may be seen from elsewhere.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from subspan.sources.base import Source

# Rows that are hashed: runs of neighbours, because many formats decode neighbours together.
N_RUNS = 8
RUN = 8


def fingerprint(source: Source, stamp: str = "") -> str:
    """Shape, type and a hash of 64 rows, with the stamp of the file they came from.

    Examples
    --------
    >>> from subspan.sources import ArraySource
    >>> ArraySource(np.eye(3, dtype="float32")).fingerprint()
    'shape=3x3 dtype=float32 rows=00bdef7267bd84d9'
    """
    n_rows, n_columns = source.shape
    rows = blake2b(source.take(_sample(n_rows)).tobytes(), digest_size=8).hexdigest()
    return f"shape={n_rows}x{n_columns} dtype={source.dtype} rows={rows} {stamp}".rstrip()


def _sample(n_rows: int) -> NDArray[np.int64]:
    if n_rows <= N_RUNS * RUN:
        return np.arange(n_rows)
    starts = np.linspace(0, n_rows - RUN, N_RUNS).astype(np.int64)
    # Runs overlap where there are hardly more rows than are taken.
    return np.unique(starts[:, None] + np.arange(RUN))


def stored_bytes(path: Path) -> int:
    """Size of a file, or of all files below a folder."""
    return sum(stat.st_size for stat in _stats(path))


def file_stamp(path: Path) -> str:
    """Size of a file and when it was last written; of a folder, sum and latest over its files."""
    written = max((stat.st_mtime_ns for stat in _stats(path)), default=0)
    return f"bytes={stored_bytes(path)} written={written}"


def _stats(path: Path) -> list[os.stat_result]:
    files = [path] if path.is_file() else [entry for entry in path.rglob("*") if entry.is_file()]
    return [file.stat() for file in files]
