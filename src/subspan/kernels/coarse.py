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

from subspan.kernels.lines import in_lines
from subspan.kernels.maxima import LANES, MEMBERS, block_maxima, largest_in_lanes, largest_of_lanes
from subspan.kernels.products import VECTOR_BYTES, in_all_lanes

# The largest number of 8 bits in use, and as fixed-point numbers with 8 bits after the point.
LARGEST = 127
FIXED = 256
# Words of a row come in whole blocks, for every size of vectors and for blocks of scores.
WORDS = 512
# Candidates of which exact scores are computed one by one, at most.
MANY = 64
# So many words more lie between two rows: see `row_length` of Gram matrices.
GAP = 32


def n_words(n_atoms: int) -> int:
    """Words that hold the numbers of a row, filled up to whole blocks."""
    return -(-n_atoms // (2 * WORDS)) * WORDS


def places_of_columns(n_atoms: int) -> NDArray[np.int32]:
    """Where the score of the atom in each column of a row stands.

    Examples
    --------
    >>> places_of_columns(5)
    array([  0, 512,   1, 513,   2], dtype=int32)
    """
    columns = np.arange(n_atoms, dtype=np.int32)
    return columns // 2 + columns % 2 * np.int32(n_words(n_atoms))


class FirstLook(NamedTuple):
    """Scratch of first looks, one slot for each pursuit under way."""

    # Scores of atoms at even columns of the rows come first, then those at odd ones.
    bits: NDArray[np.int16]
    # The largest of each lane of a block, see `kernels.maxima`.
    peaks: NDArray[np.int16]
    # Those that may be the largest, and their number.
    candidates: NDArray[np.int64]
    n_found: NDArray[np.int64]
    # Atoms of the pursuit whose rows have been asked for, and the place of a candidate whose row has, or -1.
    n_asked: NDArray[np.int64]
    likely: NDArray[np.int64]
    # The largest score, the bound on errors, and what a unit of both stands for.
    top: NDArray[np.int64]
    error: NDArray[np.float64]
    unit: NDArray[np.float64]
    # Rows to combine, of the point and of its atoms, and what a unit of each stands for.
    rows: NDArray[np.int64]
    row_units: NDArray[np.float64]
    # For all slots: factors of the rows, and blocks that hold candidates.
    factors: NDArray[np.int16]
    listed: NDArray[np.int64]
    # Searches so far, and candidates in all of them.
    account: NDArray[np.int64]


def new_look(n_slots: int, n_atoms: int, n_nonzero: int) -> FirstLook:
    """Allocate the scratch of looks at as many as `n_atoms` atoms."""
    n = 2 * n_words(n_atoms)
    return FirstLook(
        bits=in_lines((n_slots, n), np.int16),
        peaks=in_lines((n_slots, n // MEMBERS), np.int16),
        candidates=np.zeros((n_slots, 8 * MANY), np.int64),
        n_found=np.zeros(n_slots, np.int64),
        n_asked=np.zeros(n_slots, np.int64),
        likely=np.zeros(n_slots, np.int64),
        top=np.zeros(n_slots, np.int64),
        error=np.zeros(n_slots),
        unit=np.zeros(n_slots),
        rows=np.zeros((n_slots, n_nonzero + 1), np.int64),
        row_units=np.zeros((n_slots, n_nonzero + 1)),
        factors=np.zeros(n_nonzero + 1, np.int16),
        listed=np.zeros(n // (MEMBERS * LANES) + 1, np.int64),
        account=np.zeros(2, np.int64),
    )


def among_look(look: FirstLook, n_atoms: int) -> FirstLook:
    """The same scratch for a dictionary of this many atoms."""
    n = 2 * n_words(n_atoms)
    return look._replace(bits=_beginning(look.bits, n), peaks=_beginning(look.peaks, n // MEMBERS))


def _beginning(rows: NDArray[np.int16], length: int) -> NDArray[np.int16]:
    """The same memory as rows of another length, one right after the other."""
    return rows.reshape(-1)[: len(rows) * length].reshape(len(rows), length)


def combine_rows(
    words: NDArray[np.int16],
    rows: NDArray[np.int64],
    factors: NDArray[np.int16],
    n_rows: int,
    shown: NDArray[np.int32],
    out: NDArray[np.int16],
    peaks: NDArray[np.int16],
) -> int:
    """Fill `out` with |the sum of rows times factors|, in units of 1 / FIXED: lower bytes, then upper ones.

    Every product is rounded down; half a unit each is added beforehand. Sums may wrap around on the way. What
    has no bit in `shown`, one for each number of `out`, becomes 0. Fills `peaks` too and returns the
    largest, as `block_maxima` does.
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
    out[np.unpackbits(shown.view(np.uint8), bitorder="little") == 0] = 0
    return block_maxima(out, 0, peaks.shape[0] // LANES, peaks)


@intrinsic  # type: ignore[untyped-decorator]
def _in_registers(
    _typing: Any, words: Any, rows: Any, factors: Any, n_rows: Any, shown: Any, out: Any, peaks: Any
) -> tuple[Any, Callable[..., Any]]:
    signature = types.int64(words, rows, factors, n_rows, shown, out, peaks)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        short = ir.IntType(16)
        vector = ir.VectorType(short, LANES)
        wide = ir.VectorType(ir.IntType(32), LANES)
        mask = ir.VectorType(ir.IntType(1), LANES)
        matrix, chosen, amounts, visible, sums, tops = (
            context.make_array(kind)(context, builder, arguments[place])
            for kind, place in ((words, 0), (rows, 1), (factors, 2), (shown, 4), (out, 5), (peaks, 6))
        )
        row_bytes = cgutils.unpack_tuple(builder, matrix.strides)[0]
        index = row_bytes.type
        half_bytes = cgutils.unpack_tuple(builder, sums.shape)[0]
        n = builder.sext(arguments[3], index) if arguments[3].type != index else arguments[3]

        def address(base: Any, offset: Any, kind: Any = vector) -> Any:
            return builder.inttoptr(builder.add(builder.ptrtoint(base, index), offset), kind.as_pointer())

        def constant(value: int, kind: Any) -> Any:
            return ir.Constant(kind, [value] * LANES)

        def upper_half(x: Any, factor: Any) -> Any:
            product = builder.mul(builder.sext(x, wide), builder.sext(factor, wide))
            return builder.trunc(builder.ashr(product, constant(16, wide)), vector)

        def magnitude(value: Any, place: Any) -> Any:
            """|value| where it is shown; `place` in bytes of the sums, each of which has a bit."""
            bits = builder.load(
                address(visible.data, builder.lshr(place, index(4)), ir.IntType(LANES)), align=1
            )
            negative = builder.icmp_signed("<", value, constant(0, vector))
            positive = builder.select(negative, builder.neg(value), value)
            return builder.select(builder.bitcast(bits, mask), positive, constant(0, vector))

        first = in_all_lanes(builder, builder.trunc(builder.sdiv(n, index(2)), short), vector)
        totals = [cgutils.alloca_once_value(builder, constant(0, vector)) for _ in range(2 * MEMBERS)]
        top = cgutils.alloca_once_value(builder, constant(0, vector))
        builder.store(constant(0, vector), top)
        block_bytes = MEMBERS * VECTOR_BYTES
        n_blocks = builder.sdiv(half_bytes, index(block_bytes))
        with cgutils.for_range(builder, n_blocks) as blocks:
            offset = builder.mul(blocks.index, index(block_bytes))
            for total in totals:
                builder.store(first, total)
            with cgutils.for_range(builder, n) as loop:
                row = builder.load(builder.gep(chosen.data, [loop.index]))
                start = builder.add(builder.mul(row, row_bytes), offset)
                factor = in_all_lanes(builder, builder.load(builder.gep(amounts.data, [loop.index])), vector)
                for v in range(MEMBERS):
                    x = builder.load(
                        address(matrix.data, builder.add(start, index(v * VECTOR_BYTES))), align=2
                    )
                    parts = (builder.shl(x, constant(8, vector)), x)
                    for total, number in zip(totals[2 * v : 2 * v + 2], parts, strict=True):
                        builder.store(builder.add(builder.load(total), upper_half(number, factor)), total)
            for half, begin in enumerate((index(0), half_bytes)):
                members = []
                for v in range(MEMBERS):
                    place = builder.add(builder.add(offset, begin), index(v * VECTOR_BYTES))
                    members.append(magnitude(builder.load(totals[2 * v + half]), place))
                    builder.store(members[-1], address(sums.data, place), align=2)
                peak = largest_in_lanes(builder, members)
                place = builder.sdiv(builder.add(offset, begin), index(MEMBERS))
                builder.store(peak, address(tops.data, place), align=2)
                builder.store(largest_in_lanes(builder, [builder.load(top), peak]), top)
        return largest_of_lanes(builder, builder.load(top))

    return signature, generate


# Numba compares the signatures, annotations included.
@overload(combine_rows)
def _compiled(words, rows, factors, n_rows, shown, out, peaks):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda words, rows, factors, n_rows, shown, out, peaks: _in_registers(
        words, rows, factors, n_rows, shown, out, peaks
    )
