"""The one way a loop is compiled here: serial, without the interpreter lock, cached where possible."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

Function = TypeVar("Function")


def _digest_of_sources() -> str:
    """One digest of the text of all kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


SOURCES = _digest_of_sources()


class KernelCache(FunctionCache):
    """Compiled code on disk, renewed when any kernel changes.

    Numba looks at the file of the kernel that is called and not at those of the kernels it calls in turn,
    whose code is part of what is kept.
    """

    def _index_key(self, *of: Any) -> tuple[Any, ...]:
        return (*super()._index_key(*of), SOURCES)

    def load_overload(self, *of: Any) -> Any:
        """What is kept for these types, if it can still be read: another version may have other classes."""
        try:
            return super().load_overload(*of)
        except (AttributeError, ImportError):
            self.flush()
            return None


# Multiplication and addition may fuse: this changes the last bit, but for every element alike, so results
# still do not depend on how work was split. No other liberty is taken with the arithmetic. Kernels own no
# memory: without reference counts (`_nrt`) a small pursuit takes a quarter less time.
OPTIONS = {
    "nogil": True,
    "fastmath": {"contract"},
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
}
# A constant among the arguments makes for code of its own; `np.int64(-1)` is none.
# The way in from Python, for which everything that comes along has to be unpacked, takes long to compile.
NO_WAY_IN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile `function`, which Python calls, for `nogil` threads, and keep the code.

    A read-only installation without a home folder has nowhere to keep it; it compiles anew in every process
    instead of failing.
    """
    compiled = numba.njit(function, **OPTIONS)
    if not numba.config.DISABLE_JIT:
        with suppress(RuntimeError):
            compiled._cache = KernelCache(function)
    return compiled  # type: ignore[no-any-return]


def part(function: Function) -> Function:
    """Compile `function` for kernels, which alone may call it; what is kept of it is kept with them."""
    return numba.njit(function, **OPTIONS, **NO_WAY_IN)  # type: ignore[no-any-return]


def passage(function: Function) -> Function:
    """Compile `function` as if it stood where it is called: for large parts with one caller."""
    return numba.njit(function, **OPTIONS, **NO_WAY_IN, inline="always")  # type: ignore[no-any-return]
