"""Codes of points on a basis, and the sums over points from which the basis is learned.

All arrays are float64. The basis is stored twice, with a vector per row and with a feature per row. So every
loop below adds multiples of contiguous rows, which the compiler can vectorise. It may not vectorise sums
along a row, because that changes their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel, part

Doubles = NDArray[np.float64]


class Basis(NamedTuple):
    """What is learned: n_basis = d vectors of n_features = p numbers, and sums over the points so far."""

    # (d, p) and its transpose.
    vectors: Doubles
    features: Doubles
    # sum z u^T over the points of this epoch, (d, p).
    memory: Doubles
    # sum v v^T, (d, d), and sum v (z - e)^T, (d, p).
    code_products: Doubles
    code_points: Doubles


class CodingScratch(NamedTuple):
    """Scratch for one point: vectors of length p, then of length d."""

    point: Doubles
    errors: Doubles
    rest: Doubles
    code: Doubles
    last_code: Doubles
    projection: Doubles


@part
def add_multiple(out: Doubles, factor: float, row: Doubles) -> None:
    """Out += factor * row."""
    for i in range(out.shape[0]):
        out[i] += factor * row[i]


@part
def add_product(out: Doubles, coefficients: Doubles, rows: Doubles) -> None:
    """Out += coefficients @ rows; four rows at a time, to store `out` less often."""
    n_rows = rows.shape[0]
    for k in range(0, n_rows - 3, 4):
        a, b, c, d = coefficients[k], coefficients[k + 1], coefficients[k + 2], coefficients[k + 3]
        row_a, row_b, row_c, row_d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for i in range(out.shape[0]):
            out[i] += a * row_a[i] + b * row_b[i] + c * row_c[i] + d * row_d[i]
    for k in range(n_rows - n_rows % 4, n_rows):
        add_multiple(out, coefficients[k], rows[k])


@part
def copy_into(out: Doubles, row: NDArray[np.floating]) -> None:
    """Out = row; a slice assignment between arrays would allocate memory."""
    for i in range(out.shape[0]):
        out[i] = row[i]


@kernel
def invert_in_place(matrix: Doubles, ridge: float) -> None:
    """Inverse of matrix + ridge I, positive definite, by Gauss-Jordan steps, which then need no pivoting."""
    for k in range(matrix.shape[0]):
        matrix[k, k] += ridge
    for k in range(matrix.shape[0]):
        pivot = matrix[k, k]
        matrix[k, k] = 1.0
        for i in range(matrix.shape[0]):
            matrix[k, i] /= pivot
        for i in range(matrix.shape[0]):
            if i != k:
                factor = -matrix[i, k]
                matrix[i, k] = 0.0
                add_multiple(matrix[i], factor, matrix[k])


@part
def solve_code(basis: Basis, inverse: Doubles, scratch: CodingScratch) -> float:
    """One ridge regression of point minus errors on the basis; the squared change of the code.

    `rest` becomes the point minus what the code makes of it.
    """
    code, projection, rest = scratch.code, scratch.projection, scratch.rest
    copy_into(scratch.last_code, code)
    for f in range(rest.shape[0]):
        rest[f] = scratch.point[f] - scratch.errors[f]
    projection[:] = 0.0
    add_product(projection, rest, basis.features)
    code[:] = 0.0
    add_product(code, projection, inverse)
    rest[:] = 0.0
    add_product(rest, code, basis.vectors)
    for f in range(rest.shape[0]):
        rest[f] = scratch.point[f] - rest[f]
    change = 0.0
    for k in range(code.shape[0]):
        change += (code[k] - scratch.last_code[k]) ** 2
    return change


@part
def solve_errors(threshold: float, scratch: CodingScratch) -> tuple[float, float]:
    """Set the errors to the soft-thresholded rest; returns their squared change and their squared norm."""
    change = 0.0
    square = 0.0
    for f in range(scratch.rest.shape[0]):
        rest = scratch.rest[f]
        value = max(rest - threshold, 0.0) + min(rest + threshold, 0.0)
        change += (value - scratch.errors[f]) ** 2
        square += value * value
        scratch.errors[f] = value
    return change, square


@part
def encode_point(
    basis: Basis, inverse: Doubles, threshold: float, limits: tuple[float, int], scratch: CodingScratch
) -> None:
    """Update code and errors of `scratch.point` in turn, until the relative change of both is at most `tol`.

    `inverse` is that of D^T D + I / lambda1. There is no division by the norms: errors may stay zero.
    """
    tol, max_rounds = limits
    scratch.errors[:] = 0.0
    scratch.code[:] = 0.0
    for _ in range(max_rounds):
        code_change = solve_code(basis, inverse, scratch)
        error_change, error_square = solve_errors(threshold, scratch)
        code_square = 0.0
        for k in range(scratch.code.shape[0]):
            code_square += scratch.code[k] ** 2
        if code_change <= tol * tol * code_square and error_change <= tol * tol * error_square:
            break


@part
def remember(basis: Basis, pull: float, scratch: CodingScratch, coefficients: Doubles) -> None:
    """Compute the coefficients u of the point, and add the point to the sums."""
    point, code = scratch.point, scratch.code
    square = 0.0
    for f in range(point.shape[0]):
        square += point[f] ** 2
    for k in range(code.shape[0]):
        total = 0.0
        for f in range(point.shape[0]):
            total += (basis.vectors[k, f] - basis.memory[k, f]) * point[f]
        coefficients[k] = total / (square + 1.0 / pull)
        add_multiple(basis.memory[k], coefficients[k], point)
        add_multiple(basis.code_products[k], code[k], code)
        for f in range(point.shape[0]):
            basis.code_points[k, f] += code[k] * (point[f] - scratch.errors[f])


@kernel
def learn_point(
    row: NDArray[np.floating],
    gram: Doubles,
    basis: Basis,
    weights: tuple[float, float, float],
    limits: tuple[float, int],
    scratch: CodingScratch,
    coefficients: Doubles,
    code: Doubles,
) -> None:
    """Code a point on the current basis, and add it to the sums; fills its u and v.

    `gram` is D^T D, and overwritten; `weights` are lambda1, lambda2 and lambda3.
    """
    copy_into(scratch.point, row)
    invert_in_place(gram, 1.0 / weights[0])
    encode_point(basis, gram, weights[1] / weights[0], limits, scratch)
    remember(basis, weights[2], scratch, coefficients)
    copy_into(code, scratch.code)


@kernel
def measure_losses(
    points: NDArray[np.floating],
    gram: Doubles,
    basis: Basis,
    weights: tuple[float, float, float],
    limits: tuple[float, int],
    scratch: CodingScratch,
    losses: Doubles,
) -> None:
    """The least lambda1/2 ||z - D v - e||^2 + ||v||^2/2 + lambda2 ||e||_1 of every point.

    `gram` is D^T D, and overwritten.
    """
    invert_in_place(gram, 1.0 / weights[0])
    for i in range(points.shape[0]):
        copy_into(scratch.point, points[i])
        encode_point(basis, gram, weights[1] / weights[0], limits, scratch)
        loss = 0.0
        for f in range(points.shape[1]):
            loss += 0.5 * weights[0] * (scratch.rest[f] - scratch.errors[f]) ** 2
            loss += weights[1] * abs(scratch.errors[f])
        for k in range(scratch.code.shape[0]):
            loss += 0.5 * scratch.code[k] ** 2
        losses[i] = loss
