"""Rows of a Zarr array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.extras import optional_import
from subspan.handover import InputError
from subspan.sources.choosing import choose_array
from subspan.sources.chunked import ChunkedSource, even_bounds
from subspan.sources.faults import check_chunks, check_claim, check_table, reading
from subspan.sources.identity import stored_bytes


class ZarrSource(ChunkedSource):
    """A two-dimensional Zarr array, read chunk by chunk.

    Parameters
    ----------
    array : zarr.Array
        In whatever store.
    name : str
        For messages.
    path : Path, optional
        Where its files are, if they are.
    """

    def __init__(self, array: Any, name: str = "X", path: Path | None = None) -> None:
        n_rows, n_columns = check_table(name, array.shape)
        self._array = array
        super().__init__(
            name=name,
            shape=array.shape,
            stored=array.dtype,
            bounds=even_bounds(n_rows, array.chunks[0], n_columns * array.dtype.itemsize),
            path=path,
            recipe=(array, name, path),
        )

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        return np.asarray(self._array[start:stop])


def open_zarr(path: Path, key: str | None = None) -> ZarrSource:
    """The array in a folder, or the array called `key` of the group there."""
    name = str(path)
    zarr = optional_import("zarr", package="zarr", extra="zarr")
    with reading(name):
        found = zarr.open(str(path.absolute()), mode="r")
        if isinstance(found, zarr.Group):
            members = dict(found.members(max_depth=None))
            arrays = {key: member for key, member in members.items() if isinstance(member, zarr.Array)}
            shapes = {key: array.shape for key, array in arrays.items() if array.dtype.kind in "biuf"}
            found = arrays[choose_array(name, shapes, key and key.strip("/"))]
        elif key is not None:
            raise InputError("{key}: does not apply to {}, which is a single array.", name, key=key)
        check_claim(name, found.nbytes, stored_bytes(path))
        check_chunks(name, found.nchunks_initialized, found.nchunks)
    return ZarrSource(found, name, path.absolute())
