"""Rows of a dataset in an HDF5 file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.extras import optional_import
from subspan.handover import InputError
from subspan.sources.choosing import choose_array
from subspan.sources.chunked import ChunkedSource, even_bounds
from subspan.sources.cubes import PixelSource, open_cube
from subspan.sources.faults import check_chunks, check_claim, reading
from subspan.sources.identity import file_stamp


def open_hdf5(path: Path, key: str | None = None, transposed: bool = False) -> Hdf5Source | PixelSource:
    """The dataset called `key`, or the only table; a cube is read into memory, and its pixels are rows."""
    name = str(path)
    with reading(name), _h5py().File(path, "r") as file:
        dataset = _dataset(file, name, key, transposed)[0]
        if dataset.ndim != 3:
            return Hdf5Source(path, key, transposed)
        cube = dataset[...]
    return open_cube(cube.T if transposed else cube, name, file_stamp(path))


class Hdf5Source(ChunkedSource):
    """A two-dimensional dataset of an HDF5 file, read chunk by chunk.

    Parameters
    ----------
    path : Path
        The file.
    key : str, optional
        Path of the dataset inside the file; by default the only table there is.
    transposed : bool
        Points are stored as columns, as in files that MATLAB has written.
    """

    def __init__(self, path: Path, key: str | None = None, transposed: bool = False) -> None:
        name = str(path)
        with reading(name):
            self._file = _h5py().File(path, "r")
            dataset, chosen = _dataset(self._file, name, key, transposed)
        self._dataset = dataset
        self._transposed = transposed
        super().__init__(
            name=name,
            shape=dataset.shape[:: -1 if transposed else 1],
            stored=dataset.dtype,
            bounds=_bounds(dataset, axis=1 if transposed else 0),
            path=path,
            recipe=(path.absolute(), chosen, transposed),
        )

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        rows: NDArray[Any]
        rows = self._dataset[:, start:stop].T if self._transposed else self._dataset[start:stop]
        return rows


def _h5py() -> Any:
    return optional_import("h5py", package="h5py", extra="hdf5")


def _dataset(file: Any, name: str, key: str | None, transposed: bool) -> tuple[Any, str]:
    """The dataset that is meant, and its path in the file."""
    found = _datasets(file, _h5py().Dataset)
    shapes = {key: dataset.shape[:: -1 if transposed else 1] for key, dataset in found.items()}
    chosen = choose_array(name, shapes, key and key.strip("/"))
    dataset = found[chosen]
    # Chunks that were never written take no room; a table of nothing else is no data.
    check_claim(name, dataset.nbytes, dataset.id.get_storage_size())
    _check_whole(name, chosen, dataset)
    return dataset, chosen


def _datasets(file: Any, kind: Any) -> dict[str, Any]:
    """Datasets of numbers by their path; MATLAB keeps what is referred to in a group of its own."""
    found: dict[str, Any] = {}

    def keep(key: str, item: Any) -> None:
        is_data = isinstance(item, kind) and item.dtype.kind in "biuf" and item.shape is not None
        if is_data and not key.startswith("#"):
            found[key] = item

    file.visititems(keep)
    return found


def _check_whole(name: str, key: str, dataset: Any) -> None:
    """Refuse what would read other files, and what would read as zeros because it was never written."""
    if dataset.external or dataset.is_virtual:
        raise InputError(f"{name}: {key} refers to other files, which are not read.")
    if dataset.chunks:
        expected = math.prod(-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True))
        check_chunks(name, dataset.id.get_num_chunks(), expected)


def _bounds(dataset: Any, axis: int) -> NDArray[np.int64]:
    if dataset.ndim != 2 or min(dataset.shape) < 1:
        return np.array([0, 0])
    chunk_rows = dataset.chunks[axis] if dataset.chunks else 1
    row_bytes = dataset.shape[1 - axis] * dataset.dtype.itemsize
    return even_bounds(dataset.shape[axis], chunk_rows, row_bytes)
