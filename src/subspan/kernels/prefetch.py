"""Ask for memory before it is needed.

Where a pursuit goes next no hardware can guess: every pick opens a new row of a matrix far larger than
the caches. Whoever knows the row earlier asks for it, and it arrives while other work goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.lines import LINE_BYTES

# For reading, into the second-level cache, as data: the terms of LLVM's `prefetch`. The first level has too
# few requests under way at a time; those of the running loop would queue behind ours.
READ, SECOND_LEVEL, DATA = 0, 2, 1


def prefetch(array: NDArray[Any], place: tuple[int | np.int64, ...]) -> None:
    """Ask for the cache line of one number. A hint that changes no result, and nothing at all in Python."""


@intrinsic  # type: ignore[untyped-decorator]
def _instruction(_typing: Any, array: Any, place: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        numbers = context.make_array(array)(context, builder, arguments[0])
        indices = cgutils.unpack_tuple(builder, arguments[1])
        address = cgutils.get_item_pointer(context, builder, array, numbers, indices)
        address = builder.bitcast(address, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        builder.call(function, [address, number(READ), number(SECOND_LEVEL), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, place), generate


# Numba compares the signatures, annotations included.
@overload(prefetch)
def _compiled(array, place):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda array, place: _instruction(array, place)


@part
def ask_for(matrix: NDArray[Any], row: int | np.int64, start: int, stop: int) -> None:
    """Have part of a row brought into the cache while other work goes on."""
    for i in range(start, min(stop, matrix.shape[1]), LINE_BYTES // matrix.itemsize):
        prefetch(matrix, (row, i))
