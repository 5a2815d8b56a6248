"""Any file or table as a source of rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.base import Source
from subspan.sources.checks import check_kind, on_host, refusal
from subspan.sources.choosing import ColumnChoice
from subspan.sources.cubes import masked, open_cube
from subspan.sources.dask_array import DaskSource
from subspan.sources.dtypes import float_type
from subspan.sources.faults import check_table
from subspan.sources.hdf5 import open_hdf5
from subspan.sources.images import ImageFolder
from subspan.sources.matlab import open_mat
from subspan.sources.npy import open_npy
from subspan.sources.npz import open_npz
from subspan.sources.parquet import ParquetSource
from subspan.sources.tables import open_arrow, open_pandas, open_polars
from subspan.sources.text import open_text
from subspan.sources.zarr_array import ZarrSource, open_zarr


@dataclass(frozen=True)
class Format:
    """How something is opened, and which option it knows."""

    open: Callable[..., Source]
    option: Literal["key", "columns"] | None = None


HDF5 = Format(open_hdf5, "key")
ZARR = Format(open_zarr, "key")
PARQUET = Format(ParquetSource, "columns")
TEXT = Format(open_text, "columns")

FORMATS = {
    ".npy": Format(open_npy),
    ".npz": Format(open_npz, "key"),
    ".h5": HDF5,
    ".hdf5": HDF5,
    ".mat": Format(open_mat, "key"),
    ".zarr": ZARR,
    ".parquet": PARQUET,
    ".csv": TEXT,
    ".tsv": TEXT,
}

# By the package and the name of the type, so that nothing has to be imported to ask.
TYPES = {
    ("pandas", "DataFrame"): Format(open_pandas, "columns"),
    ("polars", "DataFrame"): Format(open_polars, "columns"),
    ("polars", "LazyFrame"): Format(open_polars, "columns"),
    ("pyarrow", "Table"): Format(open_arrow, "columns"),
    ("pyarrow", "RecordBatch"): Format(open_arrow, "columns"),
    ("dask", "Array"): Format(DaskSource),
    ("zarr", "Array"): Format(ZarrSource),
}

# What is chosen by columns is also chosen by leaving some out.
OPTION_OF = {"exclude": "columns"}

# What the folder of a Zarr array or group has in it, whatever it is called.
ZARR_FILES = ("zarr.json", ".zarray", ".zgroup")


def open_source(
    data: Any,
    *,
    key: str | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    mask: ArrayLike | None = None,
) -> Source:
    """Rows of a file, a folder or a table, without loading more than the format demands.

    Parameters
    ----------
    data : path, array or table
        A path to a file that ends in .npy, .npz, .h5, .hdf5, .mat, .zarr, .parquet, .csv or .tsv (also
        .csv.gz and .tsv.gz), or to a folder of images; or an array, a pandas, polars or Arrow table,
        a Dask or Zarr array, or a source. Points are rows. In an array of lines, columns and bands, from
        memory or a .npy, .npz, HDF5 or MATLAB file, pixels are the rows.
    key : str, optional
        Which array of a .npz, HDF5, MATLAB or Zarr file; needed if there are several tables. For a
        folder of images "grey" turns colours into grey.
    columns : sequence of str, optional
        Which columns of a table, in this order. By default all, which must then hold numbers. Columns
        of a text file without names are called "0", "1" and so on. A pattern such as ``sensor_*``
        stands for all columns that match.
    exclude : sequence of str, optional
        Which columns of a table to leave out, by name or pattern.
    mask : array-like of shape (n_lines, n_columns), optional
        For a cube of lines, columns and bands, whose pixels are the rows: only those where this is not 0.

    Returns
    -------
    Source
        Its rows are float32 if that holds every number of the stored type, float64 otherwise.

    Raises
    ------
    InputError
        If it cannot be read as a table of numbers; if a package is missing, with the command that
        installs it.

    Examples
    --------
    >>> open_source([[1, 2], [3, 4]]).rows(0, 1).tolist()
    [[1.0, 2.0]]
    >>> open_source("points.xlsx")
    Traceback (most recent call last):
    subspan.handover.InputError: points.xlsx: files of this kind are not read; known are .npy, .npz, .h5,
    .hdf5, .mat, .zarr, .parquet, .csv, .tsv and folders of images.
    """
    source = _opened(data, key, columns, exclude)
    return source if mask is None else masked(source, mask)


def _opened(
    data: Any, key: str | None, columns: Sequence[str] | None, exclude: Sequence[str] | None
) -> Source:
    if _is_source(data):
        return data
    if isinstance(data, (str, os.PathLike)):
        path = expanded_path(data)
        return _open(_format_of_path(path), path, str(path), key, columns, exclude)
    data = on_host(data)
    return _open(_format_of_object(data), data, "X", key, columns, exclude)


def read_in_pieces(data: Any) -> bool:
    """Whether `data` is a path, a source or an array outside memory, not something NumPy takes as it is.

    Examples
    --------
    >>> read_in_pieces("points.npy"), read_in_pieces(np.eye(3))
    (True, False)
    """
    package = type(data).__module__.partition(".")[0]
    on_request = package in ("dask", "zarr", "pyarrow")
    return isinstance(data, (str, os.PathLike)) or on_request or _is_source(data)


def _is_source(data: Any) -> TypeGuard[Source]:
    # The type is checked first: asking a lazy table for its columns would compute it.
    return hasattr(type(data), "fingerprint") and isinstance(data, Source)


def _open(
    kind: Format,
    data: Any,
    name: str,
    key: str | None,
    columns: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> Source:
    given = {"key": key, "columns": columns, "exclude": exclude}
    for option, value in given.items():
        if value is not None and OPTION_OF.get(option, option) != kind.option:
            raise InputError(
                f"{{{option}}}: does not apply to {{}}, which has nothing to choose so.",
                name,
                **{option: value},
            )
    if kind.option == "columns":
        return kind.open(data, columns if exclude is None else ColumnChoice(columns, exclude))
    return kind.open(data, key) if kind.option else kind.open(data)


def expanded_path(given: str | os.PathLike[str]) -> Path:
    """The path that the user means, with ~ for the own folder."""
    if not os.fspath(given):
        raise InputError("X: is an empty path.")
    try:
        return Path(given).expanduser()
    except RuntimeError:
        raise InputError(f"{given}: there is no such user.") from None


def _format_of_path(path: Path) -> Format:
    kind = FORMATS.get(data_suffix(path))
    if path.is_dir():
        if kind is ZARR or any((path / file).is_file() for file in ZARR_FILES):
            return ZARR
        if kind is None:
            return Format(_open_images, "key")
        raise InputError(f"{path}: is a folder, not a {path.suffix} file.")
    if kind is None:
        known = ", ".join(FORMATS)
        raise InputError(f"{path}: files of this kind are not read; known are {known} and folders of images.")
    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    if not path.is_file():
        # To open a pipe waits for a writer, and a device may never end.
        raise InputError(f"{path}: is not a regular file.")
    return kind


def data_suffix(path: Path) -> str:
    """The suffix of the name of a file, without that of compression.

    Examples
    --------
    >>> data_suffix(Path("plants.CSV.gz")), data_suffix(Path("faces.npy"))
    ('.csv', '.npy')
    """
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    suffix = plain.suffix.lower()
    return suffix if plain is path or FORMATS.get(suffix) is TEXT else path.suffix.lower()


def _open_images(path: Path, key: str | None) -> ImageFolder:
    if key not in (None, "grey"):
        raise InputError(
            "{key}: a folder of images knows only 'grey', which turns colours into grey.", key=key
        )
    return ImageFolder(path, key == "grey")


def _format_of_object(data: Any) -> Format:
    kind = type(data)
    return TYPES.get((kind.__module__.partition(".")[0], kind.__name__), Format(_open_array))


def _open_array(data: Any) -> ArraySource:
    if issparse(data):
        raise InputError("X: is sparse; rows are read as dense ones, so call its toarray if there is room.")
    check_kind(data)
    try:
        array = np.asarray(data)
        if array.ndim == 3:
            return open_cube(array, "X")
        check_table("X", array.shape)
        dtype = np.dtype(np.float64) if array.dtype.kind in "OSU" else float_type(array.dtype)
        return ArraySource(np.ascontiguousarray(array, dtype))
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise refusal(data, error) from None
