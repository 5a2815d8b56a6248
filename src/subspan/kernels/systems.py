"""Small systems of several pursuits, side by side.

The coefficients b of the atoms S of a pursuit solve (G_SS + damping I) b = X_S' x + damping c_S. The matrix
is kept as a Cholesky factor in float64, whatever the type of the data, and grows by a row for each atom.
Every number of a solution waits for the one before, so that a single system leaves most of a processor idle.
Here the systems of a group of pursuits are solved together, a lane of a vector each: the same operations on
the same numbers as one by one. A small system is part of a larger one whose other unknowns are zero, so they
need not be of one size.
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
from subspan.kernels.products import fused, in_all_lanes
from subspan.kernels.state import (
    CORRELATION,
    CROSS,
    FORWARD,
    LANES,
    OWN,
    PIVOT,
    POINT,
    RESIDUAL,
    RIGHT,
    TARGET,
    VALUE,
    PursuitState,
    Rules,
)

Floats = NDArray[np.float64]


def eliminate(
    factors: Floats, vectors: Floats, scalars: Floats, sizes: NDArray[np.int64], n: int, damping: float
) -> None:
    """Turn inner products of new atoms into rows of the factors; fill PIVOT and bring RIGHT up to date.

    Systems have at most `n` atoms so far. What comes out in a lane beyond its size means nothing.
    """
    row, pivot = vectors[CROSS], scalars[PIVOT]
    pivot[:] = scalars[OWN] + damping
    for a in range(n):
        for b in range(a):
            row[a] -= row[b] * factors[a, b]
        inside = sizes > a
        row[a] = np.divide(row[a], factors[a, a], out=np.zeros(LANES), where=inside)
        pivot -= row[a] ** 2
        scalars[RIGHT] -= row[a] * np.where(inside, vectors[FORWARD, a], 0)


def substitute(
    factors: Floats, vectors: Floats, scalars: Floats, sizes: NDArray[np.int64], n: int, damping: float
) -> None:
    """Solve systems of at most `n` atoms for VALUE, from FORWARD, and fill RESIDUAL with ||x - X_S b||^2."""
    values = vectors[VALUE]
    scalars[RESIDUAL] = scalars[POINT]
    for a in range(n - 1, -1, -1):
        entry = vectors[FORWARD, a].copy()
        for b in range(a + 1, n):
            entry -= factors[b, a] * values[b]
        values[a] = np.divide(entry, factors[a, a], out=np.zeros(LANES), where=sizes > a)
        # With (G + damping I) b = a + damping c the residual needs no product with the data.
        shift = vectors[TARGET, a] - values[a]
        scalars[RESIDUAL] += values[a] * (damping * shift - vectors[CORRELATION, a])


class _Group:
    """What generated code reads and writes of a group, a vector at a time."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any) -> None:
        self.builder = builder
        self.floats = ir.VectorType(ir.DoubleType(), LANES)
        self.integers = ir.VectorType(ir.IntType(64), LANES)
        factors, vectors, scalars, sizes = (
            context.make_array(kind)(context, builder, argument)
            for kind, argument in zip(kinds, arguments[:4], strict=True)
        )
        self._data = factors.data, vectors.data, scalars.data
        self._room = cgutils.unpack_tuple(builder, factors.shape)[0]
        self._sizes = builder.load(builder.bitcast(sizes.data, self.integers.as_pointer()), align=8)
        self.damping = in_all_lanes(builder, arguments[5], self.floats)

    def _place(self, base: Any, number: Any) -> Any:
        place = self.builder.gep(base, [self.builder.mul(number, ir.IntType(64)(LANES))])
        return self.builder.bitcast(place, self.floats.as_pointer())

    def _at(self, row: Any, column: Any) -> Any:
        return self.builder.add(self.builder.mul(row, self._room), column)

    def factor(self, a: Any, b: Any) -> Any:
        return self.builder.load(self._place(self._data[0], self._at(a, b)), align=8)

    def vector(self, which: int, a: Any) -> Any:
        return self.builder.load(self._place(self._data[1], self._at(ir.IntType(64)(which), a)), align=8)

    def set_vector(self, which: int, a: Any, value: Any) -> None:
        place = self._place(self._data[1], self._at(ir.IntType(64)(which), a))
        self.builder.store(value, place, align=8)

    def scalar(self, which: int) -> Any:
        return self.builder.load(self._place(self._data[2], ir.IntType(64)(which)), align=8)

    def set_scalar(self, which: int, value: Any) -> None:
        self.builder.store(value, self._place(self._data[2], ir.IntType(64)(which)), align=8)

    def minus(self, total: Any, x: Any, y: Any) -> Any:
        """Total - x y."""
        return fused(self.builder, self.builder.fneg(x), y, total)

    def inside(self, a: Any, value: Any, otherwise: Any) -> Any:
        """`value` in the lanes of systems that have an atom number `a`."""
        number = in_all_lanes(self.builder, a, self.integers)
        return self.builder.select(self.builder.icmp_signed("<", number, self._sizes), value, otherwise)

    def variable(self, value: Any) -> Any:
        """Room for a vector that changes, which the compiler turns into a register."""
        room = cgutils.alloca_once(self.builder, self.floats)
        self.builder.store(value, room)
        return room


