"""Gram rows as numbers of 8 bits, two in a word of 16: see `kernels.coarse`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from subspan.kernels.coarse import FIXED, LARGEST
from subspan.kernels.jit import kernel, part
from subspan.kernels.lines import in_lines

# Numbers of a vector whose kept ones one instruction moves together, and whether there is one.
WIDTH = 32
_COMPRESSES = binding.get_host_cpu_features().get("avx512vbmi2", False)


class Packing(NamedTuple):
    """Scratch of a row that is turned into words."""

    fixed: NDArray[np.int16]
    # Numbers that a set of columns keeps, and the same memory as pairs of them.
    kept: NDArray[np.int16]
    pairs: NDArray[np.int32]
    # One number and its bits.
    number: NDArray[np.float32]
    pattern: NDArray[np.int32]


def new_packing(n_columns: int, n_words: int) -> Packing:
    """Allocate the scratch for rows of `n_columns` numbers, of which as many words are made."""
    kept = in_lines((2 * n_words + WIDTH,), np.int16)
    number = np.zeros(1, np.float32)
    return Packing(in_lines((n_columns,), np.int16), kept, kept.view(np.int32), number, number.view(np.int32))


def marks_of(columns: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """A bit for each of `n` numbers (whole vectors of them), set for those at `columns`; a word for a vector.

    Examples
    --------
    >>> marks_of(np.array([0, 2, 33], np.int32), 64)
    array([5, 2], dtype=int32)
    """
    kept = np.zeros(n, np.bool_)
    kept[columns] = True
    return np.packbits(kept, bitorder="little").view("<i4").astype(np.int32)


def keep_columns(
    row: NDArray[np.int16],
    columns: NDArray[np.int32],
    marks: NDArray[np.int32],  # noqa: ARG001
    out: NDArray[np.int16],
) -> None:
    """Fill `out` with the numbers of a row at sorted `columns`, which `marks` tells too.

    Up to a vector of `out` beyond them may change.
    """
    for i in range(columns.shape[0]):
        out[i] = row[columns[i]]


@intrinsic  # type: ignore[untyped-decorator]
def _compress(_typing: Any, row: Any, columns: Any, marks: Any, out: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(16), WIDTH)
        mask = ir.VectorType(ir.IntType(1), WIDTH)
        index = ir.IntType(64)
        numbers, words, kept = (
            context.make_array(kind)(context, builder, arguments[at])
            for kind, at in ((row, 0), (marks, 2), (out, 3))
        )
        compress = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(vector, [vector, mask, vector]),
            f"llvm.experimental.vector.compress.v{WIDTH}i16",
        )
        place = cgutils.alloca_once_value(builder, index(0))
        builder.store(index(0), place)
        with cgutils.for_range(builder, cgutils.unpack_tuple(builder, words.shape)[0]) as loop:
            source = builder.gep(numbers.data, [builder.mul(loop.index, index(WIDTH))])
            x = builder.load(builder.bitcast(source, vector.as_pointer()), align=2)
            bits = builder.load(builder.gep(words.data, [loop.index]))
            together = builder.call(
                compress, [x, builder.bitcast(bits, mask), ir.Constant(vector, ir.Undefined)]
            )
            target = builder.gep(kept.data, [builder.load(place)])
            builder.store(together, builder.bitcast(target, vector.as_pointer()), align=2)
            count = builder.zext(builder.ctpop(bits), index)
            builder.store(builder.add(builder.load(place), count), place)
        return context.get_dummy_value()

    return types.void(row, columns, marks, out), generate


def _gathered(row, columns, marks, out):  # type: ignore[no-untyped-def]  # noqa: ARG001
    for i in range(np.uint64(columns.shape[0])):
        out[i] = row[np.uint32(columns[i])]


# Numba compares the signatures, annotations included.
@overload(keep_columns)
def _compiled(row, columns, marks, out):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return (
        (lambda row, columns, marks, out: _compress(row, columns, marks, out)) if _COMPRESSES else _gathered
    )


@part
def largest_besides_own(patterns: NDArray[np.int32], row: int) -> np.int32:
    """Largest magnitude in a row but that of the atom itself, as the bits of a number."""
    magnitude = np.int32(0x7FFFFFFF)
    top = np.int32(0)
    for i in range(np.uint64(row)):
        top = max(top, np.int32(patterns[row, i] & magnitude))
    for i in range(np.uint64(row + 1), np.uint64(patterns.shape[1])):
        top = max(top, np.int32(patterns[row, i] & magnitude))
    return top


@part
def fix_row(row: NDArray[np.floating], own: int, largest: float, fixed: NDArray[np.int16]) -> float:
    """Turn a row of a Gram matrix into fixed-point numbers, FIXED to a unit; returns the unit.

    The largest number but that of the atom itself, which becomes 0, is LARGEST units.
    """
    # Where the largest is next to nothing its reciprocal is beyond single precision.
    scale = np.float32(min(FIXED * LARGEST / largest, 1e38)) if largest > 0 else np.float32(0)
    for i in range(np.uint64(fixed.shape[0])):
        fixed[i] = np.int16(np.int32(np.floor(row[i] * scale + np.float32(0.5))))
    fixed[own] = 0
    return FIXED / np.float64(scale) if largest > 0 else 0.0


@part
def pack_words(
    row: NDArray[np.int16],
    columns: NDArray[np.int32],
    marks: NDArray[np.int32],
    kept: NDArray[np.int16],
    pairs: NDArray[np.int32],
    out: NDArray[np.int16],
) -> None:
    """Fill `out` with the rounded numbers of a row at `columns`, two in a word; then zeros."""
    keep_columns(row, columns, marks, kept)
    for i in range(np.uint64(columns.shape[0]), np.uint64(kept.shape[0])):
        kept[i] = 0
    for w in range(np.uint64(out.shape[0])):
        first = np.int32(np.int32(pairs[w] << np.int32(16)) >> np.int32(16))
        second = np.int32(pairs[w] >> np.int32(16))
        low = np.int32(np.int32(first + np.int32(128)) >> np.int32(8))
        high = np.int32(second - low + np.int32(128))
        out[w] = np.int16(np.int32(high & np.int32(-256)) + low)


@kernel
def pack_rows(
    gram: NDArray[np.floating],
    patterns: NDArray[np.int32],
    start: int,
    stop: int,
    columns: NDArray[np.int32],
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
    scratch: Packing,
    units: NDArray[np.float64],
    out: NDArray[np.int16],
) -> None:
    """Turn rows of a Gram matrix into words, for every set of columns.

    Parameters
    ----------
    gram, patterns : IN
        The matrix and its bits.
    start, stop : IN
        Which rows.
    columns, ends, marks : IN
        Sorted columns of one set after the other, where each set ends, and a row of marks for each; see
        `keep_columns`.
    scratch
    units : OUT
        What a unit of each row stands for.
    out : OUT
        (sets, rows, words).
    """
    for r in range(start, stop):
        scratch.pattern[0] = largest_besides_own(patterns, r)
        units[r] = fix_row(gram[r], r, np.float64(scratch.number[0]), scratch.fixed)
        first = 0
        for t in range(ends.shape[0]):
            pack_words(
                scratch.fixed, columns[first : ends[t]], marks[t], scratch.kept, scratch.pairs, out[t, r]
            )  # fmt: skip
            first = ends[t]
