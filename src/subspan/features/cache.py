"""Features on disk, found again by a checksum of what they were made from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from subspan.execution.files import whole_file
from subspan.handover import InputError

Array = NDArray[np.generic]
CachedParameter = int | float | bool | str | None

# To be raised whenever the features of the same input change.
VERSION = 1
# Bytes of the checksum that follows the array in a file. Readers of .npy stop before it.
DIGEST = 32
# Bytes of input hashed at a time.
BYTES_AT_ONCE = 2**24


def cache_folder() -> Path:
    """The folder named by SUBSPAN_CACHE, else `subspan` in the user's cache folder of the platform."""
    chosen = os.environ.get("SUBSPAN_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~\\AppData\\Local")).expanduser() / "subspan" / "cache"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/subspan").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "subspan"


def cache_key(
    array: Array,
    parameters: Mapping[str, CachedParameter],
    *,
    version: int = VERSION,
    bytes_at_once: int = BYTES_AT_ONCE,
) -> str:
    """Checksum of an array's values, shape and type, and of parameters.

    Examples
    --------
    >>> first = cache_key(np.arange(6), {"n_scales": 3})
    >>> first == cache_key(np.arange(6), {"n_scales": 3})
    True
    >>> first == cache_key(np.arange(6).reshape(2, 3), {"n_scales": 3})
    False
    """
    facts = [version, array.dtype.str, array.shape, dict(parameters)]
    digest = blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=16)
    rows = max(1, bytes_at_once // max(1, array[:1].nbytes))
    for start in range(0, len(array), rows):
        digest.update(np.ascontiguousarray(array[start : start + rows]).data)
    return digest.hexdigest()


def cached(
    name: str,
    rows: Array,
    parameters: Mapping[str, CachedParameter],
    compute: Callable[[], Iterable[Array]],
    *,
    folder: Path | None = None,
) -> Array:
    """Features of `rows`, computed the first time and read from disk from then on.

    Parameters
    ----------
    name : str
        Begins the name of the file, for those who look into the folder.
    rows : array of shape (n, ...)
        What the features are made from, row by row.
    parameters : mapping
        Whatever else decides the result.
    compute : callable
        Gives the features in blocks of rows, n rows in all; they go to disk as they come.
    folder : Path, optional
        Instead of `cache_folder()`.

    Returns
    -------
    array of shape (n, n_features)
        Mapped from the file: pages are read when they are looked at. Not to be written to.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> squares = cached("squares", np.arange(3), {}, lambda: [np.arange(3) ** 2], folder=folder)
    >>> np.asarray(squares).tolist()
    [0, 1, 4]
    """
    path = cache_path(name, rows, parameters, folder=folder)
    found = read_cached(path, len(rows))
    if found is None:
        _write(path, len(rows), compute())
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    return found


def cache_path(
    name: str, rows: Array, parameters: Mapping[str, CachedParameter], *, folder: Path | None = None
) -> Path:
    """Where `cached` keeps what belongs to these arguments."""
    return (folder or cache_folder()) / f"{name}-{cache_key(rows, parameters)}.npy"


def read_cached(path: Path, n_rows: int) -> Array | None:
    """The array in the file; None if there is none, or if it is damaged."""
    try:
        if not _is_sound(path):
            return None
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if len(array) == n_rows else None


def _is_sound(path: Path) -> bool:
    """Whether the checksum at the end belongs to what stands before it."""
    digest = blake2b(digest_size=DIGEST)
    left = path.stat().st_size - DIGEST
    with path.open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, BYTES_AT_ONCE))):
            digest.update(chunk)
            left -= len(chunk)
        return file.read() == digest.digest()


def _write(path: Path, n_rows: int, blocks: Iterable[Array]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        advice = "name a folder you may write to in SUBSPAN_CACHE"
        raise InputError(
            f"The cache folder {path.parent} cannot be made ({error.strerror}): {advice}."
        ) from error
    with whole_file(path) as file:
        _write_array(file, n_rows, blocks)


def _write_array(file: BinaryIO, n_rows: int, blocks: Iterable[Array]) -> None:
    digest = blake2b(digest_size=DIGEST)
    written = 0
    for block in blocks:
        parts = [np.ascontiguousarray(block).data]
        if written == 0:
            parts.insert(0, memoryview(_header((n_rows, *block.shape[1:]), block.dtype)))
        for part in parts:
            file.write(part)
            digest.update(part)
        written += len(block)
    assert written == n_rows, "compute gave another number of rows than went in"
    file.write(digest.digest())


def _header(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> bytes:
    """The beginning of an .npy file."""
    header = BytesIO()
    facts = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, facts)
    return header.getvalue()