@intrinsic  # type: ignore[untyped-decorator]
def _eliminate(
    _typing: Any, factors: Any, vectors: Any, scalars: Any, sizes: Any, n: Any, damping: Any
) -> tuple[Any, Callable[..., Any]]:
    kinds = factors, vectors, scalars, sizes

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        group = _Group(context, builder, kinds, arguments)
        pivot = group.variable(builder.fadd(group.scalar(OWN), group.damping))
        right = group.variable(group.scalar(RIGHT))
        with cgutils.for_range(builder, arguments[4]) as rows:
            a = rows.index
            entry = group.variable(group.vector(CROSS, a))
            with cgutils.for_range(builder, a) as columns:
                b = columns.index
                product = group.vector(CROSS, b), group.factor(a, b)
                builder.store(group.minus(builder.load(entry), *product), entry)
            number = builder.fdiv(builder.load(entry), group.factor(a, a))
            group.set_vector(CROSS, a, number)
            for total, other in ((pivot, number), (right, group.vector(FORWARD, a))):
                before = builder.load(total)
                builder.store(group.inside(a, group.minus(before, number, other), before), total)
        group.set_scalar(PIVOT, builder.load(pivot))
        group.set_scalar(RIGHT, builder.load(right))
        return context.get_dummy_value()

    return types.void(*kinds, n, damping), generate


@intrinsic  # type: ignore[untyped-decorator]
def _substitute(
    _typing: Any, factors: Any, vectors: Any, scalars: Any, sizes: Any, n: Any, damping: Any
) -> tuple[Any, Callable[..., Any]]:
    kinds = factors, vectors, scalars, sizes

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        group = _Group(context, builder, kinds, arguments)
        zeros = ir.Constant(group.floats, [0.0] * LANES)
        residual = group.variable(group.scalar(POINT))
        last = builder.sub(arguments[4], ir.IntType(64)(1))
        with cgutils.for_range(builder, arguments[4]) as rows:
            a = builder.sub(last, rows.index)
            entry = group.variable(group.vector(FORWARD, a))
            start = builder.add(a, ir.IntType(64)(1))
            with cgutils.for_range(builder, arguments[4], start=start) as columns:
                b = columns.index
                product = group.factor(b, a), group.vector(VALUE, b)
                builder.store(group.minus(builder.load(entry), *product), entry)
            value = group.inside(a, builder.fdiv(builder.load(entry), group.factor(a, a)), zeros)
            group.set_vector(VALUE, a, value)
            shift = builder.fsub(group.vector(TARGET, a), value)
            change = fused(builder, group.damping, shift, builder.fneg(group.vector(CORRELATION, a)))
            before = builder.load(residual)
            builder.store(group.inside(a, fused(builder, value, change, before), before), residual)
        group.set_scalar(RESIDUAL, builder.load(residual))
        return context.get_dummy_value()

    return types.void(*kinds, n, damping), generate


# Numba compares the signatures, annotations included.
@overload(eliminate)
def _compiled_elimination(factors, vectors, scalars, sizes, n, damping):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda factors, vectors, scalars, sizes, n, damping: _eliminate(
        factors, vectors, scalars, sizes, n, damping
    )


@overload(substitute)
def _compiled_substitution(factors, vectors, scalars, sizes, n, damping):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda factors, vectors, scalars, sizes, n, damping: _substitute(
        factors, vectors, scalars, sizes, n, damping
    )


@part
def extend_systems(rules: Rules, state: PursuitState, group: int) -> None:
    """Add the atoms that join pursuits of a group, and solve for all coefficients.

    A system has grown by one afterwards, unless its new atom depends on those already there.
    """
    factors, vectors, scalars = state.factors[group], state.vectors[group], state.scalars[group]
    sizes, joins = state.sizes[group], state.joins[group]
    most = -1
    for lane in range(LANES):
        if joins[lane]:
            most = max(most, sizes[lane])
    if most < 0:
        return
    eliminate(factors, vectors, scalars, sizes, most, rules.damping)
    for lane in range(LANES):
        k = sizes[lane]
        # Whatever is not finite is refused too: stale numbers must be such that zero times them is zero.
        if joins[lane] and scalars[PIVOT, lane] > 4 * (k + 1) * rules.precision * scalars[OWN, lane]:
            for a in range(k):
                factors[k, a, lane] = vectors[CROSS, a, lane]
            factors[k, k, lane] = np.sqrt(scalars[PIVOT, lane])
            vectors[FORWARD, k, lane] = scalars[RIGHT, lane] / factors[k, k, lane]
            sizes[lane] = k + 1
    substitute(factors, vectors, scalars, sizes, most + 1, rules.damping)
