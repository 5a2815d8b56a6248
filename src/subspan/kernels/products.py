"""Inner products of rows whose bits do not depend on where the rows are.

In a BLAS the last bit of a product depends on the place of its row in the operands, on their sizes and on the
processor. If two atoms tie, this last bit decides. Here every product of two rows is one chain of fused
multiply-adds from the first feature to the last. The bits are the same in every subset of the rows, in every
order, and on every processor with fused multiply-add.

Rows of the right operand are packed in panels of one cache line, feature by feature; rows of the left operand
are packed in strips. The products of a strip and a panel stay in registers: one load of the panel serves all
rows of the strip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from subspan.kernels.jit import kernel

# A panel is one cache line wide.
PANEL_BYTES = 64
_FEATURES = binding.get_host_cpu_features()
VECTOR_BYTES = 64 if _FEATURES.get("avx512f") else 32
_FUSES = _FEATURES.get("fma", True)
# Twelve vectors of sums and one or two of the panel fill the registers. Twelve independent sums hide the
# latency of the multiply-add.
STRIP = 12 * VECTOR_BYTES // PANEL_BYTES
# Rows of the left operand that stay in the second-level cache: a multiple of both sizes of STRIP.
BLOCK = 132
# Features that are multiplied before the sums are stored, so that a panel stays in the first-level cache.
FEATURES_AT_ONCE = 512


def panel_width(dtype: np.dtype) -> int:
    """Rows of a panel."""
    return PANEL_BYTES // dtype.itemsize


def multiply_strip(
    strip: NDArray[np.floating], panel: NDArray[np.floating], adds: bool, out: NDArray[np.floating]
) -> None:
    """Fill `out` (STRIP, width) with the products of a strip and a panel, or add them to what is there.

    `strip` (n_features, STRIP) and `panel` (n_features, width) lie side by side in memory, as do the columns
    of `out`.
    """
    # Wide enough for a product and a sum without rounding, in single precision.
    wide = np.longdouble
    total = out if adds else np.zeros_like(out)
    for factors, column in zip(strip, panel, strict=True):
        total = (factors[:, None].astype(wide) * column.astype(wide) + total).astype(out.dtype)
    out[:] = total


@intrinsic  # type: ignore[untyped-decorator]
def _in_registers(
    _typing: Any, strip: Any, panel: Any, adds: Any, out: Any
) -> tuple[Any, Callable[..., Any]]:
    signature = types.void(strip, panel, adds, out)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        number = context.get_data_type(out.dtype)
        n_bytes = out.dtype.bitwidth // 8
        lanes = VECTOR_BYTES // n_bytes
        vector = ir.VectorType(number, lanes)
        n_vectors = PANEL_BYTES // VECTOR_BYTES
        a, b, c = (
            context.make_array(kind)(context, builder, arguments[place])
            for kind, place in ((strip, 0), (panel, 1), (out, 3))
        )
        depth = cgutils.unpack_tuple(builder, a.shape)[0]
        row_bytes = cgutils.unpack_tuple(builder, c.strides)[0]
        index = row_bytes.type

        def place_in(base: Any, offset: Any) -> Any:
            """Address of a vector, in bytes from the beginning of an array."""
            address = builder.add(builder.ptrtoint(base, index), offset)
            return builder.inttoptr(address, vector.as_pointer())

        def places() -> Any:
            for row in range(STRIP):
                for v in range(n_vectors):
                    offset = builder.mul(row_bytes, index(row))
                    yield place_in(c.data, builder.add(offset, index(v * VECTOR_BYTES)))

        sums = [
            cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * lanes))
            for _ in range(STRIP * n_vectors)
        ]
        for total in sums:
            builder.store(ir.Constant(vector, [0.0] * lanes), total)
        with builder.if_then(cgutils.is_true(builder, arguments[2])):
            for total, place in zip(sums, places(), strict=True):
                builder.store(builder.load(place, align=n_bytes), total)
        with cgutils.for_range(builder, depth) as loop:
            first = builder.mul(loop.index, index(PANEL_BYTES))
            columns = [
                builder.load(place_in(b.data, builder.add(first, index(v * VECTOR_BYTES))), align=n_bytes)
                for v in range(n_vectors)
            ]
            for row in range(STRIP):
                which = builder.add(builder.mul(loop.index, index(STRIP)), index(row))
                factor = in_all_lanes(builder, builder.load(builder.gep(a.data, [which])), vector)
                for v, column in enumerate(columns):
                    total = sums[row * n_vectors + v]
                    builder.store(fused(builder, factor, column, builder.load(total)), total)
        for total, place in zip(sums, places(), strict=True):
            builder.store(builder.load(total), place, align=n_bytes)
        return context.get_dummy_value()

    return signature, generate


def in_all_lanes(builder: Any, number: Any, vector: Any) -> Any:
    """A vector of one number."""
    undefined = ir.Constant(vector, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(
        builder.insert_element(undefined, number, ir.IntType(32)(0)), undefined, zeros
    )


def fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """X y + z with one rounding; with two on a processor that has no such instruction."""
    if not _FUSES:
        return builder.fadd(builder.fmul(x, y), z)
    kind = "f32" if x.type.element == ir.FloatType() else "f64"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(x.type, [x.type] * 3), f"llvm.fma.v{x.type.count}{kind}"
    )
    return builder.call(function, [x, y, z])


# Numba compares the signatures, annotations included.
@overload(multiply_strip)
def _compiled(strip, panel, adds, out):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda strip, panel, adds, out: _in_registers(strip, panel, adds, out)


@kernel
def pack_rows(rows: NDArray[np.floating], out: NDArray[np.floating]) -> None:
    """Fill `out` (groups, n_features, width) with groups of rows, feature by feature, then zeros."""
    n_groups, n_features, width = out.shape
    for group in range(n_groups):
        first = group * width
        for member in range(width):
            if first + member < rows.shape[0]:
                for d in range(n_features):
                    out[group, d, member] = rows[first + member, d]
            else:
                for d in range(n_features):
                    out[group, d, member] = 0


@kernel
def multiply_block(
    strips: NDArray[np.floating],
    panels: NDArray[np.floating],
    edge: NDArray[np.floating],
    out: NDArray[np.floating],
) -> None:
    """Fill `out` with the products of a block of rows, in strips, and rows in panels.

    Parameters
    ----------
    strips, panels : IN
        Of shapes (n, n_features, STRIP) and (m, n_features, width).
    edge : scratch
        (STRIP, width), for strips that reach beyond the last row.
    out : OUT
        (rows, m * width), with columns side by side.
    """
    n_rows = out.shape[0]
    width = panels.shape[2]
    n_features = panels.shape[1]
    for start in range(0, n_features, FEATURES_AT_ONCE):
        stop = min(start + FEATURES_AT_ONCE, n_features)
        for p in range(panels.shape[0]):
            panel = panels[p, start:stop]
            column = p * width
            for strip in range(strips.shape[0]):
                row = strip * STRIP
                part = strips[strip, start:stop]
                if row + STRIP <= n_rows:
                    multiply_strip(part, panel, start > 0, out[row : row + STRIP, column : column + width])
                    continue
                for i in range(n_rows - row):
                    for j in range(width):
                        edge[i, j] = out[row + i, column + j]
                multiply_strip(part, panel, start > 0, edge)
                for i in range(n_rows - row):
                    for j in range(width):
                        out[row + i, column + j] = edge[i, j]
