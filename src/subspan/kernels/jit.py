"""How every loop is compiled: serial, without the interpreter lock, cached where possible."""

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

    The compiled code of a kernel contains the kernels that it calls. Numba only checks the file of the first
    one, so the digest of all files is part of the key.
    """

    def _index_key(self, *of: Any) -> tuple[Any, ...]:
        return (*super()._index_key(*of), SOURCES)

    def load_overload(self, *of: Any) -> Any:
        """The code for these types; None if it cannot be read, as after a change of classes."""
        try:
            return super().load_overload(*of)
        except (AttributeError, ImportError):
            self.flush()
            return None


# Multiplication and addition may be fused. This changes the last bit, but in the same way for every element,
# so results do not depend on how work was split. The compiler may not change the arithmetic in any other way.
# Kernels allocate no memory, so they need no reference counts (`_nrt`): a small pursuit takes a quarter less
# time without them.
COMPILER_OPTIONS = {
    "nogil": True,
    "fastmath": {"contract"},
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
}
# Functions that only kernels call need no wrapper for calls from Python. Compiling one takes long, because it
# unpacks every argument. Numba compiles a function again for each literal argument: pass `np.int64(-1)`
# instead of -1.
WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile `function`, which Python calls, for `nogil` threads, and keep the code.

    If there is no folder to write to (a read-only installation without a home folder), the code is compiled
    again in every process.
    """
    compiled = numba.njit(function, **COMPILER_OPTIONS)
    if not numba.config.DISABLE_JIT:
        with suppress(RuntimeError):
            compiled._cache = KernelCache(function)
    return compiled  # type: ignore[no-any-return]


def part(function: Function) -> Function:
    """Compile `function`, which only kernels call; its code is kept as part of theirs."""
    return numba.njit(function, **COMPILER_OPTIONS, **WITHOUT_WRAPPERS)  # type: ignore[no-any-return]


def passage(function: Function) -> Function:
    """Compile `function` inline, at the place of the call: for large parts with one caller."""
    options = {**COMPILER_OPTIONS, **WITHOUT_WRAPPERS, "inline": "always"}
    return numba.njit(function, **options)  # type: ignore[no-any-return]
