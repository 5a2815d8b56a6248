"""What a parameter may be. A kind checks a value, reads a text, and says in words what it allows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any

from subspan.execution.memory import parse_bytes
from subspan.handover import InputError


@dataclass(frozen=True)
class Kind:
    """One kind of value, or several: ``whole(1) | one_of("auto") | None``."""

    # As docstrings have it: "int".
    types: tuple[str, ...]
    # As the help of a program has it: "INTEGER"; none for what nobody can type.
    metavars: tuple[str, ...]
    # What is allowed: to someone who writes Python, and to someone who types.
    words: tuple[str, ...]
    typed: tuple[str, ...]
    # Whether a parameter may have a value.
    allows: Callable[[Any], bool]
    # The value that a text stands for, or a ValueError; it may still not be allowed.
    reads: Callable[[str], Any]
    # What the shell may offer.
    choices: tuple[str, ...] = ()
    is_folder: bool = False

    def __or__(self, other: Kind | None) -> Kind:
        other = nothing() if other is None else other

        def reads(text: str) -> Any:
            # What comes later is narrower: a word, or None.
            try:
                return other.read(text)
            except ValueError:
                return self.reads(text)

        return Kind(
            self.types + other.types,
            self.metavars + other.metavars,
            self.words + other.words,
            self.typed + other.typed,
            lambda value: self.allows(value) or other.allows(value),
            reads,
            self.choices + other.choices,
            self.is_folder or other.is_folder,
        )

    def read(self, text: str) -> Any:
        """The value that a text stands for; an InputError if there is none.

        Examples
        --------
        >>> (whole(1) | None).read("7"), (whole(1) | None).read("none")
        (7, None)
        >>> whole(1).read("7.5")
        Traceback (most recent call last):
        subspan.handover.InputError: must be a whole number of at least 1, not '7.5'.
        """
        with suppress(ValueError):
            value = self.reads(text)
            if self.allows(value):
                return value
        raise InputError(f"must be {listed(self.typed)}, not {text!r}.")


def listed(words: Sequence[str]) -> str:
    """Alternatives as one speaks of them.

    Examples
    --------
    >>> listed((whole(1) | one_of("auto") | None).words)
    "a whole number of at least 1, 'auto' or None"
    """
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def whole(least: int | None = None, most: int | None = None, *, other_than: int | None = None) -> Kind:
    """A whole number; bounds are included."""
    if other_than is not None:
        words = f"a whole number other than {other_than}"
    elif most is not None:
        words = f"a whole number from {least} to {most}"
    else:
        words = "a whole number" if least is None else f"a whole number of at least {least}"

    def allows(value: Any) -> bool:
        if not _is_number(value, Integral) or value == other_than:
            return False
        return (least is None or value >= least) and (most is None or value <= most)

    return Kind(("int",), ("INTEGER",), (words,), (words,), allows, int)


def span(least: int) -> Kind:
    """A range of whole numbers by its ends, which both count; typed with a colon between them.

    Examples
    --------
    >>> span(2).read("2:20")
    (2, 20)
    """
    end = whole(least)

    def allows(value: Any) -> bool:
        if not isinstance(value, tuple) or len(value) != 2:
            return False
        return all(map(end.allows, value)) and bool(value[0] <= value[1])

    def reads(text: str) -> tuple[int, ...]:
        return tuple(map(int, text.split(":")))

    words = f"a pair such as ({least}, 20), smallest first, of whole numbers of at least {least}"
    typed = f"a range such as {least}:20"
    return Kind(("(int, int)",), ("FROM:TO",), (words,), (typed,), allows, reads)


def real(least: float = -float("inf"), *, below: float = float("inf")) -> Kind:
    """A finite number, not less than `least`."""
    if below < float("inf"):
        name, words = f"float in [{least:g}, {below:g})", f"a number from {least:g} to below {below:g}"
    else:
        name, words = "float", f"a finite number of at least {least:g}"
    return _number(name, words, least, below)


def above_zero(smallest: float = sys.float_info.min) -> Kind:
    """A finite number that arithmetic can tell from zero."""
    return _number("float", "a finite number above 0", smallest, float("inf"))


def share() -> Kind:
    """A part of something: above 0, and at most all of it."""
    above_one = 1.0 + sys.float_info.epsilon
    return _number("float in (0, 1]", "a number above 0 and at most 1", sys.float_info.min, above_one)


def _number(name: str, words: str, least: float, below: float) -> Kind:
    def allows(value: Any) -> bool:
        return _is_number(value, Real) and bool(least <= value < below)

    return Kind((name,), ("NUMBER",), (words,), (words,), allows, float)


def _is_number(value: Any, kind: type) -> bool:
    """Whether it is a number; Python counts True as 1, but where a number is meant it is a slip."""
    return isinstance(value, kind) and not isinstance(value, bool)


def boolean() -> Kind:
    """True or False."""
    values = {"true": True, "false": False}

    def reads(text: str) -> Any:
        return values.get(text.lower())

    def allows(value: Any) -> bool:
        return isinstance(value, (bool, *_numpy("bool_")))

    return Kind(("bool",), tuple(values), ("True", "False"), tuple(values), allows, reads, tuple(values))


def one_of(*options: str) -> Kind:
    """One of a few words."""
    quoted = [f'"{option}"' for option in options]
    name = f"{{{', '.join(quoted)}}}" if len(options) > 1 else quoted[0]

    def allows(value: Any) -> bool:
        return isinstance(value, str) and value in options

    return Kind((name,), options, tuple(map(repr, options)), options, allows, str, options)


def nothing() -> Kind:
    """None."""

    def reads(text: str) -> None:
        if text.lower() != "none":
            raise ValueError(text)

    return Kind(("None",), ("none",), ("None",), ("none",), lambda value: value is None, reads, ("none",))


def folder() -> Kind:
    """A path, which need not be there."""

    def allows(value: Any) -> bool:
        # An empty path would be the current folder.
        return isinstance(value, (str, PathLike)) and bool(fspath(value))

    return Kind(("str", "path"), ("PATH",), ("a path",), ("a path",), allows, str, is_folder=True)


def memory_size() -> Kind:
    """A number of bytes, or a text such as "2GB"."""

    def allows(value: Any) -> bool:
        if not isinstance(value, str) and not _is_number(value, Integral):
            return False
        try:
            return parse_bytes(value) > 0
        except InputError:
            return False

    def reads(text: str) -> int | str:
        return int(text) if text.isdecimal() else text

    words, typed = ("a size such as '2GB'",), ("a size such as 2GB",)
    return Kind(("int", "str"), ("SIZE",), words, typed, allows, reads)


def generator() -> Kind:
    """NumPy's RandomState, which nobody can type."""

    def reads(text: str) -> Any:
        raise ValueError(text)

    def allows(value: Any) -> bool:
        return isinstance(value, _numpy("random", "RandomState"))

    return Kind(("RandomState",), (), ("a RandomState",), (), allows, reads)


def _numpy(*path: str) -> tuple[type, ...]:
    """A class of NumPy, if it has been imported: else nobody can have made an object of it."""
    found: Any = sys.modules.get("numpy")
    for name in path:
        found = getattr(found, name, None)
    return () if found is None else (found,)
