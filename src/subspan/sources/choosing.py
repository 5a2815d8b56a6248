"""Which of the arrays in a file, and which of the columns of a table, are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from subspan.handover import InputError

# A message lists at most this many names.
MOST_LISTED = 20


def choose_array(name: str, shapes: Mapping[str, tuple[int, ...]], key: str | None) -> str:
    """The array called `key`, or the only table there is; vectors, such as labels, do not count as tables.

    Without a table the only cube is taken, whose rows are pixels.

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
    cubes = {array: shape for array, shape in shapes.items() if len(shape) == 3 and min(shape) > 1}
    # Beside a cube, images of its size are maps of classes or masks.
    maps = {shape[:2] for shape in cubes.values()}
    tables: dict[str, tuple[int, ...]] = {
        array: shape
        for array, shape in shapes.items()
        if len(shape) == 2 and min(shape) > 1 and shape not in maps
    }
    tables = tables or dict(cubes)
    if not tables:
        raise InputError(f"{name}: has no two-dimensional array of numbers; it holds {_listed(shapes)}.")
    if len(tables) > 1:
        raise InputError(
            "{}: holds several tables, {}; choose one with {key:name}.", name, _listed(tables), key=None
        )
    return next(iter(tables))


@dataclass(frozen=True)
class ColumnChoice:
    """Columns to take, all if None, and columns to leave out; both by name or by a pattern."""

    taken: Sequence[str] | None = None
    left_out: Sequence[str] = ()


# What readers of tables take: a list of names, a choice, or None for all columns.
Columns = Sequence[str] | ColumnChoice | None


def choose_columns(
    name: str, present: Sequence[str], columns: Columns, index: Sequence[str] = ()
) -> tuple[str, ...]:
    """The columns asked for, by default all but the `index`; ``sensor_*`` stands for all that begin so.

    Examples
    --------
    >>> choose_columns("plants.csv", ["width", "height"], ["depth"])
    Traceback (most recent call last):
    subspan.handover.InputError: plants.csv: has no column 'depth'; it has width, height.
    >>> choose_columns("plants.csv", ["name", "width", "height"], ColumnChoice(left_out=["n*"]))
    ('width', 'height')
    """
    choice = columns if isinstance(columns, ColumnChoice) else ColumnChoice(columns)
    _check_names("columns", choice.taken)
    _check_names("exclude", choice.left_out or None)
    data = tuple(column for column in present if column not in index)
    chosen = data if choice.taken is None else _matching(name, present, choice.taken)
    left_out = _matching(name, present, choice.left_out)
    chosen = tuple(column for column in chosen if column not in left_out)
    if not chosen:
        raise InputError("{}: no column is left; it has {}.", name, _shortened(list(present)))
    n_present, n_chosen = Counter(present), Counter(chosen)
    for column in (*left_out, *chosen):
        if not n_present[column]:
            raise InputError(f"{name}: has no column {column!r}; it has {_shortened(list(present))}.")
    for column in chosen:
        if n_present[column] > 1 or n_chosen[column] > 1:
            raise InputError(f"{name}: there is more than one column {column!r}; give each its own name.")
    return chosen


def _check_names(option: str, names: Sequence[str] | None) -> None:
    if names is not None and (isinstance(names, str) or len(names) == 0):
        raise InputError(f"{{{option}}}: must be a list of names of columns.", **{option: names})


def _matching(name: str, present: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """The columns that names and patterns stand for; what is no pattern stays as it is."""
    chosen: list[str] = []
    for pattern in wanted:
        if pattern in present or not any(mark in str(pattern) for mark in "*?["):
            chosen.append(pattern)
            continue
        found = [column for column in present if fnmatchcase(column, pattern)]
        if not found:
            raise InputError(f"{name}: no column matches {pattern!r}; it has {_shortened(list(present))}.")
        chosen += [column for column in found if column not in chosen]
    return tuple(chosen)


def text_columns(name: str, columns: Sequence[str], held: object) -> InputError:
    """The error about columns that do not hold numbers; `held` is what the first of them holds."""
    more = [repr(column) for column in columns[1:]]
    return InputError(
        "{}: column {!r} holds {}, not numbers{}; leave {} out with {exclude}.",
        *(name, columns[0], held, f", and so do{'es' * (len(more) == 1)} {_shortened(more)}" if more else ""),
        "them" if more else "it",
        exclude=list(columns[:MOST_LISTED]),
    )


def _listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    listed = [
        f"{array} ({' x '.join(map(str, shape)) or 'one number'})" for array, shape in sorted(shapes.items())
    ]
    return _shortened(listed) or "no arrays of numbers"


def _shortened(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
