"""A parameter as a field of a dataclass: its default, what it may be, and what it means."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from subspan.parameters.kinds import Kind


def parameter(default: Any, kind: Kind, meaning: str) -> Any:
    """The value of a field in the declaration of a method.

    Parameters
    ----------
    default : object
        What it is unless the caller says otherwise.
    kind : Kind
        What it may be.
    meaning : str
        A sentence or two, for the docstring and for the help of the command line.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from subspan.base import SubspaceMethod
    >>> from subspan.parameters import parameter, whole
    >>> @dataclass(eq=False, repr=False, kw_only=True)
    ... class Mine(SubspaceMethod):
    ...     n_looks: int = parameter(3, whole(1), "How often it looks.")
    >>> Mine(4, n_looks=2)
    Mine(n_clusters=4, n_looks=2)
    """
    return field(default=default, metadata={"kind": kind, "meaning": meaning})


def changed(declaration: type, name: str, **news: Any) -> Any:
    """A field of another declaration, with another default or meaning."""
    found = next(each for each in fields(declaration) if each.name == name)
    return parameter(**{"default": found.default, **found.metadata, **news})
