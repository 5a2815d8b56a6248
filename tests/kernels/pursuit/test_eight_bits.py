"""Inner products as numbers of 8 bits, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from points import KINDS, points

from subspan.kernels.lines import WORDS_PER_LINE, words_length
from subspan.kernels.pursuit.eight_bits import LARGEST, pack_words, round_rows

N = 150
# The last rows are no atoms.
OWN = np.r_[np.arange(N - 10), np.full(10, -1)]


def rounded(
    X: np.ndarray, direction: np.ndarray, weights: np.ndarray, own: np.ndarray = OWN
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of 8 bits and the unit of each row."""
    single = X.astype(np.float32)
    # The other common directions are zero.
    means = single @ np.pad(direction[None], ((0, 3), (0, 0))).astype(np.float32).T
    products = single @ single.T
    numbers, largest = np.full(products.shape, 99, np.int8), np.empty(len(X), np.float32)
    columns = np.ascontiguousarray(means.T)
    round_rows(
        products, products.view(np.int32), own, means, columns, weights.astype(np.float32), largest, numbers
    )
    return numbers, largest.astype(np.float64) / LARGEST


def assert_right_to_half_a_unit(X: np.ndarray, direction: np.ndarray) -> None:
    weights = np.random.default_rng(1).uniform(0.2, 3, N)
    means = X @ direction
    exact = (X @ X.T - np.outer(means, means)) * weights
    exact[OWN >= 0, OWN[OWN >= 0]] = 0
    numbers, units = rounded(X, direction, weights)
    norms = np.linalg.norm(X, axis=1)
    # Down to the smallest number of single precision.
    slack = 40 * (np.finfo(np.float32).eps * np.outer(norms, norms) + 2.0**-149) * weights
    assert (np.abs(numbers * units[:, None] - exact) <= 0.501 * units[:, None] + slack).all()
    assert (np.abs(LARGEST * units - np.abs(exact).max(axis=1)) <= slack.max(axis=1)).all()
    assert (np.abs(numbers).max(axis=1)[units > 0] == LARGEST).all()


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("without_mean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_right_to_half_a_unit(kind, without_mean, scale):
    direction = np.ones(30) / np.sqrt(30) if without_mean else np.zeros(30)
    assert_right_to_half_a_unit(scale * points(kind, N, 30), direction)


def test_the_own_column_is_ignored():
    """It would be the largest by far."""
    X = 1e-3 * points("near_subspaces", N, 30)
    X[:5] *= 1e6
    numbers, units = rounded(X, np.zeros(30), np.ones(N))
    known = np.flatnonzero(OWN >= 0)
    assert not numbers[known, OWN[known]].any()
    assert units[0] * LARGEST < 1e6
    assert np.abs(numbers[0]).max() == LARGEST


@pytest.mark.parametrize("own", [0, -1])
def test_a_row_of_zeros(own):
    numbers, units = rounded(np.zeros((1, 9)), np.zeros(9), np.ones(1), np.array([own]))
    assert not numbers.any()
    assert units == 0


@pytest.mark.parametrize("n_kept", [1, 31, 32, 33, 64, 65, 150])
def test_atoms_a_half_apart_share_a_word(n_kept):
    rng = np.random.default_rng(n_kept)
    numbers = rng.integers(-LARGEST, LARGEST + 1, (20, N)).astype(np.int8)
    numbers[3] = -LARGEST
    columns = np.sort(rng.permutation(N)[:n_kept]).astype(np.int32)
    half = words_length(n_kept)
    words = np.full((30, half), 99, np.int16)
    rows, places = rng.permutation(20)[:15], rng.permutation(30)[:15]
    rows[0] = 3
    pack_words(numbers, rows, columns, places, words)
    # In 32 bits, in which nothing can overflow.
    expected = np.zeros((15, 2 * half), np.int32)
    expected[:, :n_kept] = numbers[rows][:, columns]
    assert np.array_equal(words[places], expected[:, :half] + 256 * expected[:, half:])
    others = np.setdiff1d(np.arange(30), places)
    assert (words[others] == 99).all()


@pytest.mark.parametrize("n_atoms", [1, 63, 64, 65, 4000, 4096, 5000])
def test_rows_are_an_odd_number_of_lines(n_atoms):
    half = words_length(n_atoms)
    assert half % WORDS_PER_LINE == 0
    assert half // WORDS_PER_LINE % 2 == 1
    assert n_atoms <= 2 * half < n_atoms + 4 * WORDS_PER_LINE + 1
