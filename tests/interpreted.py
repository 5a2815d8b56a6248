"""Kernels in both forms: compiled, and as the plain Python that they are written in."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from subspan.kernels.jit import kernel


def plain(function: Any) -> Callable[..., Any]:
    """The plain Python of a kernel or of a part of one, which calls others as they are."""
    return getattr(function, "py_func", function)


def way_in(function: Any) -> Callable[..., Any]:
    """A part of kernels as a kernel, which Python can call."""
    return kernel(plain(function))


def interpreted(function: Any) -> Callable[..., Any]:
    """A kernel or a part of one as plain Python, with everything it calls."""
    written = plain(function)
    names = written.__globals__
    called = {
        name: interpreted(names[name])
        for name in written.__code__.co_names
        if hasattr(names.get(name), "py_func")
    }
    return FunctionType(written.__code__, names | called, written.__name__, written.__defaults__)


def both_forms(function: Any) -> dict[str, Callable[..., Any]]:
    """The compiled form, with a way in from Python, and the plain one."""
    return {
        "compiled": way_in(function),
        "interpreted": interpreted(function),
    }
