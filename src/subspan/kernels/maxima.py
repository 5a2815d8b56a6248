"""The largest of many numbers of 16 bits, and where those near the largest are: a vector at a time.

Numbers come in blocks of MEMBERS vectors, of which the largest in each lane are kept. Whoever looks for
numbers above a threshold compares these first, and then the lanes of the few blocks that have one.
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
from subspan.kernels.products import VECTOR_BYTES, in_all_lanes

LANES = VECTOR_BYTES // 2
# Vectors of a block.
MEMBERS = VECTOR_BYTES // 8


def block_maxima(values: NDArray[np.int16], first: int, last: int, peaks: NDArray[np.int16]) -> int:
    """Fill `peaks` with the largest in each lane of the blocks from `first` to `last`; the largest of all."""
    blocks = values.reshape(-1, MEMBERS, LANES)[first:last]
    peaks.reshape(-1, LANES)[first:last] = blocks.max(axis=1)
    return int(blocks.max())


def lanes_above(values: NDArray[np.int16], place: int, threshold: int) -> int:
    """Which lanes of the vector at `place` are at least `threshold`, a bit for each."""
    above = values[place : place + LANES] >= threshold
    return sum(1 << lane for lane in np.flatnonzero(above).tolist())


def lowest_lane(lanes: int) -> int:
    """The first of some lanes."""
    return (lanes & -lanes).bit_length() - 1


def _vector_at(builder: Any, base: Any, place: Any, vector: Any) -> Any:
    """Load the vector that begins at a number of an array."""
    return builder.load(builder.bitcast(builder.gep(base, [place]), vector.as_pointer()), align=2)


def largest_in_lanes(builder: Any, vectors: list[Any]) -> Any:
    """The largest of some vectors, lane by lane; as many as a power of two."""
    while len(vectors) > 1:
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [builder.select(builder.icmp_signed(">", x, y), x, y) for x, y in pairs]
    return vectors[0]


def largest_of_lanes(builder: Any, vector: Any) -> Any:
    """The largest number of a vector."""
    short = ir.IntType(16)
    reduce = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(short, [vector.type]), f"llvm.vector.reduce.smax.v{LANES}i16"
    )
    return builder.sext(builder.call(reduce, [vector]), ir.IntType(64))


@intrinsic  # type: ignore[untyped-decorator]
def _block_maxima(
    _typing: Any, values: Any, _first: Any, _last: Any, peaks: Any
) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), LANES)
        index = ir.IntType(64)
        numbers, tops = (
            context.make_array(kind)(context, builder, arguments[at]).data
            for kind, at in ((values, 0), (peaks, 3))
        )

        total = cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * LANES))
        builder.store(ir.Constant(vector, [0] * LANES), total)
        with cgutils.for_range(builder, arguments[2], start=arguments[1]) as blocks:
            start = builder.mul(blocks.index, index(MEMBERS * LANES))
            members = [
                _vector_at(builder, numbers, builder.add(start, index(m * LANES)), vector)
                for m in range(MEMBERS)
            ]
            peak = largest_in_lanes(builder, members)
            place = builder.gep(tops, [builder.mul(blocks.index, index(LANES))])
            builder.store(peak, builder.bitcast(place, vector.as_pointer()), align=2)
            builder.store(largest_in_lanes(builder, [builder.load(total), peak]), total)
        return largest_of_lanes(builder, builder.load(total))

    return types.int64(values, types.int64, types.int64, peaks), generate


@intrinsic  # type: ignore[untyped-decorator]
def _lanes_above(_typing: Any, values: Any, _place: Any, _threshold: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), LANES)
        numbers = context.make_array(values)(context, builder, arguments[0]).data
        limit = in_all_lanes(builder, builder.trunc(arguments[2], ir.IntType(16)), vector)
        above = builder.icmp_signed(">=", _vector_at(builder, numbers, arguments[1], vector), limit)
        return builder.zext(builder.bitcast(above, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(values, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _lowest_lane(_typing: Any, _lanes: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(_context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


# Numba compares the signatures, annotations included.
@overload(block_maxima)
def _compiled_maxima(values, first, last, peaks):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda values, first, last, peaks: _block_maxima(values, first, last, peaks)


@overload(lanes_above)
def _compiled_above(values, place, threshold):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda values, place, threshold: _lanes_above(values, place, threshold)


@overload(lowest_lane)
def _compiled_lowest(lanes):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda lanes: _lowest_lane(lanes)


@part
def list_above(
    values: NDArray[np.int16],
    peaks: NDArray[np.int16],
    threshold: int,
    listed: NDArray[np.int64],
    out: NDArray[np.int64],
) -> int:
    """List the places of numbers that are at least `threshold`; their number.

    `listed` is scratch for the blocks that have one, with a place more than there are blocks. `out` has room
    for a block of lanes beyond its last entry in use; where it is full the list ends. No processor can guess
    where the next hit is, so lists grow without a branch.
    """
    n_hits = 0
    for block in range(peaks.shape[0] // LANES):
        listed[n_hits] = block
        n_hits += lanes_above(peaks, block * LANES, threshold) != 0
    n = 0
    for hit in range(n_hits):
        block = listed[hit]
        lanes = lanes_above(peaks, block * LANES, threshold)
        while lanes != 0 and n + MEMBERS < out.shape[0]:
            place = block * MEMBERS * LANES + lowest_lane(lanes)
            lanes &= lanes - 1
            for _ in range(MEMBERS):
                out[n] = place
                n += values[place] >= threshold
                place += LANES
    return n
