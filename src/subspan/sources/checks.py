"""What may come in as rows, and what every row has to be: numbers, finite, with a direction."""

from __future__ import annotations

import logging
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from subspan.handover import InputError

# Rows checked together: enough for speed, few enough that copies of them take little memory.
ROWS_PER_CHECK = 1024

Floats = NDArray[np.floating]

logger = logging.getLogger(__name__)


def check_kind(X: Any) -> None:
    """Raise if `X` is something that would silently become other numbers than the caller sees.

    Examples
    --------
    >>> import numpy as np
    >>> check_kind(np.array([["2026-01-31"]], dtype="datetime64[D]"))
    Traceback (most recent call last):
    subspan.handover.InputError: X: must hold numbers, but has dtype datetime64[D].
    """
    if np.ma.is_masked(X):
        row = int(np.flatnonzero(np.ma.getmaskarray(X).any(axis=-1))[0])
        raise InputError(f"X: has masked entries, the first in row {row}; fill them or leave such rows out.")
    dtype = getattr(X, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "mMV":
        raise InputError(f"X: must hold numbers, but has dtype {dtype}.")


def refusal(X: ArrayLike, error: Exception) -> Exception:
    """What scikit-learn refused, as one sentence that names the argument and the place.

    Examples
    --------
    >>> refusal([["1", "two"]], ValueError("could not convert"))
    InputError("X: row 0, column 1 holds 'two', which is not a number (could not convert).")
    """
    if issparse(X):
        return error
    reason = str(error).partition("\n")[0].rstrip(":. ")
    kind = TypeError if isinstance(error, TypeError) else InputError
    try:
        table = np.asarray(X)
    except ValueError:
        return InputError("X: its rows have different lengths, so it is not a table.")
    if table.ndim == 3:
        return InputError(
            f"X: has shape {table.shape}. Points are rows of a table; if they are pixels of an image with "
            "bands, give subspan.sources.open_source(X)."
        )
    if table.ndim != 2:
        return InputError(f"X: must be a table with a point in each row, but has shape {table.shape}.")
    entries = np.ndenumerate(table.astype(object)) if table.dtype.kind in "OSU" else ()
    for (row, column), value in entries:
        if not _is_number(value):
            place = f"row {row}, column {column}"
            return kind(f"X: {place} holds {short(value)}, which is not a number ({reason}).")
    return kind(f"X: {reason}.")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def check_finite(X: Floats, name: str = "X") -> None:
    """Raise if `X` has NaN or infinite entries, naming the first one.

    Examples
    --------
    >>> import numpy as np
    >>> check_finite(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    Traceback (most recent call last):
    subspan.handover.InputError: X: 1 row contains NaN or inf, the first at row 1, column 0.
    """
    starts = range(0, len(X), ROWS_PER_CHECK)
    finite = [np.isfinite(X[start : start + ROWS_PER_CHECK]).all(axis=1) for start in starts]
    bad = np.flatnonzero(~np.concatenate(finite))
    if len(bad):
        column = int(np.flatnonzero(~np.isfinite(X[bad[0]]))[0])
        rows = "1 row contains" if len(bad) == 1 else f"{len(bad)} rows contain"
        raise InputError(f"{name}: {rows} NaN or inf, the first at row {bad[0]}, column {column}.")


def zero_rows(X: Floats) -> NDArray[np.intp]:
    """Rows too small to have a direction: no entry above the smallest normal number of the type."""
    return np.flatnonzero(np.abs(X).max(axis=1) < np.finfo(X.dtype).tiny)


def unit_rows(X: Floats) -> Floats:
    """A copy with rows of unit norm; scaled by the largest entry first, so that no square overflows.

    Examples
    --------
    >>> import numpy as np
    >>> unit_rows(np.array([[3e200, 4e200]])).tolist()
    [[0.6, 0.8]]
    """
    out = np.empty(X.shape, X.dtype)
    for start in range(0, len(X), ROWS_PER_CHECK):
        rows = np.array(X[start : start + ROWS_PER_CHECK], np.float64, order="C")
        rows /= np.abs(rows).max(axis=1, keepdims=True)
        rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
        out[start : start + ROWS_PER_CHECK] = rows
    return out


def on_host(data: Any) -> Any:
    """A NumPy array if `data` is an array of torch, CuPy, JAX or another library; else `data` itself.

    Nothing has to be imported for it: what an object can do tells how it is read.

    Examples
    --------
    >>> on_host([[1.0, 2.0]])
    [[1.0, 2.0]]
    """
    kind = type(data)
    if isinstance(data, np.ndarray):
        return data
    if hasattr(kind, "detach") and hasattr(kind, "cpu"):
        return _said(kind, data.detach().cpu().numpy())
    if hasattr(kind, "__cuda_array_interface__") and hasattr(kind, "get"):
        return _said(kind, data.get())
    if hasattr(kind, "__dlpack__") and not hasattr(kind, "__array__"):
        return _said(kind, np.from_dlpack(data))
    return data


def _said(kind: type, array: Any) -> Any:
    logger.info("X: a %s.%s was copied to the memory of this machine.", kind.__module__, kind.__qualname__)
    return np.asarray(array)
