"""A first look at the scores of all atoms, by numbers of 8 bits.

To tell which atom has the largest score takes few digits of most of them. Copies of Gram rows with 8 bits a
number are a quarter of the memory traffic, and how wrong their combination can be is known: only the atoms at
the top, within twice that bound, have their scores computed exactly, from a few numbers each.

Two numbers share a word of 16 bits. The upper half of the product of a word and a factor belongs to the
number in the upper byte; shifted by a byte, the word gives that of the lower one. What the lower byte adds to
the upper number is allowed for when the upper one is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part
from subspan.kernels.products import VECTOR_BYTES, in_all_lanes
from subspan.kernels.scores import CHUNK, GROUP, MANY

# The largest number of 8 bits in use, and as fixed-point numbers with 8 bits after the point.
LARGEST = 127
FIXED = 256
# Vectors of words that are in registers at a time; each makes two of sums.
UNROLL = VECTOR_BYTES // 8
# Words of a row come in whole blocks, for every size of vectors and for chunks of scores.
WORDS = CHUNK // 2
# Rows that are packed together: their numbers in one column are one number of 64 bits.
ABREAST = 4
# So many words more lie between two rows: see `row_length` of Gram matrices.
GAP = 32


class FirstLook(NamedTuple):
    """Scratch of a first look. Scores of atoms at even positions come first, then those at odd ones."""

    bits: NDArray[np.int16]
    tops: NDArray[np.int16]
    peaks: NDArray[np.int16]
    listed: NDArray[np.int64]
    groups: NDArray[np.int64]
    candidates: NDArray[np.int64]
    rows: NDArray[np.int64]
    factors: NDArray[np.int16]
    # Searches so far, and candidates in all of them.
    account: NDArray[np.int64]


def n_words(n_atoms: int) -> int:
    """Words that hold the numbers of a row, filled up to whole blocks."""
    return -(-n_atoms // (2 * WORDS)) * WORDS


def new_look(n_atoms: int, n_nonzero: int) -> FirstLook:
    """Allocate the scratch of a look at as many as `n_atoms` atoms."""
    n = 2 * n_words(n_atoms)
    return FirstLook(
        bits=np.zeros(n, np.int16),
        tops=np.zeros(n // GROUP, np.int16),
        peaks=np.zeros(n // GROUP**2, np.int16),
        listed=np.zeros(n // GROUP**2 + 1, np.int64),
        groups=np.zeros(MANY * GROUP + 1, np.int64),
        candidates=np.zeros(MANY * GROUP + 1, np.int64),
        rows=np.zeros(n_nonzero + 1, np.int64),
        factors=np.zeros(n_nonzero + 1, np.int16),
        account=np.zeros(2, np.int64),
    )


def among_look(look: FirstLook, n_atoms: int) -> FirstLook:
    """The same scratch for a dictionary of this many atoms."""
    n = 2 * n_words(n_atoms)
    return look._replace(bits=look.bits[:n], tops=look.tops[: n // GROUP], peaks=look.peaks[: n // GROUP**2])


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


@kernel
def fix_rows(
    gram: NDArray[np.floating],
    patterns: NDArray[np.int32],
    start: int,
    fixed: NDArray[np.int16],
    units: NDArray[np.float64],
    number: NDArray[np.float32],
    pattern: NDArray[np.int32],
) -> None:
    """Turn rows of a Gram matrix from `start` on into fixed-point numbers, FIXED to a unit of the row.

    Parameters
    ----------
    gram, patterns : IN
        The matrix and its bits. The largest number of a row but that of the atom itself, which becomes 0, is
        LARGEST units.
    fixed : OUT
        Of shape (., columns, ABREAST): rows go together in groups.
    units : OUT
    number, pattern : scratch
        One number and its bits.
    """
    for r in range(fixed.shape[0] * ABREAST):
        own = start + r
        group, member = r // ABREAST, r % ABREAST
        pattern[0] = largest_besides_own(patterns, own)
        largest = number[0]
        scale = np.float32(0)
        if largest > 0:
            # Where the largest is next to nothing its reciprocal is beyond single precision.
            scale = np.float32(min(FIXED * LARGEST / np.float64(largest), 1e38))
        units[own] = FIXED / np.float64(scale) if largest > 0 else 0.0
        for i in range(np.uint64(fixed.shape[1])):
            value = np.int32(np.floor(gram[own, i] * scale + np.float32(0.5)))
            fixed[group, i, member] = np.int16(value)
        fixed[group, own, member] = 0


@kernel
def pack_words(
    groups: NDArray[np.int64],
    columns: NDArray[np.int32],
    pairs: NDArray[np.int64],
    halves: NDArray[np.int16],
    out: NDArray[np.int16],
) -> None:
    """Fill rows of `out` with the rounded numbers at `columns`, two in a word.

    Parameters
    ----------
    groups : IN
        (., columns) fixed-point numbers of ABREAST rows each, as one number.
    columns : IN
    pairs, halves : scratch
        (2, words of a row) of these, zero beyond the columns, and the same memory as numbers of 16 bits.
    out : OUT
    """
    n = columns.shape[0]
    n_words = np.uint64(out.shape[1])
    for g in range(groups.shape[0]):
        for w in range(np.uint64(n // 2)):
            pairs[0, w] = groups[g, np.uint32(columns[np.uint64(2) * w])]
            pairs[1, w] = groups[g, np.uint32(columns[np.uint64(2) * w + np.uint64(1)])]
        if n % 2:
            pairs[0, n // 2] = groups[g, columns[n - 1]]
        for i in range(np.uint64(halves.shape[1])):
            low = np.int16(np.int16(halves[0, i] + np.int16(128)) >> np.int16(8))
            high = np.int16(halves[1, i] - low + np.int16(128))
            halves[0, i] = np.int16((high & np.int16(-256)) + low)
        for member in range(np.uint64(ABREAST)):
            for w in range(n_words):
                out[np.uint64(g * ABREAST) + member, w] = halves[0, np.uint64(ABREAST) * w + member]
        for w in range(np.uint64(n // 2), n_words):
            pairs[0, w] = 0


def combine_rows(
    words: NDArray[np.int16],
    rows: NDArray[np.int64],
    factors: NDArray[np.int16],
    n_rows: int,
    out: NDArray[np.int16],
) -> None:
    """Fill `out` with |the sum of rows times factors|, in units of 1 / FIXED: lower bytes, then upper ones.

    Every product is rounded down; half a unit each is added beforehand. Sums may wrap around on the way.
    """
    half = out.shape[0] // 2
    low = np.full(half, n_rows // 2, np.int32)
    high = np.full(half, n_rows // 2, np.int32)
    for r in range(n_rows):
        row = words[rows[r], :half]
        factor = np.int32(factors[r])
        high += row.astype(np.int32) * factor >> 16
        low += (row << 8).astype(np.int16).astype(np.int32) * factor >> 16
    out[:half] = abs(low.astype(np.int16))
    out[half:] = abs(high.astype(np.int16))


@intrinsic  # type: ignore[untyped-decorator]
def _in_registers(
    _typing: Any, words: Any, rows: Any, factors: Any, n_rows: Any, out: Any
) -> tuple[Any, Callable[..., Any]]:
    signature = types.void(words, rows, factors, n_rows, out)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        lanes = VECTOR_BYTES // 2
        short = ir.IntType(16)
        vector = ir.VectorType(short, lanes)
        wide = ir.VectorType(ir.IntType(32), lanes)
        matrix, chosen, amounts, sums = (
            context.make_array(kind)(context, builder, arguments[place])
            for kind, place in ((words, 0), (rows, 1), (factors, 2), (out, 4))
        )
        row_bytes = cgutils.unpack_tuple(builder, matrix.strides)[0]
        index = row_bytes.type
        half_bytes = cgutils.unpack_tuple(builder, sums.shape)[0]
        n = builder.sext(arguments[3], index) if arguments[3].type != index else arguments[3]

        def address(base: Any, offset: Any) -> Any:
            return builder.inttoptr(builder.add(builder.ptrtoint(base, index), offset), vector.as_pointer())

        def constant(value: int, kind: Any) -> Any:
            return ir.Constant(kind, [value] * lanes)

        def upper_half(x: Any, factor: Any) -> Any:
            product = builder.mul(builder.sext(x, wide), builder.sext(factor, wide))
            return builder.trunc(builder.ashr(product, constant(16, wide)), vector)

        first = in_all_lanes(builder, builder.trunc(builder.sdiv(n, index(2)), short), vector)
        totals = [cgutils.alloca_once_value(builder, constant(0, vector)) for _ in range(2 * UNROLL)]
        block_bytes = UNROLL * VECTOR_BYTES
        n_blocks = builder.sdiv(half_bytes, index(block_bytes))
        with cgutils.for_range(builder, n_blocks) as blocks:
            offset = builder.mul(blocks.index, index(block_bytes))
            for total in totals:
                builder.store(first, total)
            with cgutils.for_range(builder, n) as loop:
                row = builder.load(builder.gep(chosen.data, [loop.index]))
                start = builder.add(builder.mul(row, row_bytes), offset)
                factor = in_all_lanes(builder, builder.load(builder.gep(amounts.data, [loop.index])), vector)
                for v in range(UNROLL):
                    x = builder.load(
                        address(matrix.data, builder.add(start, index(v * VECTOR_BYTES))), align=2
                    )
                    parts = (builder.shl(x, constant(8, vector)), x)
                    for total, number in zip(totals[2 * v : 2 * v + 2], parts, strict=True):
                        builder.store(builder.add(builder.load(total), upper_half(number, factor)), total)
            for v in range(UNROLL):
                place = builder.add(offset, index(v * VECTOR_BYTES))
                for total, begin in zip(totals[2 * v : 2 * v + 2], (index(0), half_bytes), strict=True):
                    value = builder.load(total)
                    negative = builder.icmp_signed("<", value, constant(0, vector))
                    magnitude = builder.select(negative, builder.neg(value), value)
                    builder.store(magnitude, address(sums.data, builder.add(place, begin)), align=2)
        return context.get_dummy_value()

    return signature, generate


# Numba compares the signatures, annotations included.
@overload(combine_rows)
def _compiled(words, rows, factors, n_rows, out):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda words, rows, factors, n_rows, out: _in_registers(words, rows, factors, n_rows, out)


@part
def place_of(position: int, look: FirstLook) -> int:
    """Where the score of the atom at `position` stands."""
    return position // 2 + (look.bits.shape[0] // 2 if position % 2 else 0)


@part
def position_at(place: int, look: FirstLook) -> int:
    """Position of the atom whose score stands at `place`."""
    half = look.bits.shape[0] // 2
    return 2 * place if place < half else 2 * (place - half) + 1
