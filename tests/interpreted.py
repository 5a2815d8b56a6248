"""Kernels in both forms: compiled, and as the plain Python that they are written in."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from subspan.kernels.jit import kernel


def interpreted(function: Any) -> Callable[..., Any]:
    """A kernel or a part of one as plain Python, with everything it calls."""
    plain = getattr(function, "py_func", function)
    called = {
        name: interpreted(plain.__globals__[name])
        for name in plain.__code__.co_names
        if hasattr(plain.__globals__.get(name), "py_func")
    }
    return FunctionType(plain.__code__, plain.__globals__ | called, plain.__name__, plain.__defaults__)


def both_forms(function: Any) -> dict[str, Callable[..., Any]]:
    """The compiled form, with a way in from Python, and the plain one."""
    return {
        "compiled": kernel(getattr(function, "py_func", function)),
        "interpreted": interpreted(function),
    }
