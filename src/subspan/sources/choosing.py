"""Which of the arrays in a file, and which of the columns of a table, are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from subspan.handover import InputError

# A message lists at most this many names.
MOST_LISTED = 20


def choose_array(name: str, shapes: Mapping[str, tuple[int, ...]], key: str | None) -> str:
    """The array called `key`, or the only table there is; vectors, such as labels, do not count as tables.

    Examples
    --------
    >>> choose_array("faces.mat", {"X": (100, 20), "y": (100, 1)}, None)
    'X'
    >>> choose_array("faces.mat", {"X": (100, 20), "Z": (50, 20)}, None)
    Traceback (most recent call last):
    subspan.handover.InputError: faces.mat: holds several tables, X (100 x 20), Z (50 x 20); choose one
    with key.
    """
    if key is not None:
        if key not in shapes:
            raise InputError(f"{name}: has no array {key!r}; it holds {_listed(shapes)}.")
        return key
    tables = {array: shape for array, shape in shapes.items() if len(shape) == 2 and min(shape) > 1}
    if not tables:
        raise InputError(f"{name}: has no two-dimensional array of numbers; it holds {_listed(shapes)}.")
    if len(tables) > 1:
        raise InputError(
            "{}: holds several tables, {}; choose one with {key:name}.", name, _listed(tables), key=None
        )
    return next(iter(tables))


def choose_columns(name: str, present: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
    """The columns asked for, all of them by default.

    Examples
    --------
    >>> choose_columns("plants.csv", ["width", "height"], ["depth"])
    Traceback (most recent call last):
    subspan.handover.InputError: plants.csv: has no column 'depth'; it has width, height.
    """
    if columns is not None and (isinstance(columns, str) or len(columns) == 0):
        raise InputError("{columns}: must be a list of names of columns.", columns=columns)
    chosen = tuple(present if columns is None else columns)
    n_present, n_chosen = Counter(present), Counter(chosen)
    for column in chosen:
        if not n_present[column]:
            raise InputError(f"{name}: has no column {column!r}; it has {_shortened(list(present))}.")
        if n_present[column] > 1 or n_chosen[column] > 1:
            raise InputError(f"{name}: there is more than one column {column!r}; give each its own name.")
    return chosen


def text_column(name: str, column: str, kind: object) -> InputError:
    """The error about a column that does not hold numbers."""
    return InputError(
        "{}: column {!r} holds {}, not numbers; name the columns to use with {columns:name}.",
        *(name, column, kind),
        columns=None,
    )


def _listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    listed = [
        f"{array} ({' x '.join(map(str, shape)) or 'one number'})" for array, shape in sorted(shapes.items())
    ]
    return _shortened(listed) or "no arrays of numbers"


def _shortened(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
