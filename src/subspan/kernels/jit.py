"""The one way a loop is compiled here: serial, without the interpreter lock, cached where possible."""

from __future__ import annotations

from typing import Any, TypeVar

import numba

Function = TypeVar("Function")


def kernel(function: Function) -> Function:
    """Compile `function` for `nogil` threads.

    Multiplication and addition may fuse: this changes the last bit, but for every element alike, so
    results still do not depend on how work was split. No other liberty is taken with the arithmetic.
    Kernels own no memory: without reference counts (`_nrt`) a small pursuit takes a quarter less time.
    A read-only installation without a home folder has nowhere to keep compiled code; it compiles anew
    in every process instead of failing.

    Cached code is renewed when the file of the *calling* kernel changes, so kernels that call each
    other live in one file.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": {"contract"},
        "error_model": "numpy",
        "forceinline": True,
        "_nrt": False,
    }
    try:
        return numba.njit(function, cache=True, **options)  # type: ignore[no-any-return]
    except RuntimeError:
        return numba.njit(function, **options)  # type: ignore[no-any-return]
