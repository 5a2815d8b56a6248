"""Rows of a Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.extras import optional_import
from subspan.sources.choosing import Columns, choose_columns
from subspan.sources.chunked import ChunkedSource, merged_bounds
from subspan.sources.dtypes import common_float_type
from subspan.sources.faults import check_claim, check_table, reading
from subspan.sources.tables import arrow_dtypes, pandas_index

# Rows that are turned from columns together.
ROWS_PER_BATCH = 2**14
# Pages are read through a window of this size: otherwise all columns of a group are read before the first.
WINDOW_BYTES = 2**16


class ParquetSource(ChunkedSource):
    """Columns of numbers of a Parquet file, read by groups of rows.

    A group is decoded as a whole, so a file with few and large groups needs much memory: the groups that
    are kept (`held_bytes`) and, while one is decoded, up to twice its size.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str, optional
        Which columns, in this order; by default all but the index of pandas, which must then hold numbers.
    """

    def __init__(self, path: Path, columns: Columns = None) -> None:
        name = str(path)
        parquet = optional_import("pyarrow.parquet", package="pyarrow", extra="parquet")
        with reading(name):
            self._file = parquet.ParquetFile(path, buffer_size=WINDOW_BYTES, pre_buffer=False)
            schema, metadata = self._file.schema_arrow, self._file.metadata
            self.index_columns = pandas_index(schema)
            chosen = choose_columns(name, schema.names, columns, self.index_columns)
            dtypes = arrow_dtypes(name, schema, chosen)
            dtype = common_float_type(dtypes)
            n_rows, n_columns = check_table(name, (metadata.num_rows, len(chosen)))
            check_claim(name, n_rows * n_columns * dtype.itemsize, path.stat().st_size)
            lengths = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self._groups = np.concatenate([[0], np.cumsum(lengths)])
        super().__init__(
            name=name,
            shape=(n_rows, n_columns),
            stored=dtype,
            bounds=merged_bounds(self._groups, n_columns * dtype.itemsize),
            columns=chosen,
            path=path,
            recipe=(path.absolute(), chosen),
        )

    def _load(self, start: int, stop: int) -> NDArray[Any]:
        first, last = np.searchsorted(self._groups, [start, stop])
        out = np.empty((stop - start, self.shape[1]), self.dtype)
        done = 0
        batches = self._file.iter_batches(
            ROWS_PER_BATCH, row_groups=list(range(first, last)), columns=list(self.columns), use_threads=False
        )
        for batch in batches:
            for j, column in enumerate(self.columns):
                out[done : done + len(batch), j] = batch.column(column).to_numpy(zero_copy_only=False)
            done += len(batch)
        return out[:done]
