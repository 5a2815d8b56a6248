"""Jobs as small messages: their large arrays are put beside the results, where workers find them."""

from __future__ import annotations

import io
import pickle
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from subspan.execution.files import whole_file
from subspan.sources.extras import optional_import

# Arrays of more bytes than this do not travel.
LARGE = 2**10


def packed(job: Any, folder: Path) -> bytes:
    """The job, for `unpacked`; folder is one that whoever unpacks it reaches.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> recipe = packed({"rows": np.arange(100_000)}, folder)
    >>> len(recipe) < 1000, int(unpacked(recipe, folder)["rows"][7])
    (True, 7)
    """
    # Dask arrays may have functions inside that only this one can pack.
    cloudpickle = optional_import("cloudpickle", package="Dask", extra="dask")

    class Packer(cloudpickle.Pickler):  # type: ignore[name-defined]
        def persistent_id(self, part: Any) -> str | None:
            is_large = type(part) is np.ndarray and part.nbytes > LARGE and not part.dtype.hasobject
            return _put_aside(part, folder) if is_large else None

    buffer = io.BytesIO()
    Packer(buffer).dump(job)
    return buffer.getvalue()


def unpacked(recipe: bytes, folder: Path) -> Any:
    """The job that a recipe describes. It comes from the client, whose word a worker runs anyway."""

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
    """A name that no other array has; one of the same numbers may share it."""
    return blake2b(np.ascontiguousarray(array).tobytes(), digest_size=8).hexdigest()
