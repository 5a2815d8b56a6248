"""Jobs as small messages. Their large arrays are written beside the results, where workers read them."""

from __future__ import annotations

import io
import pickle
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from subspan.execution.files import whole_file
from subspan.extras import optional_import

# Arrays of more bytes than this are not part of the message.
LARGE_ARRAY = 2**10


def packed(job: Any, folder: Path) -> bytes:
    """The job as bytes for `unpacked`; all workers must reach the folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> recipe = packed({"rows": np.arange(100_000)}, folder)
    >>> len(recipe) < 1000, int(unpacked(recipe, folder)["rows"][7])
    (True, 7)
    """
    # Dask arrays may contain functions that pickle cannot pack.
    cloudpickle = optional_import("cloudpickle", package="Dask", extra="dask")

    class Packer(cloudpickle.Pickler):  # type: ignore[name-defined]
        def persistent_id(self, part: Any) -> str | None:
            is_large = type(part) is np.ndarray and part.nbytes > LARGE_ARRAY and not part.dtype.hasobject
            return _put_aside(part, folder) if is_large else None

    buffer = io.BytesIO()
    Packer(buffer).dump(job)
    return buffer.getvalue()


def unpacked(recipe: bytes, folder: Path) -> Any:
    """The job that a recipe describes. Unpickling is safe here: workers run code of the client anyway."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, key: str) -> np.ndarray:
            return _fetched(key, folder)

    return Unpacker(io.BytesIO(recipe)).load()


def _put_aside(array: np.ndarray, folder: Path) -> str:
    key = _key(array)
    with whole_file(_path(folder, key)) as file:
        np.save(file, array)
    return key


def _fetched(key: str, folder: Path) -> np.ndarray:
    path = _path(folder, key)
    array: np.ndarray = np.load(path, allow_pickle=False)
    if _key(array) != key:
        raise OSError(f"work_dir: {path} was damaged while the job was running.")
    return array


def _path(folder: Path, key: str) -> Path:
    return folder / f"array-{key}.npy"


def _key(array: np.ndarray) -> str:
    """A name of the array: the digest of its bytes, type and shape."""
    digest = blake2b(np.ascontiguousarray(array).tobytes(), digest_size=8)
    # Zeros of two types have the same bytes.
    digest.update(f"{array.dtype.str}{array.shape}".encode())
    return digest.hexdigest()
