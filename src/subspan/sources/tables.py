"""Tables in memory: pandas, polars, Arrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError
from subspan.sources.array import ArraySource
from subspan.sources.choosing import Columns, choose_columns, text_columns
from subspan.sources.dtypes import common_float_type
from subspan.sources.faults import check_table, reading


def open_pandas(frame: Any, columns: Columns = None) -> ArraySource:
    """Columns of a pandas data frame.

    Examples
    --------
    >>> import pandas
    >>> open_pandas(pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})).array.tolist()
    [[1.0, 0.5], [2.0, 1.5]]
    """
    names = [str(label) for label in frame.columns]
    chosen = choose_columns("X", names, columns)
    positions = [names.index(column) for column in chosen]
    # Nullable types know the plain type of their values.
    stored = [getattr(frame.dtypes.iloc[j], "numpy_dtype", frame.dtypes.iloc[j]) for j in positions]
    dtype = _common("X", chosen, stored)
    return _filled(
        chosen, len(frame), dtype, lambda j: frame.iloc[:, positions[j]].to_numpy(dtype, na_value=np.nan)
    )


def open_polars(frame: Any, columns: Columns = None) -> ArraySource:
    """Columns of a polars data frame."""
    if not hasattr(frame, "get_column"):
        raise InputError(f"X: is a polars {type(frame).__name__}, not a table; call its collect first.")
    chosen = choose_columns("X", frame.columns, columns)
    nothing = frame.head(0)
    stored = [nothing.get_column(column).to_numpy().dtype for column in chosen]
    dtype = _common("X", chosen, stored)
    return _filled(chosen, frame.height, dtype, lambda j: frame.get_column(chosen[j]).to_numpy())


def open_arrow(table: Any, columns: Columns = None) -> ArraySource:
    """Columns of an Arrow table or record batch."""
    chosen = choose_columns("X", table.schema.names, columns, pandas_index(table.schema))
    dtype = common_float_type(arrow_dtypes("X", table.schema, chosen))

    def read(j: int) -> NDArray[Any]:
        column = table.column(chosen[j])
        values: NDArray[Any] = getattr(column, "combine_chunks", lambda: column)().to_numpy(
            zero_copy_only=False
        )
        return values

    return _filled(chosen, table.num_rows, dtype, read)


def pandas_index(schema: Any) -> tuple[str, ...]:
    """Columns of an Arrow schema in which pandas has stored the index of a data frame.

    Examples
    --------
    >>> import pandas, pyarrow
    >>> frame = pandas.DataFrame({"width": [1.5, 2.0]}, index=pandas.Index([7, 9], name="plant"))
    >>> pandas_index(pyarrow.Table.from_pandas(frame).schema)
    ('plant',)
    """
    stored = (schema.pandas_metadata or {}).get("index_columns", ())
    # An index that only counts the rows is described, not stored.
    return tuple(each for each in stored if isinstance(each, str))


def arrow_dtypes(name: str, schema: Any, columns: Sequence[str]) -> list[np.dtype]:
    """NumPy's types of columns of an Arrow schema; one that does not hold numbers is named."""
    types = importlib.import_module("pyarrow").types
    kinds = {column: schema.field(column).type for column in columns}
    known = (types.is_integer, types.is_floating, types.is_boolean)
    others = [column for column, kind in kinds.items() if not any(is_it(kind) for is_it in known)]
    if others:
        raise text_columns(name, others, kinds[others[0]])
    return [np.dtype(kind.to_pandas_dtype()) for kind in kinds.values()]


def _common(name: str, columns: Sequence[str], stored: Sequence[Any]) -> np.dtype:
    is_number = [isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in stored]
    others = [place for place, numbers in enumerate(is_number) if not numbers]
    if others:
        raise text_columns(name, [columns[place] for place in others], stored[others[0]])
    return common_float_type(stored)


def _filled(
    columns: tuple[str, ...], n_rows: int, dtype: np.dtype, read: Callable[[int], NDArray[Any]]
) -> ArraySource:
    """A source of the columns; missing values become NaN, which the scan refuses with row and column."""
    check_table("X", (n_rows, len(columns)))
    out = np.empty((n_rows, len(columns)), dtype)
    for j, column in enumerate(columns):
        with reading("X", f"column {column!r} "):
            out[:, j] = read(j)
    return ArraySource(out, columns=columns)
